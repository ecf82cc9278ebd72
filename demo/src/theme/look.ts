import { FRAME_COLORS, FRAME_FONTS } from '@pulse-card/widget/snippet';
import {
  colorOf,
  type Colors,
  defaultOf,
  derivedColor,
  SCHEMES,
  type Scheme,
  type Swatch,
  type Token,
} from './tokens.ts';

/**
 * The lengths in a look, in the card's `em` units. `words` describes an unset length whose preset would be misleading.
 */
export const MEASURES = {
  sizeEm: { parameter: 'size', label: 'Size', min: 0.75, max: 1.5, step: 0.0625, preset: 1 },
  cornersEm: { parameter: 'corners', label: 'Corners', min: 0, max: 2, step: 0.125, preset: 0.75 },
  spacingEm: { parameter: 'spacing', label: 'Spacing', min: 0.5, max: 2.5, step: 0.125, preset: 1, words: 'By width' },
  maxWidthEm: { parameter: 'max-width', label: 'Max width', min: 15, max: 80, step: 1, preset: 80, words: 'No limit' },
  extraHeightEm: { parameter: 'extra-height', label: 'Extra height', min: 0, max: 6, step: 0.25, preset: 0 },
  headingEm: {
    parameter: 'heading-size',
    label: 'Heading',
    min: 0.875,
    max: 2.5,
    step: 0.0625,
    preset: 1.25,
    words: 'By width',
  },
} as const satisfies Record<string, Measure>;

/** Describes a length in `em`: its parameter in the Studio's URL, its control, and the card's default. */
export interface Measure {
  readonly parameter: string;
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly preset: number;
  readonly words?: string;
}

/** A length's name. */
export type MeasureKey = keyof typeof MEASURES;

/** The heading's font weights. The empty value is the card's default. */
export const WEIGHTS = ['', '400', '500', '700', '800'] as const;

/** The styles of the frame. The empty value is the card's default. */
export const FRAMES = ['', 'none', '2px solid', '1px dashed', '1px dotted'] as const;

/** The toggle's positions in the footer. The empty value is the card's default, the end. */
export const TOGGLES = ['', 'start'] as const;

/** The settings of a card's look that differ from the defaults. A null length means the card's default. */
export interface Look extends Readonly<Record<MeasureKey, number | null>> {
  readonly colors: Colors;
  /** A CSS `font-family`, or an empty string for the page's font. */
  readonly font: string;
  readonly weight: (typeof WEIGHTS)[number];
  readonly frame: (typeof FRAMES)[number];
  readonly toggle: (typeof TOGGLES)[number];
}

/** The default look of a card. */
export const PLAIN_LOOK: Look = {
  colors: {},
  font: '',
  weight: '',
  frame: '',
  toggle: '',
  sizeEm: null,
  cornersEm: null,
  spacingEm: null,
  maxWidthEm: null,
  extraHeightEm: null,
  headingEm: null,
};

/** The fonts to choose from. `name` is a font's name in a frame's URL. */
export const FONTS: readonly { readonly value: string; readonly label: string; readonly name?: string }[] = [
  { value: '', label: 'Same as page' },
  ...Object.entries(FRAME_FONTS).map(([name, value]) => ({
    value,
    label: name.replace(/^./, (letter) => letter.toUpperCase()),
    name,
  })),
];

/** The ratio of inner to outer corner radius, as in the card's defaults. */
const INNER_CORNERS = 2 / 3;

/** Changes one color of one scheme. If `color` is null, restores the card's default color. */
export function withColor(look: Look, token: Swatch, scheme: Scheme, color: string | null): Look {
  const { [token]: pair, ...others } = look.colors;
  const { [scheme]: _, ...rest } = pair ?? {};
  const changed = color === null || color === defaultOf(token)[scheme] ? rest : { ...rest, [scheme]: color };
  return { ...look, colors: Object.keys(changed).length === 0 ? others : { ...others, [token]: changed } };
}

/** A CSS property and its value. */
export type Declaration = readonly [property: string, value: string];

/**
 * The look as CSS declarations for the element. A color with two values becomes `light-dark()`. If only one of them was
 * changed, the other is the card's default. If the card's scheme is fixed, only that scheme's color is used.
 */
export function declarationsOf(look: Look, theme: 'auto' | Scheme): readonly Declaration[] {
  const { font, sizeEm, cornersEm, spacingEm, maxWidthEm, extraHeightEm, frame, toggle } = look;
  const inner = cornersEm === null ? null : Number((cornersEm * INNER_CORNERS).toFixed(3));
  return [
    ...FRAME_COLORS.flatMap((token) => colorDeclaration(look.colors, token, theme)),
    ...set('--pulse-card-font-family', font),
    ...set('font-size', sizeEm, 'em'),
    ...set('--pulse-card-radius', cornersEm, 'em'),
    ...set('--pulse-card-radius-inner', inner, 'em'),
    ...set('--pulse-card-padding', spacingEm, 'em'),
    ...set('--pulse-card-max-width', maxWidthEm, 'em'),
    ...set('--pulse-card-extra-height', extraHeightEm, 'em'),
    ...set('--pulse-card-frame', frame),
    ...set('--pulse-card-toggle-order', toggle && '-1'),
  ];
}

/** The heading's look as CSS declarations for `::part(heading)`. */
export function headingDeclarationsOf({ headingEm, weight }: Look): readonly Declaration[] {
  return [...set('font-size', headingEm, 'em'), ...set('font-weight', weight)];
}

/** The look as CSS declarations for an element in the Studio, whose style sheet applies `--heading-…` to the heading. */
export function shownDeclarationsOf(look: Look, theme: 'auto' | Scheme): readonly Declaration[] {
  const heading = headingDeclarationsOf(look).map(([property, value]): Declaration => [`--heading-${property}`, value]);
  return [...declarationsOf(look, theme), ...heading];
}

function set(property: string, value: string | number | null, unit = ''): Declaration[] {
  return value === null || value === '' ? [] : [[property, `${value}${unit}`]];
}

/** The look, as CSS rules for all cards and boards, including their scheme. Empty if nothing was changed. */
export function rulesForAll(look: Look, theme: 'auto' | Scheme): string {
  const scheme = theme === 'auto' ? [] : ([['color-scheme', theme]] as const);
  return rulesText(['pulse-card', 'pulse-board'], [...scheme, ...declarationsOf(look, theme)], look);
}

/** The look, as CSS rules for elements that set their scheme with an attribute. Empty if nothing was changed. */
export function rulesOf(look: Look, theme: 'auto' | Scheme, selector: string): string {
  return rulesText([selector], declarationsOf(look, theme), look);
}

/** The CSS rule for the heading, which a `style` attribute can't express. Empty if nothing was changed. */
export function headingRuleOf(look: Look, selector: string): string {
  return ruleText([`${selector}::part(heading)`], headingDeclarationsOf(look));
}

function rulesText(selectors: readonly string[], declarations: readonly Declaration[], look: Look): string {
  const heading = selectors.map((selector) => `${selector}::part(heading)`);
  return [ruleText(selectors, declarations), ruleText(heading, headingDeclarationsOf(look))].filter(Boolean).join('\n');
}

function ruleText(selectors: readonly string[], declarations: readonly Declaration[]): string {
  const lines = declarations.map(([property, value]) => `  ${property}: ${value};`);
  return lines.length === 0 ? '' : `${selectors.join(',\n')} {\n${lines.join('\n')}\n}`;
}

/**
 * The look as parameters for a frame's URL, which supports colors, corners, and the fonts in `FONTS`. `left` lists
 * the settings that the URL doesn't support.
 */
export function frameLookOf(
  look: Look,
  chartTheme: 'light' | 'auto' = 'light',
): { query: string; left: readonly string[] } {
  const { colors, font, cornersEm, weight, frame, toggle } = look;
  const query = new URLSearchParams();
  if (chartTheme !== 'light') query.set('chart-theme', chartTheme);
  const chosenOf = (token: Token) => (scheme: Scheme) =>
    (colors[token]?.[scheme] ?? derivedColor(colors, token, scheme) ?? '').slice(1);
  for (const token of FRAME_COLORS) {
    const pair = SCHEMES.map(chosenOf(token));
    if (pair.some(Boolean)) query.set(token, pair.join('.'));
  }
  if (cornersEm !== null) query.set('radius', String(cornersEm));
  const name = FONTS.find(({ value }) => value === font)?.name;
  if (name !== undefined) query.set('font', name);
  const measures = (Object.keys(MEASURES) as MeasureKey[]).filter((key) => key !== 'cornersEm' && look[key] !== null);
  const left = [
    ...(font !== '' && name === undefined ? ['font'] : []),
    ...measures.map((key) => MEASURES[key].label.toLowerCase()),
    ...(weight === '' ? [] : ['heading weight']),
    ...(frame === '' ? [] : ['frame']),
    ...(toggle === '' ? [] : ['toggle position']),
  ];
  return { query: query.toString(), left };
}

/** The part of a look that a frame's URL can express. Without a font in the URL, a frame uses the system's. */
export function frameLook({ colors, font, cornersEm }: Look): Look {
  const isNamed = FONTS.some(({ value, name }) => name !== undefined && value === font);
  return { ...PLAIN_LOOK, colors, cornersEm, font: isNamed ? font : FRAME_FONTS.system };
}

/** The look as the value of a `style` attribute. */
export function styleOf(look: Look, theme: 'auto' | Scheme): string {
  return declarationsOf(look, theme)
    .map(([property, value]) => `${property}: ${value}`)
    .join('; ');
}

function colorDeclaration(colors: Colors, token: Token, theme: 'auto' | Scheme): Declaration[] {
  const isSet = (scheme: Scheme) => (colors[token]?.[scheme] ?? derivedColor(colors, token, scheme)) !== undefined;
  const property = `--pulse-card-${token}`;
  if (theme !== 'auto') return isSet(theme) ? [[property, colorOf(colors, token, theme)]] : [];
  if (!SCHEMES.some(isSet)) return [];
  const [light, dark] = SCHEMES.map((scheme) => colorOf(colors, token, scheme));
  return [[property, light === dark ? `${light}` : `light-dark(${light}, ${dark})`]];
}

/** The look with a palette's colors. The page around the card stays the same. */
export function withPalette(look: Look, palette: Colors): Look {
  const { page } = look.colors;
  return { ...look, colors: { ...palette, ...(page && { page }) } };
}

/** How many colors were changed. */
export function changedColors({ colors }: Look): number {
  return FRAME_COLORS.reduce(
    (count, token) => count + SCHEMES.filter((scheme) => colors[token]?.[scheme] !== undefined).length,
    0,
  );
}
