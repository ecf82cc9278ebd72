import { activeSource, bareSource, fullPulse } from '@pulse-card/contract/examples';
import type { SourceSnapshot, SourceList } from '../cache/entries.ts';
import { type CacheHit, type LookupResult, NOT_YET_FETCHED } from '../cache/freshness.ts';
import type { FailureDetail } from '../upstream/failure.ts';
import { refusedLookup, type RequestCache, type Requester } from '../cache/pulse-reader.ts';

export const REQUESTED_AT_MS = Date.parse('2026-05-08T09:05:00.000Z');

export const cardWithPulse: SourceSnapshot = {
  sourceId: 'src_1',
  pulse: fullPulse,
  source: activeSource,
  requestedAtMs: REQUESTED_AT_MS,
};

export const cardWithoutPulse: SourceSnapshot = {
  sourceId: 'src_bare',
  pulse: null,
  source: bareSource,
  requestedAtMs: REQUESTED_AT_MS + 1_000,
};

export const list: SourceList = {
  sources: [activeSource, bareSource],
  unreadableRows: 0,
  requestedAtMs: REQUESTED_AT_MS,
};

/** A cache hit for a value that is two seconds old. */
export function hit<Thing>(known: Thing): CacheHit<Thing> {
  return { ok: true, value: known, isEarlierVersion: false, ageMs: 2_400, facts: { hit: true, ttlSeconds: 12 } };
}

/** A cache hit for a stale value. */
export function staleHit<Thing>(known: Thing, detail: FailureDetail = 'upstream-unavailable'): CacheHit<Thing> {
  return {
    ok: true,
    value: known,
    isEarlierVersion: true,
    ageMs: 42_000,
    facts: { hit: true, ttlSeconds: -27, detail },
  };
}

/** A cache that contains what a test puts into it, and that records lookups. */
export class FakeCache implements RequestCache {
  readonly peeks = new Map<string, LookupResult<SourceSnapshot>>();
  readonly reads = new Map<string, LookupResult<SourceSnapshot>>();
  sources: LookupResult<SourceList> = hit(list);
  readonly waited: string[] = [];
  readonly admitted = new Set<string>();
  /** The number of lookups. */
  asked = 0;
  /** The viewers of cache hits. Null for a lookup that doesn't count as a view. */
  readonly viewers: (string | null | undefined)[] = [];

  constructor() {
    this.reset();
  }

  /** Forgets all lookups, and leaves one source with a pulse and one source without a pulse in the cache. */
  reset(): void {
    this.peeks.clear();
    this.peeks.set('src_1', hit(cardWithPulse));
    this.peeks.set('src_bare', hit(cardWithoutPulse));
    this.waited.length = 0;
    this.viewers.length = 0;
  }

  read(sourceId: string, requester: Requester): LookupResult<SourceSnapshot> | Promise<LookupResult<SourceSnapshot>> {
    const refused = refusedLookup(sourceId, requester);
    if (refused) return refused;
    this.viewers.push(requester.viewer);
    this.asked += 1;
    const known = this.peeks.get(sourceId);
    if (known) return known;
    this.waited.push(sourceId);
    return Promise.resolve(this.reads.get(sourceId) ?? { ok: false, code: 'source_unknown' });
  }

  readCached(sourceId: string, requester: Requester): LookupResult<SourceSnapshot> {
    const refused = refusedLookup(sourceId, requester);
    if (refused) return refused;
    this.asked += 1;
    return this.peeks.get(sourceId) ?? NOT_YET_FETCHED;
  }

  readList(): LookupResult<SourceList> {
    this.asked += 1;
    return this.sources;
  }

  admit(sourceIds: Iterable<string>): void {
    for (const id of sourceIds) this.admitted.add(id);
  }

  isAdmittedOnly(): boolean {
    return false;
  }

  isKnown(sourceId: string): boolean {
    return this.peeks.has(sourceId);
  }

  peek(sourceId: string): CacheHit<SourceSnapshot> | undefined {
    const lookup = this.peeks.get(sourceId);
    return lookup?.ok === true ? lookup : undefined;
  }
}

/** Counts the lookups in `cache` until the count is stopped. */
export function countQuestions(cache: FakeCache): { stop(): number } {
  const before = cache.asked;
  return { stop: () => cache.asked - before };
}
