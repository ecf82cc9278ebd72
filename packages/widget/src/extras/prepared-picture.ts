import type { Pulse } from '../data/pulse.ts';
import type { ShownCard } from '../elements/pulse-card/shown-card.ts';
import { textsOf, viewOf } from './action-card.ts';
import { cardPicture } from './card-picture.ts';
import { lookOf } from './look.ts';

interface Prepared {
  /** Everything that the image depends on, except for the chart. */
  readonly key: string;
  readonly picture: Promise<Blob>;
}

const prepared = new WeakMap<Pulse, Prepared>();

/**
 * A card's image, created once for the visible content. It is created before the click, because by the time an image is
 * ready, WebKit no longer counts the click as a user action. Rejects if the image can't be created.
 */
export function preparedPicture(card: ShownCard): Promise<Blob> {
  const { pulse } = viewOf(card);
  const key = JSON.stringify([textsOf(card), lookOf(card)]);
  const known = prepared.get(pulse);
  if (known?.key === key) return known.picture;
  const picture = cardPicture(card);
  prepared.set(pulse, { key, picture });
  // The next click tries again.
  picture.catch(() => prepared.delete(pulse));
  return picture;
}
