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
function sharedAttributes(settings: Settings, facts: CodeFacts): Attributes {
  return propertiesOf(settings, facts).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    value === true ? '' : String(value),
  ]);
}

/** The defaults of the element, in the order of the code. */
const ELEMENT_DEFAULTS = {
  variant: 'card',
  label: '',
  open: false,
  live: false,
  history: false,
  actions: '',
  headingLevel: 3,
  loading: 'lazy',
  theme: 'auto',
  chartTheme: 'light',
} as const;

/** The properties of the element that the code sets, with the source first. */
export function propertiesOf(
  settings: Settings,
  facts: Pick<CodeFacts, 'run'>,
): readonly (readonly [name: string, value: string | number | true])[] {
  const { sourceId, language } = settings;
  const names = Object.keys(ELEMENT_DEFAULTS) as (keyof typeof ELEMENT_DEFAULTS)[];
  return [
    ['sourceId', sourceId],
    ...names
      .filter((name) => settings[name] !== ELEMENT_DEFAULTS[name])
      .map((name) => [name, settings[name] as string | number | true] as const),
    ...Object.entries(reviewOf(settings, facts)),
    ...(language === ''
      ? []
      : ([
          ['lang', language],
          ['dir', directionOf(language)],
        ] as const)),
  ];
}
