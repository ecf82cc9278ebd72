import type { ReadSource } from '@pulse-card/contract';
import type { BudgetStatus } from '../budget/call-budget.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import type { Freshness } from './freshness.ts';
import type { HostStatus } from '../upstream/gate.ts';
import type { ApiKeyState } from '../upstream/gate.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { CacheStore } from './cache-store.ts';

/** What `cacheHealth()` reads. */
export interface HealthSources {
  readonly store: CacheStore;
  readonly upstream: Upstream;
  readonly freshnessOf: (subject: string, entry: { readonly requestedAt: number }) => Freshness;
}

/** What `cacheStatus()` reads. */
export interface StatusSources extends HealthSources {
  readonly callsInFlight: number;
  readonly planner: RefreshPlanner;
  /** Converts a time of the monotonic clock to milliseconds since the Unix epoch. */
  readonly wallAt: (monotonicMs: number) => number;
}

/** The readiness of the cache at `now`, in constant time. */
export function cacheHealth(parts: HealthSources, now: number): CacheHealth {
  const { upstream } = parts;
  const key = upstream.gate.key.status(now);
  return { ready: hasAnswers(parts), key };
}

/** Returns whether the list, or the newest pulse, may be served: then there is something to serve. */
export function hasAnswers({ store, freshnessOf }: Pick<HealthSources, 'store' | 'freshnessOf'>): boolean {
  const { list, newestPulseAt } = store;
  if (list && freshnessOf(LIST_ID, list) !== 'expired') return true;
  return newestPulseAt !== undefined && freshnessOf('', { requestedAt: newestPulseAt }) !== 'expired';
}

/** The status of the cache at `now`. */
export function cacheStatus(parts: StatusSources, now: number): CacheStatus {
  const { callsInFlight, store, upstream } = parts;
  const rows = new Map(store.list?.value.sources.map((row) => [row.id, row]));
  return {
    ...cacheHealth(parts, now),
    list: statusFactsOf(parts, LIST_ID, { now }),
    unreadableRows: store.list?.unreadableRows ?? 0,
    sources: Array.from(store.ids.all, (sourceId) => statusFactsOf(parts, sourceId, { row: rows.get(sourceId), now })),
    hosts: upstream.gate.hosts.status(now).map((host) => hostView(host, parts.wallAt)),
    budget: upstream.budget,
    callsInFlight,
  };
}

function hostView({ lastAnswerAt, ...host }: HostStatus, wallAt: StatusSources['wallAt']): HostView {
  return { ...host, lastAnswerAt: lastAnswerAt === undefined ? null : isoOf(wallAt(lastAnswerAt)) };
}

function isoOf(wallMs: number | undefined): string | null {
  return wallMs === undefined ? null : new Date(wallMs).toISOString();
}

function statusFactsOf(
  { store, planner, upstream, freshnessOf }: StatusSources,
  sourceId: string,
  { row, now }: { readonly row?: ReadSource | undefined; readonly now: number },
): SourceStatusFacts {
  const entry = store.entryOf(sourceId);
  const pulse = entry && 'pulse' in entry.value ? entry.value.pulse : null;
  const plan = planner.explain(sourceId, now);
  const failure = upstream.gate.lastFailure(sourceId, now);
  return {
    sourceId,
    nextRefreshInMs: plan?.nextRefreshAt ? Math.max(0, plan.nextRefreshAt - now) : null,
    viewsPerMinute: plan?.viewsPerMinute ?? 0,
    readers: plan?.readers ?? 0,
    lastFailure: failure ? { code: failure.code, detail: failure.detail, retryInMs: failure.retryInMs } : null,
    name: row?.name ?? pulse?.sourceName ?? null,
    provider: row?.provider ?? null,
    status: row?.status ?? null,
    freshness: entry ? freshnessOf(sourceId, entry) : 'never-answered',
    hasPulse: pulse !== null,
    ageMs: entry ? now - entry.requestedAt : null,
    requestedAt: isoOf(entry?.value.requestedAtMs),
  };
}

/** The status of a source, or of the list. */
export interface SourceStatusFacts {
  readonly sourceId: string;
  /** The name and provider that the list tells; null where it tells none. */
  readonly name: string | null;
  readonly provider: string | null;
  /** The status that the list tells, such as `BROKEN`. */
  readonly status: ReadSource['status'] | null;
  readonly freshness: Freshness | 'never-answered';
  readonly hasPulse: boolean;
  readonly ageMs: number | null;
  /** When the answer was requested, as ISO 8601. */
  readonly requestedAt: string | null;
  /** Time until the next refresh at current rates; null where there are no readers. */
  readonly nextRefreshInMs: number | null;
  readonly viewsPerMinute: number;
  /** Open live streams. */
  readonly readers: number;
  readonly lastFailure: { readonly code: string; readonly detail: string; readonly retryInMs: number } | null;
}

/** What readiness and alerts depend on. */
export interface CacheHealth {
  /** Ready for traffic: there is something to serve, the empty list included. */
  readonly ready: boolean;
  readonly key: ApiKeyState;
}

/** A host, with times as ISO 8601. */
export interface HostView extends Omit<HostStatus, 'lastAnswerAt'> {
  readonly lastAnswerAt: string | null;
}

/** The status of the cache, for the private port. */
export interface CacheStatus extends CacheHealth {
  readonly list: SourceStatusFacts;
  /** Rows of the list that could not be read and are left out. */
  readonly unreadableRows: number;
  readonly sources: readonly SourceStatusFacts[];
  readonly hosts: readonly HostView[];
  readonly budget: BudgetStatus;
  readonly callsInFlight: number;
}
