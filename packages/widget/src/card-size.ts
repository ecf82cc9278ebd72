/** The ways a card can be laid out. */
export const VARIANTS = ['card', 'compact', 'chart', 'text'] as const;

/** A way a card can be laid out. */
export type Variant = (typeof VARIANTS)[number];

/**
 * The height of each folded card: `chart` is the share of a 16:9 box as wide as the card, `rows` the rest, in `em`.
 * The snippet takes it from here; that the style sheet says the same, a test makes sure.
 */
export const CARD_SIZE: Readonly<Record<Variant, { readonly chart: 0 | 1; readonly rows: number }>> = {
  card: { chart: 1, rows: 12 },
  compact: { chart: 0, rows: 12.75 },
  chart: { chart: 1, rows: 3.75 },
  text: { chart: 0, rows: 12.75 },
};

/** The variant that `value` names, `card` where it names none. */
export function variantOf(value: unknown): Variant {
  return VARIANTS.find((variant) => variant === value) ?? 'card';
}
