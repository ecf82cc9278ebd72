import type { CacheState, SourceStatusFacts } from './cache-state.ts';
import type { FreshnessPolicy } from '../../cache/freshness.ts';
import type { ClusterStatus } from '../../cache/peers.ts';
import type { CallHistoryPoint } from './call-history.ts';
import type { AnswerCounts, ImageCounts, ReaderOutcomes, ReadersToday, Refusal } from './counters.ts';

/** Everything that the BFF knows about its own state. Durations are in ms. */
export interface BffState extends CacheState {
  /** The version of `@pulse-card/bff`. */
  readonly version: string;
  /** ISO 8601. */
  readonly at: string;
  readonly uptimeMs: number;
  readonly stopping: boolean;
  readonly sources: readonly SourceRow[];
  /** How long cached charts can still be shown without a new answer, in ms; 0 if no charts are cached. */
  readonly chartsLastMs: number;
  /** Notes for the operator, for example about a proxy that `TRUST_PROXY` doesn't name. */
  readonly warnings: readonly string[];
  /** The number of answers since startup, by cache result. */
  readonly answers: Readonly<Record<string, number>>;
  readonly lastHour: AnswerCounts;
  readonly images: ImageCounts;
  readonly outcomes: ReaderOutcomes;
  /** Most frequent first. */
  readonly refusals: readonly Refusal[];
  readonly readersToday: ReadersToday;
  readonly history: readonly CallHistoryPoint[];
  /** Null if Redis isn't used. */
  readonly redis: ClusterStatus | null;
}

/** What a reader of the source gets now. `unknown`: the source was never requested. */
export type ReadersSee = 'fresh' | 'earlier-version' | 'no-chart' | 'error' | 'unknown';

/** A source, and the state that its readers see. */
export interface SourceRow extends SourceStatusFacts {
  readonly readersSee: ReadersSee;
}

/**
 * The row of a source in the status. `isEarlierVersion`: whether its cards say so. After a failure, the next
 * refresh is the next retry.
 */
export function sourceRow(facts: SourceStatusFacts, isEarlierVersion: boolean): SourceRow {
  const retryInMs = facts.lastFailure?.retryInMs ?? 0;
  const nextRefreshInMs = hasReaders(facts) && retryInMs > 0 ? retryInMs : facts.nextRefreshInMs;
  return { ...facts, nextRefreshInMs, readersSee: readersSee(facts, isEarlierVersion) };
}

function readersSee({ freshness, hasPulse, lastFailure }: SourceStatusFacts, isEarlierVersion: boolean): ReadersSee {
  if (freshness === 'never-answered') return lastFailure === null ? 'unknown' : 'error';
  if (freshness === 'expired') return 'error';
  if (!hasPulse) return 'no-chart';
  return isEarlierVersion ? 'earlier-version' : 'fresh';
}

export function hasReaders({ nextRefreshInMs }: Pick<SourceStatusFacts, 'nextRefreshInMs'>): boolean {
  return nextRefreshInMs !== null;
}

/**
 * How long the chart that expires first can still be shown. If any charts have readers, only these charts count.
 */
export function chartsLastMs(
  { sources, key }: CacheState,
  { freshForMs, staleForMs, authStaleForMs }: FreshnessPolicy,
): number {
  const usable = sources.filter(({ hasPulse, freshness }) => hasPulse && freshness !== 'expired');
  if (usable.length === 0) return 0;
  const read = usable.filter(hasReaders);
  const oldestMs = Math.max(...(read.length > 0 ? read : usable).map(({ ageMs }) => ageMs ?? 0));
  const keyLastsMs = key.state === 'refused' ? authStaleForMs - (key.refusedForMs ?? 0) : Infinity;
  return Math.max(0, Math.min(freshForMs + staleForMs - oldestMs, keyLastsMs));
}

/** If the failures of a source last longer than this, in ms, they are a problem. */
const FAILING_FOR_MS = 5 * 60_000;

/** Sources in use for which every call has failed for a long time while calls for other sources succeed. */
export function failingSources({ sources, hosts, key }: BffState): SourceRow[] {
  if (key.state === 'refused' || !hosts.some(({ state }) => state === 'closed')) return [];
  return sources.filter((source) => hasReaders(source) && (source.lastFailure?.forMs ?? 0) >= FAILING_FOR_MS);
}

/** The fraction of readers who got no chart, from 0 to 1. */
export function badShare({ total, bad }: ReaderOutcomes): number {
  return total === 0 ? 0 : Object.values(bad).reduce((all, count) => all + count, 0) / total;
}

/** Returns whether Redis may drop values before they expire. */
export function isEvicting({ evictionPolicy }: ClusterStatus): boolean {
  return evictionPolicy !== null && evictionPolicy !== 'noeviction';
}
