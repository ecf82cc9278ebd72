import { whittleIndex } from './whittle-index.ts';
import type { SourceStats } from './source-stats.ts';

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
  refreshValueSeconds: number | null;
  /** Reader-seconds of staleness that a refresh must buy at the moment. */
  priceSeconds: number;
  /** When the next refresh is due at these rates and this price, in ms; null where nobody looks. */
  nextRefreshAt: number | null;
}

/** Gathers the facts on a source at the shadow price, in reader-ms. */
export function refreshFacts(
  stats: SourceStats,
  now: number,
  { price, minAgeMs }: { price: number; minAgeMs: number },
): RefreshFacts {
  const known = stats.refreshedAt !== undefined;
  return {
    viewsPerMinute: stats.views.perMs(now) * 60_000,
    readers: stats.views.readers,
    changesPerHour: stats.changesPerMs * 3_600_000,
    ageMs: known ? stats.ageMs(now) : null,
    stalenessMs: known ? stats.staleness(now) : null,
    refreshValueSeconds: known ? stats.refreshValue(now) / 1_000 : null,
    priceSeconds: price / 1_000,
    nextRefreshAt: dueAt(stats, now, price, minAgeMs),
  };
}

function dueAt(stats: SourceStats, now: number, price: number, minAgeMs: number): number | null {
  const minAgeAt = stats.minAgeAt(now, minAgeMs);
  if (minAgeAt === Infinity) return null;
  if (stats.refreshedAt === undefined) return now;
  const ageMs = Math.max(minAgeAt, ageForValue(price, stats.views.perMs(now), stats.changesPerMs));
  return ageMs > HORIZON_MS ? null : Math.max(now, Math.round(stats.refreshedAt + ageMs));
}

/** The age at which a refresh is worth `price`: the index only grows with age, so halving finds it. */
function ageForValue(price: number, viewsPerMs: number, changesPerMs: number): number {
  let [low, high] = [0, HORIZON_MS + 1];
  if (whittleIndex(viewsPerMs, changesPerMs, high) < price) return Infinity;
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (whittleIndex(viewsPerMs, changesPerMs, middle) < price) low = middle;
    else high = middle;
  }
  return high;
}
