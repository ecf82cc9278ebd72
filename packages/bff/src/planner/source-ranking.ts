import type { SourceStats } from './source-stats.ts';

/**
 * The minimum value of a planned refresh, in reader-ms. A refresh below this value is planned only if the source was
 * viewed within `LATEST_READERS_MS`.
 */
const MIN_VALUE = 100;
const LATEST_READERS_MS = 300_000;

/** Which sources may be refreshed. */
export interface RankingOptions {
  readonly now: number;
  /** Answers younger than this (in ms) aren't refreshed. */
  readonly minAgeMs: number;
  readonly canRefresh: (id: string) => boolean;
}

/**
 * Ranks the sources that may be refreshed. Failing sources come first and take turns: the source whose last failure is
 * oldest is the `first`. If no source is failing, the `first` is the source whose refresh saves the most staleness.
 * `bestValue`: the value of the best refresh, in reader-ms.
 */
export function rankSources(
  sources: Iterable<readonly [string, SourceStats]>,
  { now, minAgeMs, canRefresh }: RankingOptions,
): { readonly first: string | undefined; readonly bestValue: number } {
  let best: Candidate | undefined;
  let retry: Candidate | undefined;
  let bestValue = 0;
  for (const [id, stats] of sources) {
    if (!stats.isDue(now, minAgeMs) || !canRefresh(id)) continue;
    const value = stats.refreshValue(now);
    if (value < MIN_VALUE && !stats.wasViewedWithin(now, LATEST_READERS_MS)) continue;
    bestValue = Math.max(bestValue, value);
    if (stats.failedAt !== undefined) retry = higherOf(retry, { id, rank: -stats.failedAt });
    else best = higherOf(best, { id, rank: value });
  }
  return { first: (retry ?? best)?.id, bestValue };
}

/** A source that may be refreshed. */
interface Candidate {
  readonly id: string;
  readonly rank: number;
}

function higherOf(best: Candidate | undefined, candidate: Candidate): Candidate {
  return best === undefined || candidate.rank > best.rank ? candidate : best;
}
