import { ruleOf, styleOf } from '../theme/look.ts';
import type { CodeFacts, PublishedScript } from './code-facts.ts';
import { type Attributes, attributeText, escaped, trimmed } from './code-text.ts';
import { directionOf } from './languages.ts';
import type { Settings } from './settings.ts';

/** The script that the code pins, or undefined if the code pins no script. */
export function pinnedScript({ pinned }: Settings, facts: Pick<CodeFacts, 'pinned'>): PublishedScript | undefined {
  return pinned && facts.pinned !== null && facts.pinned !== 'unpublished' ? facts.pinned : undefined;
}

/** The reviewer and the reviewed run. Empty if there is no reviewer or no visible run. */
export function reviewOf(
  { reviewedBy }: Settings,
  { run }: Pick<CodeFacts, 'run'>,
): { aiReviewedBy?: string; aiReviewedRun?: string } {
  return reviewedBy === '' || run === undefined ? {} : { aiReviewedBy: reviewedBy, aiReviewedRun: run };
}

export function scriptTag(settings: Settings, { baseUrl, pinned }: Pick<CodeFacts, 'baseUrl' | 'pinned'>): string {
  const script = pinnedScript(settings, { pinned });
  if (script === undefined) return `<script type="module" src="${escaped(trimmed(baseUrl))}/pulse-card.js"></script>`;
  return `<script type="module" src="${escaped(script.url)}" integrity="${escaped(script.integrity)}" crossorigin="anonymous"></script>`;
}

export function styleLines({ look, theme, sourceId }: Settings): readonly string[] {
  return styleBlock(ruleOf(look, theme, `pulse-card[source-id="${sourceId}"]`));
}

export function styleBlock(rule: string): readonly string[] {
  return rule === '' ? [] : ['<style>', ...rule.split('\n').map((line) => `  ${line}`), '</style>'];
}

/** The element on several lines, with all settings as attributes. */
export function tagLines(settings: Settings, facts: CodeFacts, more: readonly string[]): readonly string[] {
  const style = styleOf(settings.look, settings.theme);
  const attributes: Attributes = [
    ...sharedAttributes(settings, facts).slice(0, 1),
    ['base-url', facts.baseUrl],
    ...sharedAttributes(settings, facts).slice(1),
    ...(style === '' ? [] : [['style', style] as const]),
  ];
  return ['<pulse-card', ...[...attributes.map(attributeText), ...more].map((text) => `  ${text}`), '></pulse-card>'];
}

/** The attributes of a tag that follows a script tag. A script from a different host doesn't know the BFF's address. */
export function scriptedAttributes(settings: Settings, facts: CodeFacts): Attributes {
  const attributes = sharedAttributes(settings, facts);
  return pinnedScript(settings, facts) ? [...attributes, ['base-url', trimmed(facts.baseUrl)]] : attributes;
}

/** The attributes of the tag, with the source first. */
export function sharedAttributes(settings: Settings, facts: CodeFacts): Attributes {
  const { sourceId, variant, open, live, history, actions } = settings;
  const { label, headingLevel, loading, theme, chartTheme, language } = settings;
  const { aiReviewedBy, aiReviewedRun } = reviewOf(settings, facts);
  return [
    ['source-id', sourceId],
    ...(variant === 'card' ? [] : [['variant', variant] as const]),
    ...(label === '' ? [] : [['label', label] as const]),
    ...(open ? [['open', ''] as const] : []),
    ...(live ? [['live', ''] as const] : []),
    ...(history ? [['history', ''] as const] : []),
    ...(actions === '' ? [] : [['actions', actions] as const]),
    ...(headingLevel === 3 ? [] : [['heading-level', String(headingLevel)] as const]),
    ...(loading === 'lazy' ? [] : [['loading', loading] as const]),
    ...(theme === 'auto' ? [] : [['theme', theme] as const]),
    ...(chartTheme === 'light' ? [] : [['chart-theme', chartTheme] as const]),
    ...(aiReviewedBy === undefined || aiReviewedRun === undefined
      ? []
      : ([
          ['ai-reviewed-by', aiReviewedBy],
          ['ai-reviewed-run', aiReviewedRun],
        ] as const)),
    ...(language === ''
      ? []
      : ([
          ['lang', language],
          ['dir', directionOf(language)],
        ] as const)),
  ];
}
