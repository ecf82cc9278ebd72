import {
  colorOf,
  type Colors,
  defaultOf,
  derivedColor,
  SCHEMES,
  type Scheme,
  type Swatch,
  type Token,
  TOKENS,
} from './tokens.ts';

/** The settings of a card's look that differ from the defaults. */
export interface Look {
  readonly colors: Colors;
  /** A CSS `font-family`, or an empty string for the page's font. */
  readonly font: string;
  /** The font size relative to the page's font size. Null for the page's font size. */
  readonly sizeEm: number | null;
  readonly cornersEm: number | null;
  /** The space at the sides. If null, this space follows the width of the card. */
  readonly spacingEm: number | null;
  /** Null for no maximum width. */
  readonly maxWidthEm: number | null;
}

/** The default look of a card. */
export const PLAIN_LOOK: Look = {
  colors: {},
  font: '',
  sizeEm: null,
  cornersEm: null,
  spacingEm: null,
  maxWidthEm: null,
};

/** The bounds of a number, in `em`. */
export const RANGES = {
  sizeEm: { min: 0.75, max: 1.5, step: 0.0625 },
  cornersEm: { min: 0, max: 2, step: 0.125 },
  spacingEm: { min: 0.5, max: 2.5, step: 0.125 },
  maxWidthEm: { min: 15, max: 80, step: 1 },
} as const;

/** Font stacks that use fonts installed on readers' machines. `name` is the stack's name in a frame's address. */
export const FONTS: readonly { readonly value: string; readonly label: string; readonly name?: string }[] = [
  { value: '', label: 'Same as page' },
  { value: 'system-ui, sans-serif', label: 'System', name: 'system' },
  { value: "Charter, 'Bitstream Charter', 'Sitka Text', Cambria, Georgia, serif", label: 'Serif', name: 'serif' },
  {
    value: "Avenir, 'Avenir Next', Montserrat, Corbel, 'URW Gothic', sans-serif",
    label: 'Geometric',
    name: 'geometric',
  },
  {
    value: "ui-rounded, 'Hiragino Maru Gothic ProN', Quicksand, Comfortaa, Manjari, sans-serif",
    label: 'Rounded',
    name: 'rounded',
  },
];

/** The ratio of inner to outer corners, as in the card's defaults. */
const INNER_CORNERS = 2 / 3;

/** Changes one color of one scheme. If `color` is null, restores the card's default color. */
export function withColor(look: Look, token: Swatch, scheme: Scheme, color: string | null): Look {
  const { [token]: pair, ...others } = look.colors;
  const { [scheme]: _, ...rest } = pair ?? {};
  const changed = color === null || color === defaultOf(token)[scheme] ? rest : { ...rest, [scheme]: color };
  return { ...look, colors: Object.keys(changed).length === 0 ? others : { ...others, [token]: changed } };
}

/**
 * The look as CSS declarations for the element. A color with two values becomes `light-dark()`. If only one of them was
 * changed, the other is the card's default. A card whose scheme is fixed gets only the value for this scheme.
 */
export function declarationsOf(
  look: Look,
  theme: 'auto' | Scheme,
): readonly (readonly [property: string, value: string])[] {
  const { font, sizeEm, cornersEm, spacingEm, maxWidthEm } = look;
  return [
    ...TOKENS.flatMap((token) => colorDeclaration(look.colors, token, theme)),
    ...(font === '' ? [] : [['--pulse-card-font-family', font] as const]),
    ...(sizeEm === null ? [] : [['font-size', `${sizeEm}em`] as const]),
    ...(cornersEm === null
      ? []
      : ([
          ['--pulse-card-radius', `${cornersEm}em`],
          ['--pulse-card-radius-inner', `${Number((cornersEm * INNER_CORNERS).toFixed(3))}em`],
        ] as const)),
    ...(spacingEm === null ? [] : [['--pulse-card-padding', `${spacingEm}em`] as const]),
    ...(maxWidthEm === null ? [] : [['--pulse-card-max-width', `${maxWidthEm}em`] as const]),
  ];
}

/** The look as a rule for all cards and boards, including their scheme. Empty if nothing was changed. */
export function ruleForAll(look: Look, theme: 'auto' | Scheme): string {
  const scheme = theme === 'auto' ? [] : ([['color-scheme', theme]] as const);
  return ruleText('pulse-card,\npulse-board', [...scheme, ...declarationsOf(look, theme)]);
}

/** The look as a rule for elements that set their scheme with an attribute. Empty if nothing was changed. */
export function ruleOf(look: Look, theme: 'auto' | Scheme, selector: string): string {
  return ruleText(selector, declarationsOf(look, theme));
}

function ruleText(selector: string, declarations: readonly (readonly [property: string, value: string])[]): string {
  const lines = declarations.map(([property, value]) => `  ${property}: ${value};`);
  return lines.length === 0 ? '' : `${selector} {\n${lines.join('\n')}\n}`;
}

/**
 * The look as parameters for a frame's address, which supports colors, corners, and the fonts in `FONTS`. `left` lists
 * the settings that the address doesn't support.
 */
export function frameLookOf(
  { colors, font, sizeEm, cornersEm, spacingEm, maxWidthEm }: Look,
  chartTheme: 'light' | 'auto' = 'light',
): { query: string; left: readonly string[] } {
  const query = new URLSearchParams();
  if (chartTheme !== 'light') query.set('chart-theme', chartTheme);
  const chosenOf = (token: Token) => (scheme: Scheme) =>
    (colors[token]?.[scheme] ?? derivedColor(colors, token, scheme) ?? '').slice(1);
  for (const token of TOKENS) {
    const pair = SCHEMES.map(chosenOf(token));
    if (pair.some(Boolean)) query.set(token, pair.join('.'));
  }
  if (cornersEm !== null) query.set('radius', String(cornersEm));
  const name = FONTS.find(({ value }) => value === font)?.name;
  if (name !== undefined) query.set('font', name);
  const left = [
    ...(font !== '' && name === undefined ? ['font'] : []),
    ...(sizeEm === null ? [] : ['size']),
    ...(spacingEm === null ? [] : ['spacing']),
    ...(maxWidthEm === null ? [] : ['maximum width']),
  ];
  return { query: query.toString(), left };
}

/** The look as the value of a `style` attribute. */
export function styleOf(look: Look, theme: 'auto' | Scheme): string {
  return declarationsOf(look, theme)
    .map(([property, value]) => `${property}: ${value}`)
    .join('; ');
}

function colorDeclaration(colors: Colors, token: Token, theme: 'auto' | Scheme): (readonly [string, string])[] {
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

/** The number of changed colors. */
export function changedColors({ colors }: Look): number {
  return TOKENS.reduce(
    (count, token) => count + SCHEMES.filter((scheme) => colors[token]?.[scheme] !== undefined).length,
    0,
  );
}
