import type { FRAME_COLORS } from '@pulse-card/widget/snippet';
import { propertyPreset } from '../studio/card-attributes.ts';
import { type ColorPair, contrastOf, hexOf, mixed, nearestPassing } from './color.ts';

/** One of the card's colors. */
export type Token = (typeof FRAME_COLORS)[number];

/** One of the card's colors, or a color of the page around it in the Studio. */
export type Swatch = Token | 'page';

/** A color scheme's name. */
export type Scheme = 'light' | 'dark';

/** The two schemes, light first. */
export const SCHEMES: readonly Scheme[] = ['light', 'dark'];

/** The chosen colors. All other colors are the card's defaults. */
export type Colors = Readonly<Partial<Record<Swatch, Readonly<Partial<ColorPair>>>>>;

/** The colors' labels. */
export const TOKEN_NAMES: Readonly<Record<Swatch, string>> = {
  background: 'Background',
  color: 'Text',
  muted: 'Muted',
  accent: 'Accent',
  warning: 'Warning',
  border: 'Border',
  plate: 'Chart background',
  control: 'Button edge',
  surface: 'Surface',
  'warning-surface': 'Warning background',
  neutral: 'Draft',
  'neutral-surface': 'Draft background',
  page: 'Page',
};

/** The backgrounds that a color must contrast with to meet WCAG AA. */
interface ContrastRule {
  readonly ground: Token;
  readonly ratio: number;
  /** What the color is used for. */
  readonly use: string;
  /** The name of the color behind it. */
  readonly groundWords: string;
}

const RULES: Readonly<Partial<Record<Token, ContrastRule>>> = {
  color: { ground: 'background', ratio: 4.5, use: 'Text needs', groundWords: 'the background' },
  muted: { ground: 'background', ratio: 4.5, use: 'Text needs', groundWords: 'the background' },
  accent: { ground: 'background', ratio: 4.5, use: 'Links need', groundWords: 'the background' },
  control: { ground: 'background', ratio: 3, use: 'Buttons need', groundWords: 'the background' },
  warning: { ground: 'warning-surface', ratio: 4.5, use: 'Badges need', groundWords: 'its ground' },
  neutral: { ground: 'neutral-surface', ratio: 4.5, use: 'Badges need', groundWords: 'its ground' },
};

/** The darkest background on which a chart is still readable. */
const DARKEST_PLATE = '#c8ccd4';

/** A color with enough contrast. */
export interface Suggestion {
  readonly color: string;
  /** Its contrast ratio, as text. */
  readonly words: string;
}

/** A color's contrast in a scheme. */
export interface Contrast {
  /**
   * The contrast ratio with its background, from 1 to 21, with one decimal place. Empty if the contrast isn't measured.
   */
  readonly text: string;
  readonly passes: boolean;
  /** One sentence with the actual and the required ratio. */
  readonly words: string;
  /** The nearest color that passes, if this color doesn't. */
  readonly suggestion: Suggestion | undefined;
}

/** The page color in the design. */
const OWN_PAGE: ColorPair = { light: '#f5f6f8', dark: '#0d0f13' };

/** How much of the text color is mixed into the background for surfaces and borders, as in the card's defaults. */
const SHARES = { surface: { light: 0.045, dark: 0.035 }, border: { light: 0.105, dark: 0.12 } } as const;

/** The card's default for a color. */
export function defaultOf(token: Swatch): ColorPair {
  if (token === 'page') return OWN_PAGE;
  const preset = propertyPreset(`--pulse-card-${token}`);
  const [light = '#000000', dark = light] = (preset.match(/#[\da-f]{3,6}/gi) ?? []).flatMap(
    (text) => hexOf(text) ?? [],
  );
  return { light, dark };
}

/**
 * The visible color: the chosen color, or else the color derived from the chosen background, or else the card's
 * default.
 */
export function colorOf(colors: Colors, token: Swatch, scheme: Scheme): string {
  return colors[token]?.[scheme] ?? derivedColor(colors, token, scheme) ?? defaultOf(token)[scheme];
}

/**
 * The color that is derived from a chosen background, for the chart background, the skeleton, and the border. Undefined
 * for other colors.
 */
export function derivedColor(colors: Colors, token: Swatch, scheme: Scheme): string | undefined {
  const background = colors.background?.[scheme];
  if (background === undefined) return undefined;
  if (token === 'plate') return scheme === 'light' && plateContrast(background) === undefined ? background : undefined;
  if (token !== 'surface' && token !== 'border') return undefined;
  return mixed(background, colorOf(colors, 'color', scheme), SHARES[token][scheme]);
}

/** A color's contrast with its background. Undefined for decorative colors. */
export function contrastFor(colors: Colors, token: Swatch, scheme: Scheme): Contrast | undefined {
  const color = colorOf(colors, token, scheme);
  if (token === 'plate') return plateContrast(color);
  const rule = token === 'page' ? undefined : RULES[token];
  if (rule === undefined) return undefined;
  const ground = colorOf(colors, rule.ground, scheme);
  const ratio = contrastOf(color, ground);
  const passes = ratio >= rule.ratio;
  const measured = `${ratioText(ratio, rule.ratio)} : 1 on ${rule.groundWords}.`;
  return {
    text: ratioText(ratio, rule.ratio),
    passes,
    words: passes ? `${measured} Passes AA, which needs ${rule.ratio}.` : `${measured} ${rule.use} ${rule.ratio} (AA).`,
    suggestion: passes ? undefined : suggestionFor(color, ground, rule.ratio),
  };
}

/** Formats a ratio with one decimal place. A ratio that fails is never rounded up to the required ratio. */
export function ratioText(ratio: number, needed: number = 0): string {
  const rounded = Math.round(ratio * 10) / 10;
  return (ratio < needed && rounded >= needed ? Math.floor(ratio * 10) / 10 : rounded).toFixed(1);
}

function suggestionFor(color: string, ground: string, needed: number): Suggestion {
  const found = nearestPassing(color, ground, needed);
  return { color: found, words: `${ratioText(contrastOf(found, ground))} : 1` };
}

function plateContrast(color: string): Contrast | undefined {
  const [own, darkest] = [contrastOf(color, '#000000'), contrastOf(DARKEST_PLATE, '#000000')];
  if (own >= darkest) return undefined;
  return {
    text: '',
    passes: false,
    words: `Too dark: charts are hard to see on a background darker than ${DARKEST_PLATE}.`,
    suggestion: { color: nearestPassing(color, '#000000', darkest), words: '' },
  };
}
