import {
  clampChroma,
  formatHex,
  interpolate,
  modeHsl,
  modeLrgb,
  modeOklab,
  modeOklch,
  modeRgb,
  parse,
  useMode,
  wcagContrast,
} from 'culori/fn';

// Only the color spaces that this file uses are bundled. Parsing named and rgb() colors requires two of them.
useMode(modeRgb);
useMode(modeHsl);
useMode(modeLrgb);
useMode(modeOklab);
const toOklch = useMode(modeOklch);

/** The number of lightness steps to try when searching for a color that passes. */
const LIGHTNESS_STEPS = 200;

/** The highest chroma in a palette's backgrounds and text colors, even if the accent's chroma is higher. */
const TINT = { ground: 0.004, line: 0.009, text: 0.02 } as const;

/** The color as lowercase `#rrggbb`, or undefined if the text isn't an opaque hexadecimal color. */
export function hexOf(text: string): string | undefined {
  const digits = /^#?([\da-f]{3}|[\da-f]{6})$/i.exec(text.trim())?.[1];
  if (digits === undefined) return undefined;
  return `#${(digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits).toLowerCase()}`;
}

/** Any opaque CSS color as `#rrggbb`, or undefined if the string isn't one. */
export function parseColor(text: string): string | undefined {
  const color = parse(hexOf(text) ?? text);
  return color === undefined || (color.alpha ?? 1) < 1 ? undefined : formatHex(color);
}

/** The contrast ratio between two colors, from 1 to 21 (WCAG 2.2). */
export function contrastOf(one: string, other: string): number {
  return wcagContrast(one, other);
}

/** Makes `color` lighter or darker, keeping its hue, until its contrast with `ground` is at least `ratio`. */
export function nearestPassing(color: string, ground: string, ratio: number): string {
  const { l, c, h } = oklchOf(color);
  const steps = Array.from({ length: LIGHTNESS_STEPS + 1 }, (_, step) => step / LIGHTNESS_STEPS);
  const passing = steps
    .toSorted((a, b) => Math.abs(a - l) - Math.abs(b - l))
    .map((lightness) => hex(lightness, c, h))
    .find((candidate) => contrastOf(candidate, ground) >= ratio);
  return contrastOf(color, ground) >= ratio
    ? color
    : (passing ?? (contrastOf('#ffffff', ground) >= contrastOf('#000000', ground) ? '#ffffff' : '#000000'));
}

/** Mixes a `share` (0 to 1) of another color into `color`, in a perceptual color space. */
export function mixed(color: string, other: string, share: number): string {
  return formatHex(interpolate([color, other], 'oklab')(share));
}

/** A light and a dark value. */
export interface ColorPair {
  readonly light: string;
  readonly dark: string;
}

/**
 * The colors that match an accent, for both schemes. All text passes WCAG AA on its background. The other colors are
 * derived from the background.
 */
export function paletteFrom(
  accent: string,
): Readonly<
  Record<'background' | 'color' | 'muted' | 'control' | 'accent', ColorPair> & { plate: Pick<ColorPair, 'dark'> }
> {
  const { l, c, h } = oklchOf(accent);
  const tint = (amount: number) => Math.min(amount, c);
  const darkGround = hex(0.21, tint(TINT.line), h);
  return {
    background: { light: '#ffffff', dark: darkGround },
    color: { light: hex(0.21, tint(TINT.text), h), dark: hex(0.95, tint(TINT.ground), h) },
    muted: { light: hex(0.49, tint(TINT.text), h), dark: hex(0.73, tint(TINT.text), h) },
    control: { light: hex(0.62, tint(TINT.text), h), dark: hex(0.57, tint(TINT.text), h) },
    accent: {
      light: nearestPassing(hex(l, c, h), '#ffffff', 4.5),
      dark: nearestPassing(hex(Math.max(l, 0.76), c, h), darkGround, 4.5),
    },
    plate: { dark: hex(0.91, tint(TINT.ground), h) },
  };
}

function oklchOf(color: string): { l: number; c: number; h: number } {
  const { l, c, h = 0 } = toOklch(parse(color)) ?? { l: 0, c: 0 };
  return { l, c, h };
}

function hex(l: number, c: number, h: number): string {
  return formatHex(clampChroma({ mode: 'oklch', l, c, h }, 'oklch'));
}
