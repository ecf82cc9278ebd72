import { createHash } from 'node:crypto';
import { FRAME_COLORS, FRAME_FONTS } from '@pulse-card/widget/snippet';

/** The largest corner radius, in `em`. */
export const MAX_RADIUS_EM = 3;

/** The ratio of inner to outer corner radius. The card's own styles use the same ratio. */
const INNER_RADIUS = 2 / 3;

/** One color for both color schemes, or one for each. A color has 3, 6, or 8 hexadecimal digits. */
const HEX = '(?:[\\da-f]{8}|[\\da-f]{6}|[\\da-f]{3})';
const COLOR = new RegExp(`^(?:(${HEX})|(${HEX})?\\.(${HEX})?)$`, 'i');

/** Whether charts stay light or become dark with the page. */
export const CHART_THEMES = ['light', 'auto'] as const;

/** Whether a page is light, is dark, or follows the reader's system setting. */
const THEMES = ['auto', 'light', 'dark'] as const;

/** The style of a frame page, which is rebuilt from the page's URL. */
export type FrameTheme = ReturnType<typeof frameThemeOf>;

/** Reads a frame page's style from its URL. Unknown values are ignored. */
export function frameThemeOf(query: URLSearchParams) {
  const theme = THEMES.find((name) => name === query.get('theme')) ?? 'auto';
  const chartTheme = CHART_THEMES.find((name) => name === query.get('chart-theme')) ?? 'light';
  const understood = new URLSearchParams(chartTheme === 'light' ? {} : { 'chart-theme': chartTheme });
  const [light, dark, plain]: [Declarations, Declarations, Declarations] = [{}, {}, {}];
  for (const name of FRAME_COLORS) {
    const [text, both, ofLight = both, ofDark = both] = COLOR.exec(query.get(name)?.toLowerCase() ?? '') ?? [];
    if (ofLight !== undefined) light[name] = `#${ofLight}`;
    if (ofDark !== undefined) dark[name] = `#${ofDark}`;
    if (ofLight ?? ofDark) understood.set(name, text ?? '');
  }
  const radius = radiusIn(query.get('radius') ?? '');
  if (radius !== undefined) {
    understood.set('radius', String(radius));
    plain['radius'] = `${radius}em`;
    plain['radius-inner'] = `${Number((radius * INNER_RADIUS).toFixed(3))}em`;
  }
  const [font, family] = Object.entries(FRAME_FONTS).find(([name]) => name === query.get('font')) ?? [];
  if (font && family) {
    understood.set('font', font);
    plain['font-family'] = family;
  }
  const css =
    theme === 'auto'
      ? ruleOf(plain) + mediaOf('light', ruleOf(light)) + mediaOf('dark', ruleOf(dark))
      : ruleOf({ ...(theme === 'light' ? light : dark), ...plain });
  // `css` is empty for the card's default style. `query`: the recognized parameters for a frame's URL, except `theme`.
  return { theme, chartTheme, css, query: understood.toString() };
}

/** Values by property name, without the prefix of the card's properties. */
type Declarations = Record<string, string>;

/** A style sheet's hash, in the form that a Content-Security-Policy requires. */
export function styleHashOf(css: string): string {
  return `'sha256-${createHash('sha256').update(css).digest('base64')}'`;
}

function radiusIn(text: string): number | undefined {
  return /^\d(?:\.\d{1,3})?$/.test(text) && Number(text) <= MAX_RADIUS_EM ? Number(text) : undefined;
}

function mediaOf(scheme: string, rule: string): string {
  return rule === '' ? '' : `@media(prefers-color-scheme:${scheme}){${rule}}`;
}

function ruleOf(declarations: Declarations): string {
  const lines = Object.entries(declarations).map(([name, value]) => `--pulse-card-${name}:${value}`);
  return lines.length === 0 ? '' : `:root{${lines.join(';')}}`;
}
