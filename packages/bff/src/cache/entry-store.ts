import { isDeepStrictEqual } from 'node:util';
import type { ReadPulse, ReadSource } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { SourceSnapshot } from './port.ts';

/** Room for the answers of known sources, and for those of ids nobody vouches for, in bytes of their text. */
const KNOWN_CAPACITY_BYTES = 32 * 1024 * 1024;
const UNKNOWN_CAPACITY_BYTES = 1024 * 1024;
const UNKNOWN_CAPACITY_ENTRIES = 1_000;

/** What an entry weighs besides its text. */
const ENTRY_BYTES = 512;

/** An answer as it is kept. */
export interface CacheEntry {
  readonly snapshot: SourceSnapshot;
  /** When the upstream was asked, on the monotonic clock. */
  readonly askedAt: number;
  readonly fencingToken: number;
}

/** An answer to be kept. */
export interface Answer {
  readonly pulse: ReadPulse | null;
  readonly askedAt: number;
  readonly requestedAtMs: number;
  readonly fencingToken: number;
}

/** The last good answers: of known sources, and apart from them, so that nobody is evicted, of unknown ids. */
export class EntryStore {
  readonly #known = new LRUCache<string, CacheEntry>({ maxSize: KNOWN_CAPACITY_BYTES, sizeCalculation: bytesOf });
  readonly #unknowns = new LRUCache<string, CacheEntry>({
    max: UNKNOWN_CAPACITY_ENTRIES,
    maxSize: UNKNOWN_CAPACITY_BYTES,
    sizeCalculation: bytesOf,
  });
  #rows: ReadonlyMap<string, ReadSource> = new Map();

  get(sourceId: string): CacheEntry | undefined {
    return this.#known.get(sourceId) ?? this.#unknowns.get(sourceId);
  }

  /** Keeps an answer, unless a newer one is there; says whether the pulse is another than before. */
  store(
    sourceId: string,
    { pulse, askedAt, requestedAtMs, fencingToken }: Answer,
    owner: 'known' | 'unknown',
  ): boolean {
    const before = this.get(sourceId);
    if (before && before.fencingToken > fencingToken) return false;
    const isSame = before !== undefined && isDeepStrictEqual(before.snapshot.pulse, pulse);
    const snapshot: SourceSnapshot = {
      sourceId,
      pulse: isSame ? before.snapshot.pulse : pulse,
      source: this.#rows.get(sourceId) ?? null,
      requestedAtMs,
    };
    const [shelf, other] = owner === 'known' ? [this.#known, this.#unknowns] : [this.#unknowns, this.#known];
    other.delete(sourceId);
    shelf.set(sourceId, { snapshot, askedAt, fencingToken });
    return !isSame;
  }

  clear(): void {
    this.#known.clear();
    this.#unknowns.clear();
    this.#rows = new Map();
  }

  /** Records the rows of the list: cards whose row is another become new ones. */
  updateRows(rows: ReadonlyMap<string, ReadSource>): void {
    this.#rows = rows;
    for (const shelf of [this.#known, this.#unknowns])
      for (const [sourceId, cached] of Array.from(shelf.rentries() as Iterable<[string, CacheEntry]>)) {
        const source = rows.get(sourceId) ?? null;
        if (!isDeepStrictEqual(cached.snapshot.source, source))
          shelf.set(sourceId, { ...cached, snapshot: { ...cached.snapshot, source } });
      }
  }
}

function bytesOf({ snapshot: { pulse, source } }: CacheEntry): number {
  let bytes = ENTRY_BYTES;
  for (const part of [pulse, source])
    for (const value of Object.values(part ?? {})) if (typeof value === 'string') bytes += 2 * value.length;
  return bytes;
}
