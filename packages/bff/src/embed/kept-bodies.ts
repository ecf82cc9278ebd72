import { LRUCache } from 'lru-cache';
import type { Card } from '../cache/port.ts';
import { PreparedBody } from '../http/prepared-body.ts';

/** What a visitor who asks for every form of every source can make us keep. */
const KEPT = { most: 500, bytes: 16 * 1024 * 1024 };

/** Forms beside the plain one, with room for their compression. */
const BYTES_PER_CHARACTER = 2;

interface Kept {
  readonly card: Card;
  readonly stale: boolean;
  readonly characters: number;
  readonly body: PreparedBody;
}

/** Bodies that were made of cards, in several forms: kept while the card is the same, the least asked for given up first. */
export class KeptBodies {
  readonly #contentType: string;
  readonly #kept = new LRUCache<string, Kept>({
    max: KEPT.most,
    maxSize: KEPT.bytes,
    sizeCalculation: ({ characters }, form) => (form.length + characters) * BYTES_PER_CHARACTER,
  });

  constructor(contentType: string) {
    this.#contentType = contentType;
  }

  /** The body of `card` in `form`; `make` is called where it is not there. */
  body(card: Card, stale: boolean, form: string, make: () => string): PreparedBody {
    const name = `${card.sourceId} ${form}`;
    const kept = this.#kept.get(name);
    if (kept?.card === card && kept.stale === stale) return kept.body;
    const text = make();
    const body = new PreparedBody(text, this.#contentType);
    this.#kept.set(name, { card, stale, characters: text.length, body });
    return body;
  }
}
