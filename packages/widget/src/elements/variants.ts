/** A card's layouts. */
export const VARIANTS = ['card', 'compact', 'chart', 'text'] as const;

/** A card layout. */
export type Variant = (typeof VARIANTS)[number];

/**
 * The height of a collapsed card in each variant, in every state: `chartRatio` times the card's width, plus `em` times
 * its font size.
 */
export const CARD_HEIGHT: Readonly<Record<Variant, { readonly chartRatio: number; readonly em: number }>> = {
  card: { chartRatio: 9 / 16, em: 9.5 },
  compact: { chartRatio: 0, em: 10 },
  chart: { chartRatio: 9 / 16, em: 3 },
  text: { chartRatio: 0, em: 10 },
};

/** The variant that `value` specifies, or `card` if `value` isn't a variant. */
export function variantOf(value: unknown): Variant {
  return VARIANTS.find((variant) => variant === value) ?? 'card';
}

/** An element's color schemes. */
const THEMES = ['auto', 'light', 'dark'] as const;

/** The color scheme that `value` specifies, or `auto` if `value` isn't a scheme. */
export function themeOf(value: unknown): (typeof THEMES)[number] {
  return THEMES.find((theme) => theme === value) ?? 'auto';
}
