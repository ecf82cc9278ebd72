import { activeSource, bareSource, fullPulse } from '@pulse-card/contract/examples';
import type { Card, Known, PulseCache, Reading, SourceList } from '../cache/port.ts';

export const ASKED_AT_MS = Date.parse('2026-05-08T09:05:00.000Z');

export const cardWithPulse: Card = {
  sourceId: 'src_1',
  pulse: fullPulse,
  source: activeSource,
  requestedAtMs: ASKED_AT_MS,
};

export const cardWithoutPulse: Card = {
  sourceId: 'src_bare',
  pulse: null,
  source: bareSource,
  requestedAtMs: ASKED_AT_MS + 1_000,
};

export const list: SourceList = { sources: [activeSource, bareSource], requestedAtMs: ASKED_AT_MS };

/** A reading of something known, two seconds old, from the cache. */
export function hit<Thing>(known: Thing): Known<Thing> {
  return { ok: true, known, stale: false, ageMs: 2_400, facts: { hit: true, ttlSeconds: 12 } };
}

/** A reading of something known that is older than it should be. */
export function staleHit<Thing>(known: Thing, detail = 'upstream-unavailable'): Known<Thing> {
  return { ok: true, known, stale: true, ageMs: 42_000, facts: { hit: true, ttlSeconds: -27, detail } };
}

/** A cache that holds what a test puts there, and remembers what it was asked. */
export class FakeCache implements PulseCache {
  readonly peeks = new Map<string, Reading<Card>>();
  readonly reads = new Map<string, Reading<Card>>();
  sources: Reading<SourceList> = hit(list);
  readonly waited: string[] = [];
  /** Live streams by source, as last told. */
  readonly watchers = new Map<string, number>();
  /** How often it was asked anything. */
  asked = 0;
  readonly #heard = new Set<(card: Card) => void>();
  readonly #purgeHeard = new Set<() => void>();

  constructor() {
    this.peeks.set('src_1', hit(cardWithPulse));
    this.peeks.set('src_bare', hit(cardWithoutPulse));
  }

  peekCard(sourceId: string): Reading<Card> | undefined {
    this.asked += 1;
    return this.peeks.get(sourceId);
  }

  readCard(sourceId: string): Promise<Reading<Card>> {
    this.asked += 1;
    this.waited.push(sourceId);
    return Promise.resolve(this.reads.get(sourceId) ?? { ok: false, code: 'source_unknown' });
  }

  readSources(): Promise<Reading<SourceList>> {
    this.asked += 1;
    return Promise.resolve(this.sources);
  }

  isKnown(sourceId: string): boolean {
    return this.peeks.has(sourceId);
  }

  glance(sourceId: string): Known<Card> | undefined {
    const reading = this.peeks.get(sourceId);
    return reading?.ok === true ? reading : undefined;
  }

  onNewPulse(heard: (card: Card) => void): () => void {
    this.#heard.add(heard);
    return () => void this.#heard.delete(heard);
  }

  onPurge(heard: () => void): () => void {
    this.#purgeHeard.add(heard);
    return () => void this.#purgeHeard.delete(heard);
  }

  watched(sourceId: string, readers: number): void {
    this.watchers.set(sourceId, readers);
  }

  /** Drops all answers, as when the key belongs to another account. */
  purge(): void {
    this.peeks.clear();
    for (const heard of this.#purgeHeard) heard();
  }

  /** Has a source get a new pulse. */
  renew(card: Card): void {
    this.peeks.set(card.sourceId, hit(card));
    for (const heard of this.#heard) heard(card);
  }
}

/** Counts what `cache` is asked until the count is stopped. */
export function countQuestions(cache: FakeCache): { stop(): number } {
  const before = cache.asked;
  return { stop: () => cache.asked - before };
}
