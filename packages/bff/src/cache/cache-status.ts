import type { ReadSource } from '@pulse-card/contract';
import type { BudgetStatus, CallBudget } from '../budget/call-budget.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import type { Freshness } from './freshness.ts';
import type { HostFailover, HostStatus } from '../upstream/host-failover.ts';
import type { ApiKeyState, ApiKeyStatus } from '../upstream/api-key-status.ts';
import type { CacheStore } from './cache-store.ts';
import type { BackoffRegistry } from './backoff-registry.ts';

/** Where the facts about health come from. */
export interface HealthSources {
  readonly store: CacheStore;
  readonly callBudget: CallBudget;
  readonly hosts: HostFailover;
  readonly key: ApiKeyStatus;
}

/** Where all facts come from. */
export interface StatusSources extends HealthSources {
  readonly callsInFlight: number;
  readonly planner: RefreshPlanner;
  readonly backoffs: BackoffRegistry;
  /** A moment of the monotonic clock as milliseconds since the Unix epoch. */
  readonly wallAt: (monotonicMs: number) => number;
  readonly freshnessOfEntry: (askedAt: number, kind: 'sources' | 'pulse') => Freshness;
}

/** Returns whether the cache is ready at `now`, and what is wrong; in constant time. */
export function cacheHealth({ store, callBudget, hosts, key }: HealthSources, now: number): CacheHealth {
  const keyStatus = key.status(now);
  const degraded = degradedBy(keyStatus, callBudget.status(), hosts.status(now));
  return { ready: store.hasAnswers, degraded, key: keyStatus };
}

/** Gathers how the cache stands at `now`. */
export function cacheStatus(parts: StatusSources, now: number): CacheStatus {
  const { callsInFlight, store } = parts;
  const rows = new Map(store.list?.list.sources.map((row) => [row.id, row]));
  return {
    ...cacheHealth(parts, now),
    list: listFacts(parts, now),
    unreadableRows: store.list?.unreadableRows ?? 0,
    sources: Array.from(store.ids.all, (sourceId) => sourceFacts(parts, sourceId, { row: rows.get(sourceId), now })),
    hosts: parts.hosts.status(now).map((host) => hostView(host, parts.wallAt)),
    budget: parts.callBudget.status(),
    callsInFlight,
  };
}

function hostView({ lastAnswerAt, ...host }: HostStatus, wallAt: StatusSources['wallAt']): HostView {
  return { ...host, lastAnswerAt: lastAnswerAt === undefined ? null : isoOf(wallAt(lastAnswerAt)) };
}

function isoOf(wallMs: number | undefined): string | null {
  return wallMs === undefined ? null : new Date(wallMs).toISOString();
}

function degradedBy(key: ApiKeyState, budget: BudgetStatus, hosts: readonly HostStatus[]): string[] {
  return [
    ...(key.state === 'refused' ? ['upstream_auth'] : []),
    ...(budget.pausedForMs > 0 ? ['upstream_rate_limited'] : []),
    ...(hosts.every(({ state }) => state !== 'closed') ? ['upstream_unavailable'] : []),
  ];
}

function listFacts(parts: StatusSources, now: number): SourceStatusFacts {
  const cached = parts.store.list;
  return {
    ...planFacts(parts, LIST_ID, now),
    name: null,
    provider: null,
    freshness: cached ? parts.freshnessOfEntry(cached.askedAt, 'sources') : 'never-answered',
    hasPulse: false,
    ageMs: cached ? now - cached.askedAt : null,
    requestedAt: isoOf(cached?.list.requestedAtMs),
  };
}

function sourceFacts(
  parts: StatusSources,
  sourceId: string,
  { row, now }: { row: ReadSource | undefined; now: number },
): SourceStatusFacts {
  const cached = parts.store.snapshot(sourceId);
  return {
    ...planFacts(parts, sourceId, now),
    name: row?.name ?? cached?.snapshot.pulse?.sourceName ?? null,
    provider: row?.provider ?? null,
    freshness: cached ? parts.freshnessOfEntry(cached.askedAt, 'pulse') : 'never-answered',
    hasPulse: cached !== undefined && cached.snapshot.pulse !== null,
    ageMs: cached ? now - cached.askedAt : null,
    requestedAt: isoOf(cached?.snapshot.requestedAtMs),
  };
}

function planFacts({ planner, backoffs }: StatusSources, sourceId: string, now: number) {
  const plan = planner.explain(sourceId, now);
  return {
    sourceId,
    nextRefreshInMs: plan?.nextRefreshAt ? Math.max(0, plan.nextRefreshAt - now) : null,
    viewsPerMinute: plan?.viewsPerMinute ?? 0,
    readers: plan?.readers ?? 0,
    lastFailure: backoffs.lastFailure(sourceId, now),
  };
}

/** How one source, or the list, stands. */
export interface SourceStatusFacts {
  readonly sourceId: string;
  /** The name and provider that the list tells; null where it tells none. */
  readonly name: string | null;
  readonly provider: string | null;
  readonly freshness: Freshness | 'never-answered';
  readonly hasPulse: boolean;
  readonly ageMs: number | null;
  /** When the upstream was asked, as ISO 8601. */
  readonly requestedAt: string | null;
  /** How long until the next refresh is due, as things stand; null where nobody looks. */
  readonly nextRefreshInMs: number | null;
  readonly viewsPerMinute: number;
  /** Open live streams. */
  readonly readers: number;
  readonly lastFailure: { readonly code: string; readonly detail: string; readonly retryInMs: number } | null;
}

/** What readiness and alerts go by; known without a look at any source. */
export interface CacheHealth {
  /** Ready to take traffic: there was an answer of the service, or one is cached that may be shown. */
  readonly ready: boolean;
  /** What is wrong, as public error codes, such as `upstream_auth`. */
  readonly degraded: readonly string[];
  readonly key: ApiKeyState;
}

/** A host, with its moments as ISO 8601. */
export interface HostView extends Omit<HostStatus, 'lastAnswerAt'> {
  readonly lastAnswerAt: string | null;
}

/** How all of it stands, for the private port. */
export interface CacheStatus extends CacheHealth {
  readonly list: SourceStatusFacts;
  /** Rows of the list that cannot be read, and are left out. */
  readonly unreadableRows: number;
  readonly sources: readonly SourceStatusFacts[];
  readonly hosts: readonly HostView[];
  readonly budget: BudgetStatus;
  readonly callsInFlight: number;
}
