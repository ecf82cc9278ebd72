import { ageIndex } from './age-index.ts';
import type { SourceRecord } from './source-record.ts';

/** Later than this no refresh is foretold, in ms. */
const HORIZON_MS = 86_400_000;

/** Why a source is refreshed when it is. */
export interface RefreshFacts {
  /** Views per minute, open live streams included. */
  viewsPerMinute: number;
  /** Open live streams. */
  readers: number;
  /** Estimated changes per hour. */
  changesPerHour: number;
  /** Age of the copy, in ms; null before the first answer. */
  ageMs: number | null;
  /** Expected staleness of the copy, in ms; null before the first answer. */
  stalenessMs: number | null;
  /** Reader-seconds of staleness that a refresh buys now; null before the first answer. */
  worthSeconds: number | null;
  /** Reader-seconds of staleness that a refresh must buy at the moment. */
  priceSeconds: number;
  /** When the next refresh is due at these rates and this price, in ms; null where nobody looks. */
  nextRefreshAt: number | null;
}

/** Gathers the facts on a source at the going price, in reader-ms. */
export function refreshFacts(
  record: SourceRecord,
  now: number,
  { price, minAgeMs }: { price: number; minAgeMs: number },
): RefreshFacts {
  const known = record.refreshedAt !== undefined;
  return {
    viewsPerMinute: record.views.perMs(now) * 60_000,
    readers: record.views.readers,
    changesPerHour: record.changesPerMs * 3_600_000,
    ageMs: known ? record.ageMs(now) : null,
    stalenessMs: known ? record.staleness(now) : null,
    worthSeconds: known ? record.worth(now) / 1_000 : null,
    priceSeconds: price / 1_000,
    nextRefreshAt: dueAt(record, now, price, minAgeMs),
  };
}

function dueAt(record: SourceRecord, now: number, price: number, minAgeMs: number): number | null {
  const leastAgeMs = record.leastAgeMs(now, minAgeMs);
  if (leastAgeMs === Infinity) return null;
  if (record.refreshedAt === undefined) return now;
  const ageMs = Math.max(leastAgeMs, ageWorth(price, record.views.perMs(now), record.changesPerMs));
  return ageMs > HORIZON_MS ? null : Math.max(now, Math.round(record.refreshedAt + ageMs));
}

/** The age at which a refresh is worth `price`: the index only grows with age, so halving finds it. */
function ageWorth(price: number, viewsPerMs: number, changesPerMs: number): number {
  let [low, high] = [0, HORIZON_MS + 1];
  if (ageIndex(viewsPerMs, changesPerMs, high) < price) return Infinity;
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (ageIndex(viewsPerMs, changesPerMs, middle) < price) low = middle;
    else high = middle;
  }
  return high;
}
