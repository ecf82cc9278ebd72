import type { ReadSource } from '@pulse-card/contract';
import type { BudgetStatus } from '../../budget/call-budget.ts';
import type { Freshness } from '../../cache/freshness.ts';
import type { PulseCache } from '../../cache/pulse-cache.ts';
import type { CacheHealth } from '../../cache/readiness.ts';
import type { LastFailure } from '../../upstream/backoffs.ts';
import type { HostStatus } from '../../upstream/hosts.ts';
import { LIST_ID } from '../../upstream/subject.ts';

/** The state of the cache. */
export function cacheStateOf(cache: PulseCache): CacheState {
  const { entries, upstream, clock } = cache.parts;
  const now = clock.now();
  const isoAt = (monotonicMs: number) => new Date(clock.wallNow() - (now - monotonicMs)).toISOString();
  const rows = new Map(entries.list?.value.sources.map((row) => [row.id, row]));
  return {
    ...cache.health(),
    list: statusFactsOf(cache, LIST_ID),
    unreadableRows: entries.list?.value.unreadableRows ?? 0,
    sources: cache.sourceIds.map((sourceId) => statusFactsOf(cache, sourceId, rows.get(sourceId))),
    hosts: upstream.hosts
      .status(now)
      .map(({ lastAnswerAt: at, ...host }) => ({ ...host, lastAnswerAt: at === undefined ? null : isoAt(at) })),
    budget: upstream.budget,
    callsInFlight: cache.refresher.callsInFlight,
  };
}

function statusFactsOf({ parts, reader }: PulseCache, sourceId: string, row?: ReadSource): SourceStatusFacts {
  const { entries, planner, upstream, clock } = parts;
  const now = clock.now();
  const entry = entries.of(sourceId);
  const pulse = entry && 'pulse' in entry.value ? entry.value.pulse : null;
  const plan = planner.explain(sourceId, now);
  const failure = upstream.lastFailure(sourceId);
  return {
    sourceId,
    nextRefreshInMs: plan?.nextRefreshAt ? Math.max(0, plan.nextRefreshAt - now) : null,
    viewsPerMinute: plan?.viewsPerMinute ?? 0,
    lastFailure: failure ? failureFacts(failure) : null,
    name: row?.name ?? pulse?.sourceName ?? null,
    provider: row?.provider ?? null,
    status: row?.status ?? null,
    freshness: entry ? reader.freshnessOf(sourceId, entry) : 'never-answered',
    hasPulse: pulse !== null,
    ageMs: entry ? now - entry.requestedAt : null,
    requestedAt: entry ? new Date(entry.requestedAtMs).toISOString() : null,
  };
}

function failureFacts({ code, detail, retryInMs, forMs }: LastFailure) {
  return { code, detail, retryInMs, forMs };
}

/** The status of a source, or of the list. */
export interface SourceStatusFacts {
  readonly sourceId: string;
  /** The name and provider that the list has for this source; null if it has none. */
  readonly name: string | null;
  readonly provider: string | null;
  /** The status that the list has for this source, such as `BROKEN`. */
  readonly status: ReadSource['status'] | null;
  readonly freshness: Freshness | 'never-answered';
  readonly hasPulse: boolean;
  readonly ageMs: number | null;
  /** When the answer was requested, as ISO 8601. */
  readonly requestedAt: string | null;
  /** Time until the next refresh, if readers continue at the current rate; null without readers. */
  readonly nextRefreshInMs: number | null;
  readonly viewsPerMinute: number;
  /** The last failure; null if a call has succeeded since. */
  readonly lastFailure: {
    readonly code: string;
    readonly detail: string;
    readonly retryInMs: number;
    /** The time since the first of the consecutive failures, in ms. */
    readonly forMs: number;
  } | null;
}

/** The status of a host, with times as ISO 8601. */
export interface HostView extends Omit<HostStatus, 'lastAnswerAt'> {
  readonly lastAnswerAt: string | null;
}

/** The state of the cache, which is shown on the private port. */
export interface CacheState extends CacheHealth {
  readonly list: SourceStatusFacts;
  /** How many rows of the list couldn't be read and were left out. */
  readonly unreadableRows: number;
  readonly sources: readonly SourceStatusFacts[];
  readonly hosts: readonly HostView[];
  readonly budget: BudgetStatus;
  readonly callsInFlight: number;
}
