import type { Pulse } from '../data/pulse.ts';
import type { ShownCard } from '../elements/pulse-card/shown-card.ts';
import { textsOf, viewOf } from './action-card.ts';
import { cardPicture } from './card-picture.ts';
import { lookOf } from './look.ts';

interface Prepared {
  /** Everything that the image depends on, except for the chart. */
  readonly key: string;
  readonly picture: Promise<Blob>;
  /** The time from which the image can be created again, in milliseconds since the Unix epoch. */
  retryAtMs: number;
}

const prepared = new WeakMap<Pulse, Prepared>();

/** How long to wait after an image couldn't be created, so that a moving pointer causes only one request. */
const RETRY_AFTER_MS = 5_000;

/**
 * A card's image, created once for the visible content. The image is created before a press, because WebKit forgets
 * a press while an image is created. Rejects if the image can't be created.
 */
export function preparedPicture(card: ShownCard): Promise<Blob> {
  const { pulse } = viewOf(card);
  const key = JSON.stringify([textsOf(card), lookOf(card)]);
  const known = prepared.get(pulse);
  if (known?.key === key && Date.now() < known.retryAtMs) return known.picture;
  const entry: Prepared = { key, picture: cardPicture(card), retryAtMs: Infinity };
  prepared.set(pulse, entry);
  entry.picture.catch(() => (entry.retryAtMs = Date.now() + RETRY_AFTER_MS));
  return entry.picture;
}
