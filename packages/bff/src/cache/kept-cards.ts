import { isDeepStrictEqual } from 'node:util';
import type { ReadPulse, ReadSource } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { Card } from './port.ts';

/** Room for the answers of known sources, and for those of ids nobody vouches for, in bytes of their text. */
const KNOWN_ROOM_BYTES = 32 * 1024 * 1024;
const STRANGER_ROOM_BYTES = 1024 * 1024;
const STRANGER_ROOM_ENTRIES = 1_000;

/** What an entry weighs besides its text. */
const ENTRY_BYTES = 512;

/** An answer as it is kept. */
export interface Kept {
  readonly card: Card;
  /** When the upstream was asked, on the monotonic clock. */
  readonly askedAt: number;
  readonly fence: number;
}

/** An answer to be kept. */
export interface Answer {
  readonly pulse: ReadPulse | null;
  readonly askedAt: number;
  readonly requestedAtMs: number;
  readonly fence: number;
}

/** The last good answers: of known sources, and apart from them, so that nobody is crowded out, of strangers. */
export class KeptCards {
  readonly #known = new LRUCache<string, Kept>({ maxSize: KNOWN_ROOM_BYTES, sizeCalculation: bytesOf });
  readonly #strangers = new LRUCache<string, Kept>({
    max: STRANGER_ROOM_ENTRIES,
    maxSize: STRANGER_ROOM_BYTES,
    sizeCalculation: bytesOf,
  });
  #rows: ReadonlyMap<string, ReadSource> = new Map();

  get(sourceId: string): Kept | undefined {
    return this.#known.get(sourceId) ?? this.#strangers.get(sourceId);
  }

  /** Keeps an answer, unless a newer one is there; says whether the pulse is another than before. */
  keep(sourceId: string, { pulse, askedAt, requestedAtMs, fence }: Answer, owner: 'known' | 'stranger'): boolean {
    const before = this.get(sourceId);
    if (before && before.fence > fence) return false;
    const isSame = before !== undefined && isDeepStrictEqual(before.card.pulse, pulse);
    const card: Card = {
      sourceId,
      pulse: isSame ? before.card.pulse : pulse,
      source: this.#rows.get(sourceId) ?? null,
      requestedAtMs,
    };
    const [shelf, other] = owner === 'known' ? [this.#known, this.#strangers] : [this.#strangers, this.#known];
    other.delete(sourceId);
    shelf.set(sourceId, { card, askedAt, fence });
    return !isSame;
  }

  clear(): void {
    this.#known.clear();
    this.#strangers.clear();
    this.#rows = new Map();
  }

  /** Takes in the rows of the list: cards whose row is another become new ones. */
  showRows(rows: ReadonlyMap<string, ReadSource>): void {
    this.#rows = rows;
    for (const shelf of [this.#known, this.#strangers])
      for (const [sourceId, kept] of Array.from(shelf.rentries() as Iterable<[string, Kept]>)) {
        const source = rows.get(sourceId) ?? null;
        if (!isDeepStrictEqual(kept.card.source, source))
          shelf.set(sourceId, { ...kept, card: { ...kept.card, source } });
      }
  }
}

function bytesOf({ card: { pulse, source } }: Kept): number {
  let bytes = ENTRY_BYTES;
  for (const part of [pulse, source])
    for (const value of Object.values(part ?? {})) if (typeof value === 'string') bytes += 2 * value.length;
  return bytes;
}
