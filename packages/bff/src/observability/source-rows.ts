import type { SourceStatusFacts } from '../cache/cache-status.ts';
import { durationWords } from './status-summary.ts';

/** A source with fewer views a minute has hardly any readers. */
const FEW_VIEWS_PER_MINUTE = 0.5;

/** A source with at least this share of the views of the most viewed one has many readers. */
const SHARE_OF_MANY = 0.25;

/** What is known of a source. */
export interface SourceFacts extends SourceStatusFacts {
  /** Cards show "Earlier version". */
  readonly isEarlierVersion: boolean;
}

/** What a reader of a source gets now; `unknown`: it was never requested. */
export type ReadersSee = 'fresh' | 'earlier-version' | 'no-chart' | 'error' | 'unknown';

/** Why a source is refreshed when it is. */
export type RefreshReason =
  | 'failed'
  | 'waiting_for_calls'
  | 'most_readers'
  | 'many_readers'
  | 'few_readers'
  | 'hardly_any_readers'
  | 'nobody_looks';

/** A source as the status page shows it. */
export interface SourceRow extends SourceFacts {
  readonly readersSee: ReadersSee;
  /** After a failure, the time until the next try. */
  readonly nextRefreshInMs: number | null;
  readonly reason: { readonly code: RefreshReason; readonly words: string };
}

/** What applies to all sources. */
interface Circumstances {
  /** Calls that may leave now. */
  readonly freeCalls: number;
  /** Views a minute of the most viewed source. */
  readonly maxViews: number;
  /** How many sources there are. */
  readonly count: number;
}

/** The sources: those with problems first, then by views, those without readers last. `freeCalls` may leave now. */
export function sourceRows(sources: readonly SourceFacts[], freeCalls: number): SourceRow[] {
  const maxViews = Math.max(0, ...sources.map(({ viewsPerMinute }) => viewsPerMinute));
  const all = { freeCalls, maxViews, count: sources.length };
  return sources
    .map((facts) => ({
      ...facts,
      readersSee: seenOf(facts),
      nextRefreshInMs: nextRefreshInMsOf(facts),
      reason: reasonOf(facts, all),
    }))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || b.viewsPerMinute - a.viewsPerMinute || byName(a, b));
}

/** After a failure the next refresh is the next try. */
function nextRefreshInMsOf({ nextRefreshInMs, lastFailure }: SourceFacts): number | null {
  if (nextRefreshInMs === null || lastFailure === null || lastFailure.retryInMs <= 0) return nextRefreshInMs;
  return lastFailure.retryInMs;
}

function seenOf({ freshness, hasPulse, isEarlierVersion, lastFailure }: SourceFacts): ReadersSee {
  if (freshness === 'never-answered') return lastFailure === null ? 'unknown' : 'error';
  if (freshness === 'expired') return 'error';
  if (!hasPulse) return 'no-chart';
  return isEarlierVersion ? 'earlier-version' : 'fresh';
}

function reasonOf(
  { freshness, nextRefreshInMs, viewsPerMinute, lastFailure }: SourceFacts,
  { freeCalls, maxViews, count }: Circumstances,
): SourceRow['reason'] {
  if (lastFailure !== null && lastFailure.retryInMs > 0) {
    const what = FAILURE_WORDS[lastFailure.detail] ?? 'The last call failed';
    return { code: 'failed', words: `${what}, next try in ${durationWords(lastFailure.retryInMs)}` };
  }
  if (nextRefreshInMs === null) return { code: 'nobody_looks', words: 'Nobody looks at it' };
  if (nextRefreshInMs === 0 && freshness !== 'fresh' && freeCalls < 1)
    return { code: 'waiting_for_calls', words: 'Waiting for a free call' };
  if (viewsPerMinute < FEW_VIEWS_PER_MINUTE) return { code: 'hardly_any_readers', words: 'Hardly any readers' };
  if (viewsPerMinute === maxViews && count > 1) return { code: 'most_readers', words: 'Most readers, refreshed first' };
  if (viewsPerMinute >= SHARE_OF_MANY * maxViews) return { code: 'many_readers', words: 'Many readers' };
  return { code: 'few_readers', words: 'Few readers' };
}

/** What went wrong with the last call for a source, by the word of the log. */
const FAILURE_WORDS: Readonly<Record<string, string>> = {
  'upstream-unavailable': 'Service not answering',
  'upstream-timeout': 'The last call timed out',
  'upstream-error': 'Service answers with an error',
  'upstream-invalid': 'The answer cannot be read',
  auth: 'Key refused',
  'rate-limited': 'Service allows no calls',
  budget: 'Waiting for a free call',
  paused: 'Service allows no calls',
  starting: 'Server is starting',
};

/** Problems that readers see, problems that they do not see yet, no problems, no readers. */
function rankOf({ readersSee, reason }: SourceRow): number {
  if (reason.code === 'nobody_looks') return 4;
  if (readersSee === 'error') return 0;
  if (readersSee === 'earlier-version') return 1;
  return reason.code === 'failed' ? 2 : 3;
}

function byName(a: SourceFacts, b: SourceFacts): number {
  return (a.name ?? a.sourceId).localeCompare(b.name ?? b.sourceId, 'en');
}
