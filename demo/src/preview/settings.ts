import { directionOf } from './languages.ts';
import type { Theme } from '../themes/themes.ts';

/** What is shown: the card's attributes and custom properties, and how wide its place is. */
export interface Settings {
  readonly attributes: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, string>>;
  /** Pixels; null takes what there is. */
  readonly width: number | null;
}

/** The narrowest and the widest place that a card is made for, in pixels. */
export const WIDTHS = { min: 240, max: 1200 } as const;

/** Writes settings as a query, so that what is shown can be sent to someone. */
export function queryOf({ attributes, properties, width }: Settings): string {
  const query = new URLSearchParams({ ...attributes, ...properties });
  if (width !== null) query.set('width', String(width));
  return query.toString();
}

/** Reads settings back from a query; attributes that are not in `known` are left out. */
export function settingsOf(query: string, known: readonly string[]): Settings {
  const entries = [...new URLSearchParams(query)];
  const width = Number(entries.find(([name]) => name === 'width')?.[1] ?? Number.NaN);
  return {
    attributes: Object.fromEntries(entries.filter(([name]) => known.includes(name))),
    properties: Object.fromEntries(entries.filter(([name]) => name.startsWith('--pulse-card-'))),
    width: width >= WIDTHS.min && width <= WIDTHS.max ? width : null,
  };
}

/** Settings with one attribute changed; null takes it away. */
export function withAttribute(settings: Settings, name: string, value: string | null): Settings {
  return { ...settings, attributes: changed(settings.attributes, name, value) };
}

/** Settings with one custom property changed; null or an empty text takes it away. */
export function withProperty(settings: Settings, name: string, value: string | null): Settings {
  return { ...settings, properties: changed(settings.properties, name, value === '' ? null : value) };
}

function changed(record: Readonly<Record<string, string>>, name: string, value: string | null): Record<string, string> {
  const { [name]: _, ...rest } = record;
  return value === null ? rest : { ...rest, [name]: value };
}

/** Settings with a language around the card, and the direction that it is written in. */
export function withLanguage(settings: Settings, language: string | null): Settings {
  const isRightToLeft = language !== null && directionOf(language) === 'rtl';
  return withAttribute(withAttribute(settings, 'lang', language), 'dir', isRightToLeft ? 'rtl' : null);
}

/** Settings with the custom properties of a look, and the scheme that it was made for. */
export function withLook(settings: Settings, { scheme, properties }: Pick<Theme, 'scheme' | 'properties'>): Settings {
  return withAttribute({ ...settings, properties }, 'theme', scheme === 'auto' ? null : scheme);
}
