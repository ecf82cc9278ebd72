import { LRUCache } from 'lru-cache';
import type { SourceSnapshot } from '../cache/port.ts';
import { Representation } from '../http/representation.ts';

/** What a visitor who asks for every form of every source can make us keep. */
const CAPACITY = { max: 500, bytes: 16 * 1024 * 1024 };

/** Forms beside the plain one, with room for their compression. */
const BYTES_PER_CHARACTER = 2;

interface CacheEntry {
  readonly snapshot: SourceSnapshot;
  readonly stale: boolean;
  readonly characters: number;
  readonly body: Representation;
}

/** Bodies that were made of cards, in several forms: kept while the card is the same, the least asked for given up first. */
export class RepresentationCache {
  readonly #contentType: string;
  readonly #cached = new LRUCache<string, CacheEntry>({
    max: CAPACITY.max,
    maxSize: CAPACITY.bytes,
    sizeCalculation: ({ characters }, form) => (form.length + characters) * BYTES_PER_CHARACTER,
  });

  constructor(contentType: string) {
    this.#contentType = contentType;
  }

  /** The body of `card` in `form`; `make` is called where it is not there. */
  body(snapshot: SourceSnapshot, stale: boolean, form: string, make: () => string): Representation {
    const name = `${snapshot.sourceId} ${form}`;
    const cached = this.#cached.get(name);
    if (cached?.snapshot === snapshot && cached.stale === stale) return cached.body;
    const text = make();
    const body = new Representation(text, this.#contentType);
    this.#cached.set(name, { snapshot, stale, characters: text.length, body });
    return body;
  }
}
