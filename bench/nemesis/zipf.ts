import type { Random } from '../simulator/random.ts';

/** Picks items so that the r-th is as likely as `1 / r^skew`. */
export function zipfPicker<Item>(items: readonly Item[], skew: number, random: Random): () => Item {
  let total = 0;
  const upTo = items.map((_, index) => (total += 1 / (index + 1) ** skew));
  return () => {
    const drawn = random.even() * total;
    return items[upTo.findIndex((edge) => drawn < edge)]!;
  };
}
