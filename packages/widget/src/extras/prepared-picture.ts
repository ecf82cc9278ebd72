import type { Pulse } from '../data/pulse.ts';
import { type ActionCard, textsOf, viewOf } from './action-card.ts';
import { cardPicture } from './card-picture.ts';
import { lookOf } from './look.ts';

interface Prepared {
  /** Everything that the picture depends on, except for the chart. */
  readonly key: string;
  readonly picture: Promise<Blob>;
  /** The time at which the picture is made again, in milliseconds since the Unix epoch. */
  retryAtMs: number;
}

const prepared = new WeakMap<Pulse, Prepared>();

/** If a picture can't be made, the next attempt is after this time, so that a moving pointer causes only one request. */
const RETRY_AFTER_MS = 5_000;

/**
 * The picture of a card, made once for the visible content. It is made before a press, because WebKit forgets a press while a picture
 * is made. Rejects if it can't be made.
 */
export function preparedPicture(card: ActionCard): Promise<Blob> {
  const { pulse } = viewOf(card);
  const key = JSON.stringify([textsOf(card), lookOf(card)]);
  const known = prepared.get(pulse);
  if (known?.key === key && Date.now() < known.retryAtMs) return known.picture;
  const entry: Prepared = { key, picture: cardPicture(card), retryAtMs: Infinity };
  prepared.set(pulse, entry);
  entry.picture.catch(() => (entry.retryAtMs = Date.now() + RETRY_AFTER_MS));
  return entry.picture;
}
