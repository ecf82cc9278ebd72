import { createHash } from 'node:crypto';

/** The colours of a card that an address may set. */
export const FRAME_COLOURS = [
  'background',
  'color',
  'muted',
  'accent',
  'warning',
  'border',
  'plate',
  'control',
  'surface',
  'warning-surface',
  'neutral',
  'neutral-surface',
] as const;

/** Fonts that readers have, by the name that an address may use. */
const FONTS = {
  system: 'system-ui, sans-serif',
  serif: "Charter, 'Bitstream Charter', 'Sitka Text', Cambria, Georgia, serif",
  geometric: "Avenir, 'Avenir Next', Montserrat, Corbel, 'URW Gothic', sans-serif",
  rounded: "ui-rounded, 'Hiragino Maru Gothic ProN', Quicksand, Comfortaa, Manjari, sans-serif",
} as const;

/** The names of these fonts. */
export const FRAME_FONTS = ['system', 'serif', 'geometric', 'rounded'] as const satisfies (keyof typeof FONTS)[];

/** The widest corners, in `em`. */
export const MAX_RADIUS_EM = 3;

/** The inner corners are as round as the card's own are to its outer ones. */
const INNER_RADIUS = 2 / 3;

/** One colour for both schemes, or one for each: 3, 6 or 8 hexadecimal digits. */
const HEX = '(?:[\\da-f]{8}|[\\da-f]{6}|[\\da-f]{3})';
const COLOUR = new RegExp(`^(?:(${HEX})|(${HEX})?\\.(${HEX})?)$`, 'i');

/** Whether charts stay light or go dark with their page. */
export const CHART_THEMES = ['light', 'auto'] as const;

export type ChartTheme = (typeof CHART_THEMES)[number];

type Declaration = readonly [property: string, value: string];

/** The look of a page for a frame, written anew from what its address says. */
export interface FrameTheme {
  readonly css: string;
  /** The parameters that were understood. */
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** Reads a look from the address of a page for a frame; undefined where it has none. What is not understood is ignored. */
export function frameThemeOf(query: URLSearchParams): FrameTheme | undefined {
  const understood: [string, string][] = [];
  const light: Declaration[] = [];
  const dark: Declaration[] = [];
  for (const name of FRAME_COLOURS) {
    const [, both, ofLight = both, ofDark = both] = COLOUR.exec(query.get(name)?.toLowerCase() ?? '') ?? [];
    if (ofLight !== undefined) light.push([name, `#${ofLight}`]);
    if (ofDark !== undefined) dark.push([name, `#${ofDark}`]);
    if (ofLight ?? ofDark) understood.push([name, both ?? `${ofLight ?? ''}.${ofDark ?? ''}`]);
  }
  const plain = [...radiusOf(query, understood), ...fontOf(query, understood)];
  const css = sheetOf(schemeOf(query), light, dark, plain);
  return css === '' ? undefined : { css, query: understood };
}

/** The parameters of a look, for the address of a frame; empty without one. */
export function frameThemeQuery(theme: FrameTheme | undefined, chartTheme: ChartTheme = 'light'): string {
  const query = new URLSearchParams();
  if (chartTheme !== 'light') query.set('chart-theme', chartTheme);
  for (const [name, value] of theme?.query ?? []) query.set(name, value);
  return query.toString();
}

/** What a policy calls the style sheet of a look. */
export function styleHashOf({ css }: FrameTheme): string {
  return `'sha256-${createHash('sha256').update(css).digest('base64')}'`;
}

function schemeOf(query: URLSearchParams): 'light' | 'dark' | 'auto' {
  const theme = query.get('theme');
  return theme === 'light' || theme === 'dark' ? theme : 'auto';
}

function radiusOf(query: URLSearchParams, understood: [string, string][]): Declaration[] {
  const text = query.get('radius') ?? '';
  const radius = /^\d(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(radius <= MAX_RADIUS_EM)) return [];
  understood.push(['radius', String(radius)]);
  return [
    ['radius', `${radius}em`],
    ['radius-inner', `${Number((radius * INNER_RADIUS).toFixed(3))}em`],
  ];
}

function fontOf(query: URLSearchParams, understood: [string, string][]): Declaration[] {
  const name = FRAME_FONTS.find((font) => font === query.get('font'));
  if (name === undefined) return [];
  understood.push(['font', name]);
  return [['font-family', FONTS[name]]];
}

function sheetOf(
  scheme: 'light' | 'dark' | 'auto',
  light: readonly Declaration[],
  dark: readonly Declaration[],
  plain: readonly Declaration[],
): string {
  if (scheme === 'light') return ruleOf([...light, ...plain]);
  if (scheme === 'dark') return ruleOf([...dark, ...plain]);
  const isInBoth = ([name, value]: Declaration) => dark.some(([other, same]) => other === name && same === value);
  const both = light.filter(isInBoth);
  const alone = (declarations: readonly Declaration[]) =>
    declarations.filter(([name]) => !both.some(([shared]) => shared === name));
  return [
    ruleOf([...both, ...plain]),
    mediaOf('light', ruleOf(alone(light))),
    mediaOf('dark', ruleOf(alone(dark))),
  ].join('');
}

function mediaOf(scheme: string, rule: string): string {
  return rule === '' ? '' : `@media(prefers-color-scheme:${scheme}){${rule}}`;
}

function ruleOf(declarations: readonly Declaration[]): string {
  if (declarations.length === 0) return '';
  return `:root{${declarations.map(([name, value]) => `--pulse-card-${name}:${value}`).join(';')}}`;
}
