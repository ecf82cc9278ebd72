import { activeSource, bareSource, fullPulse } from '@pulse-card/contract/examples';
import type { Card, PulseCache, Reading, SourceList } from '../cache/port.ts';

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
export function hit<Known>(known: Known): Reading<Known> {
  return { ok: true, known, stale: false, ageMs: 2_400, facts: { hit: true, ttlSeconds: 12 } };
}

/** A reading of something known that is older than it should be. */
export function staleHit<Known>(known: Known, detail = 'upstream-unavailable'): Reading<Known> {
  return { ok: true, known, stale: true, ageMs: 42_000, facts: { hit: true, ttlSeconds: -27, detail } };
}

/** A cache that holds what a test puts there, and remembers what it was asked. */
export class FakeCache implements PulseCache {
  readonly peeks = new Map<string, Reading<Card>>();
  readonly reads = new Map<string, Reading<Card>>();
  sources: Reading<SourceList> = hit(list);
  readonly waited: string[] = [];

  constructor() {
    this.peeks.set('src_1', hit(cardWithPulse));
    this.peeks.set('src_bare', hit(cardWithoutPulse));
  }

  peekCard(sourceId: string): Reading<Card> | undefined {
    return this.peeks.get(sourceId);
  }

  readCard(sourceId: string): Promise<Reading<Card>> {
    this.waited.push(sourceId);
    return Promise.resolve(this.reads.get(sourceId) ?? { ok: false, code: 'source_unknown' });
  }

  readSources(): Promise<Reading<SourceList>> {
    return Promise.resolve(this.sources);
  }

  onNewPulse(): () => void {
    return () => {};
  }

  watched(): void {}
}
