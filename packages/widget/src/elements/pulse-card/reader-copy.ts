import { create } from '../../dom.ts';

/** The name of a slot that doesn't exist, so that browsers never show the content. */
export const READER_SLOT = 'reader';

/** The parts of a card that readers can see in a reader mode. */
export interface ReaderFacts {
  readonly name: string;
  /** "AI-generated". */
  readonly note: string;
  readonly imageUrl: string | null;
  /** The card's page. */
  readonly url: string;
}

/**
 * Writes the card's name, label, picture, and link into its light DOM, or removes them if there are no `facts`. A
 * reader mode doesn't see shadow roots, so without this content the card would disappear.
 */
export function writeReaderCopy(card: Element, facts?: ReaderFacts): void {
  card.querySelector(`:scope > [slot=${READER_SLOT}]`)?.remove();
  if (!facts) return;
  const { name, note, imageUrl, url } = facts;
  const page = card.ownerDocument;
  const figure = Object.assign(create('figure', page), { slot: READER_SLOT });
  // The browser never requests a lazy picture that isn't shown.
  const image = { loading: 'lazy', referrerPolicy: 'no-referrer', alt: '', src: imageUrl };
  if (imageUrl) figure.append(Object.assign(create('img', page), image));
  figure.append(Object.assign(create('a', page), { href: url, textContent: name }), ` ${note}`);
  card.append(figure);
}
