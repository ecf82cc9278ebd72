import { cleanName, escapeHtml, escapeName } from '@pulse-card/widget/snippet';
import { type Declaration, declarationsOf, headingRuleOf, rulesOf } from '../theme/look.ts';
import { CARD_ATTRIBUTES } from './card-attributes.ts';
import type { CodeFacts, PublishedScript } from './code-facts.ts';
import { directionOf } from './languages.ts';
import { schemeOf, type Settings, valueOf } from './settings.ts';

/** A setting of the card, with its property and attribute names. A switch that is on is `true`. */
export interface CardValue {
  readonly attribute: string;
  readonly property: string;
  readonly value: string | number | true;
}

/**
 * The card settings that differ from the defaults, with the source first. A reviewer is included only with the reviewed
 * run.
 */
export function valuesOf(settings: Settings, { run }: Pick<CodeFacts, 'run'>): readonly CardValue[] {
  const { sourceId, language } = settings;
  const changed = CARD_ATTRIBUTES.flatMap(({ name, property, kind, preset }) => {
    const text = valueOf(settings, name);
    if (text === preset || (name === 'ai-reviewed-by' && run === undefined)) return [];
    const value = kind === 'switch' ? true : kind === 'number' ? Number(text) : cleanName(text);
    const reviewed = { attribute: 'ai-reviewed-run', property: 'aiReviewedRun', value: run?.id ?? '' };
    return [{ attribute: name, property, value } as const, ...(name === 'ai-reviewed-by' ? [reviewed] : [])];
  });
  return [
    { attribute: 'source-id', property: 'sourceId', value: sourceId },
    ...changed,
    ...(language === '' ? [] : [same('lang', language), same('dir', directionOf(language))]),
  ];
}

function same(name: string, value: string): CardValue {
  return { attribute: name, property: name, value };
}

/** A value as an HTML attribute. */
export function attributeText({ attribute, value }: Pick<CardValue, 'attribute' | 'value'>): string {
  return value === true ? attribute : `${attribute}="${escapeName(String(value))}"`;
}

/** Attributes, each preceded by a space. */
export function attributesText(values: readonly CardValue[]): string {
  return values.map((value) => ` ${attributeText(value)}`).join('');
}

/** The element on several lines, with the BFF's URL, which the script in an npm package doesn't know. */
export function tagLines(
  settings: Settings,
  facts: CodeFacts,
  more: readonly string[],
  values: readonly CardValue[] = valuesOf(settings, facts),
): readonly string[] {
  const [source, ...others] = values.map(attributeText);
  const style = styleOf(declarationsOf(settings.look, schemeOf(settings)));
  const lines = [source ?? '', `base-url="${escapeHtml(facts.baseUrl)}"`, ...others, ...style, ...more];
  return ['<pulse-card', ...indented(lines), '></pulse-card>'];
}

function styleOf(declarations: readonly Declaration[]): string[] {
  if (declarations.length === 0) return [];
  return [`style="${escapeHtml(declarations.map(([property, value]) => `${property}: ${value}`).join('; '))}"`];
}

/** The script that the code pins, or undefined if it pins none. */
export function pinnedScript({ pinned }: Settings, facts: Pick<CodeFacts, 'pinned'>): PublishedScript | undefined {
  return pinned && facts.pinned !== null && facts.pinned !== 'unpublished' ? facts.pinned : undefined;
}

/** The script tag for the card. */
export function scriptTag(settings: Settings, facts: Pick<CodeFacts, 'baseUrl' | 'pinned'>): string {
  const script = pinnedScript(settings, facts);
  if (script === undefined)
    return `<script type="module" src="${escapeHtml(trimmed(facts.baseUrl))}/pulse-card.js"></script>`;
  return `<script type="module" src="${escapeHtml(script.url)}" integrity="${script.integrity}" crossorigin="anonymous"></script>`;
}

/**
 * The values for an element next to its script tag. If the script comes from another host, they include the BFF's URL.
 */
export function scriptedValues(settings: Settings, facts: CodeFacts): readonly CardValue[] {
  const values = valuesOf(settings, facts);
  const baseUrl = { attribute: 'base-url', property: 'baseUrl', value: trimmed(facts.baseUrl) };
  return pinnedScript(settings, facts) ? [...values, baseUrl] : values;
}

/** The CSS selector for the card in the code. */
export function selectorOf({ sourceId }: Pick<Settings, 'sourceId'>): string {
  return `pulse-card[source-id="${sourceId}"]`;
}

/** The card's look as a `<style>` element. Empty if it is the default look. */
export function styleLines(settings: Settings): readonly string[] {
  return styleBlock(rulesOf(settings.look, schemeOf(settings), selectorOf(settings)));
}

/** The rule for the heading, for code that sets the rest of the look with a `style` attribute. */
export function headingRule(settings: Settings): string {
  return headingRuleOf(settings.look, selectorOf(settings));
}

/** CSS rules as a `<style>` element. */
export function styleBlock(rules: string): readonly string[] {
  return rules === '' ? [] : ['<style>', ...indented(rules.split('\n')), '</style>'];
}

/** The example URL that a portal's pages get their token from. */
export const TOKEN_ADDRESS = '/pulse-token';

/** A token provider. It throws if the portal responds with an error, because an error page isn't a token. */
export const TOKEN_FUNCTION: readonly string[] = [
  'async () => {',
  `  const response = await fetch('${TOKEN_ADDRESS}');`,
  `  if (!response.ok) throw new Error('${TOKEN_ADDRESS} returned ' + response.status);`,
  '  return response.text();',
  '}',
];

/** The script that gives an element its tokens. */
export function tokenLines(selector: string): readonly string[] {
  const [first, ...rest] = TOKEN_FUNCTION;
  const assignment = [`document.querySelector('${selector}').tokenProvider = ${first}`, ...rest];
  return ['<script type="module">', ...indented(endingWith(assignment, ';')), '</script>'];
}

/** The token provider, preceded by a declaration such as `const fetchToken =`. */
export function tokenProvider(declaration: string): readonly string[] {
  const [first, ...rest] = TOKEN_FUNCTION;
  return endingWith([`${declaration} ${first}`, ...rest], ';');
}

function endingWith(lines: readonly string[], end: string): string[] {
  return lines.map((line, index) => (index === lines.length - 1 ? line + end : line));
}

/** The lines, indented by two more spaces. */
export function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** A JavaScript string literal that can't end the script or open a comment. */
export function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`);
  return `'${escaped.replaceAll(/<(?=[/!])/g, '<\\')}'`;
}

/** The BFF's URL without a trailing slash. */
export function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}
