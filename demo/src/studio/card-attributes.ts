import manifest from '@pulse-card/widget/custom-elements.json' with { type: 'json' };

/** An attribute of the card that the Studio can set. Its values are strings; a switch is `true` or `false`. */
export interface CardAttribute {
  readonly name: string;
  /** The property with the same value, such as `headingLevel`. */
  readonly property: string;
  readonly description: string;
  readonly kind: 'switch' | 'choice' | 'number' | 'text';
  /** The possible values of a choice. */
  readonly values: readonly string[];
  /** The card's default. */
  readonly preset: string;
}

/** The attributes that the Studio sets differently and those that only pages and servers set. */
const SET_ELSEWHERE: ReadonlySet<string> = new Set([
  'source-id',
  'base-url',
  'lang',
  'ai-reviewed-run',
  'token',
  'defer-hydration',
  'data-public',
  'fill',
]);

/** The part of `custom-elements.json` (schema 2) that the Studio reads. */
interface Manifest {
  readonly modules: readonly { readonly declarations?: readonly Declaration[] }[];
}

interface Declaration {
  readonly tagName?: string;
  readonly attributes?: readonly Entry[];
  readonly cssProperties?: readonly Entry[];
}

interface Entry {
  readonly name: string;
  readonly fieldName?: string;
  readonly type?: { readonly text: string };
  readonly default?: string;
  readonly description?: string;
}

const CARD = (manifest as Manifest).modules
  .flatMap(({ declarations = [] }) => declarations)
  .find(({ tagName }) => tagName === 'pulse-card');

/** The attributes in the widget's manifest. New attributes there don't require changes in the Studio. */
export const CARD_ATTRIBUTES: readonly CardAttribute[] = (CARD?.attributes ?? [])
  .filter(({ name }) => !SET_ELSEWHERE.has(name))
  .map(attributeOf);

/** The default value of one of the card's custom properties. Empty if there is none. */
export function propertyPreset(name: string): string {
  return CARD?.cssProperties?.find((property) => property.name === name)?.default ?? '';
}

function attributeOf({ name, fieldName = name, type, default: preset = '', description = '' }: Entry): CardAttribute {
  const words = (type?.text ?? 'string').split('|').map((word) => word.trim());
  const values = words.flatMap((word) => /^['"](.*)['"]$/.exec(word)?.[1] ?? []);
  const kind =
    values.length > 1 ? 'choice' : words.includes('boolean') ? 'switch' : words.includes('number') ? 'number' : 'text';
  const text = preset.replaceAll(/^['"`]|['"`]$/g, '');
  return { name, property: fieldName, description, kind, values, preset: kind === 'switch' ? text || 'false' : text };
}
