import { create } from '../dom.ts';
import type { ShownCard } from '../elements/pulse-card/shown-card.ts';

/** The name of a slot that doesn't exist, so that browsers never show the content. */
export const READER_SLOT = 'reader';

/**
 * Writes the card's name, label, image, and link into its light DOM, unless the page provides content or the card is
 * private. Reader modes don't see shadow roots, so the card would disappear without this content.
 */
export function writeReaderCopy({ host, shown }: ShownCard): void {
  host.querySelector(`:scope > [slot=${READER_SLOT}]`)?.remove();
  if (!shown?.permalink || shown.hasFallback || host.pulse || shown.listing) return;
  const { variant, pulse, name = shown.messages.chart, aiLabel, permalink } = shown;
  const page = host.ownerDocument;
  const figure = Object.assign(create('figure', page), { slot: READER_SLOT });
  // The browser never requests a lazy image that isn't shown.
  const image = { loading: 'lazy', referrerPolicy: 'no-referrer', alt: '', src: pulse.imageUrl };
  if (pulse.imageUrl && (variant === 'card' || variant === 'chart'))
    figure.append(Object.assign(create('img', page), image));
  figure.append(Object.assign(create('a', page), { href: permalink, textContent: name }), ` ${aiLabel}`);
  host.append(figure);
}
