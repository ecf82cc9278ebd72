import type { ReadSource } from '@pulse-card/contract';
import type { BudgetStatus } from '../budget/call-budget.ts';
import type { RefreshPlanner } from '../planner/refresh-planner.ts';
import type { Freshness } from './freshness.ts';
import type { Clock } from '../lib/clock.ts';
import type { LastFailure } from '../upstream/backoffs.ts';
import type { HostStatus } from '../upstream/hosts.ts';
import { LIST_ID } from '../upstream/subject.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Entries } from './entries.ts';
import type { AnswerFolder } from './answer-folder.ts';
import type { PulseReader } from './pulse-reader.ts';
import { type CacheHealth, cacheHealth } from './readiness.ts';

/** The parts of the cache that provide its state. */
export interface StateParts {
  readonly entries: Entries;
  readonly upstream: Upstream;
  readonly planner: RefreshPlanner;
  readonly folder: AnswerFolder | undefined;
  readonly callsInFlight: number;
  readonly reader: Pick<PulseReader, 'freshnessOf'>;
}

/** The state of the cache. */
export function cacheState(parts: StateParts, clock: Clock): CacheState {
  const { callsInFlight, entries, folder, upstream } = parts;
  const now = clock.now();
  const isoAt = (monotonicMs: number) => new Date(clock.wallNow() - (now - monotonicMs)).toISOString();
  const rows = new Map(entries.list?.value.sources.map((row) => [row.id, row]));
  return {
    ...cacheHealth(parts, now),
    list: statusFactsOf(parts, LIST_ID, { now }),
    unreadableRows: entries.list?.value.unreadableRows ?? 0,
    sources: Array.from(entries.ids.all, (sourceId) =>
      statusFactsOf(parts, sourceId, { row: rows.get(sourceId), now }),
    ),
    hosts: upstream.hosts
      .status(now)
      .map(({ lastAnswerAt: at, ...host }) => ({ ...host, lastAnswerAt: at === undefined ? null : isoAt(at) })),
    budget: upstream.budget,
    stateDirFault: folder?.fault ?? null,
    callsInFlight,
  };
}

function statusFactsOf(
  { entries, planner, upstream, reader }: StateParts,
  sourceId: string,
  { row, now }: { readonly row?: ReadSource | undefined; readonly now: number },
): SourceStatusFacts {
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
  /**
   * The error code of the last write to the state folder, such as `ENOSPC`; null if the write succeeded or there is no
   * folder.
   */
  readonly stateDirFault: string | null;
  readonly callsInFlight: number;
}
