import type { BudgetStatus, CallLedger } from '../budget/call-ledger.ts';
import { LIST_ID, type RefreshPlanner } from '../freshness/refresh-planner.ts';
import type { Verdict } from '../freshness/verdict.ts';
import type { HostChoice, HostStatus } from './host-choice.ts';
import type { KeyHealth, KeyStatus } from './key-health.ts';
import type { Memory } from './memory.ts';
import type { RestBook } from './rest-book.ts';
import type { CacheHealth, CacheStatus, ShownHost, SourceStatusFacts } from './status.ts';

/** Where the facts about health come from. */
export interface HealthParts {
  readonly memory: Memory;
  readonly ledger: CallLedger;
  readonly hosts: HostChoice;
  readonly key: KeyHealth;
}

/** Where all facts come from. */
export interface StatusParts extends HealthParts {
  readonly callsInFlight: number;
  readonly planner: RefreshPlanner;
  readonly rests: RestBook;
  /** A moment of the monotonic clock as milliseconds since the Unix epoch. */
  readonly wallAt: (monotonicMs: number) => number;
  readonly verdictOf: (askedAt: number, kind: 'sources' | 'pulse') => Verdict;
}

/** Says whether the cache is ready at `now`, and what is wrong; in constant time. */
export function cacheHealth({ memory, ledger, hosts, key }: HealthParts, now: number): CacheHealth {
  const keyStatus = key.status(now);
  const degraded = degradedBy(keyStatus, ledger.status(), hosts.status(now));
  return { ready: memory.hasAnswers, degraded, key: keyStatus };
}

/** Gathers how the cache stands at `now`. */
export function cacheStatus(parts: StatusParts, now: number): CacheStatus {
  const { callsInFlight, memory } = parts;
  return {
    ...cacheHealth(parts, now),
    list: listFacts(parts, now),
    unreadableRows: memory.list?.unreadableRows ?? 0,
    sources: Array.from(memory.ids.all, (sourceId) => sourceFacts(parts, sourceId, now)),
    hosts: parts.hosts.status(now).map((host) => shownHost(host, parts.wallAt)),
    budget: parts.ledger.status(),
    callsInFlight,
  };
}

function shownHost({ lastAnswerAt, ...host }: HostStatus, wallAt: StatusParts['wallAt']): ShownHost {
  return { ...host, lastAnswerAt: lastAnswerAt === undefined ? null : isoOf(wallAt(lastAnswerAt)) };
}

function isoOf(wallMs: number | undefined): string | null {
  return wallMs === undefined ? null : new Date(wallMs).toISOString();
}

function degradedBy(key: KeyStatus, budget: BudgetStatus, hosts: readonly HostStatus[]): string[] {
  return [
    ...(key.state === 'refused' ? ['upstream_auth'] : []),
    ...(budget.pausedForMs > 0 ? ['upstream_rate_limited'] : []),
    ...(hosts.every(({ state }) => state !== 'well') ? ['upstream_unavailable'] : []),
  ];
}

function listFacts(parts: StatusParts, now: number): SourceStatusFacts {
  const kept = parts.memory.list;
  return {
    ...planFacts(parts, LIST_ID, now),
    verdict: kept ? parts.verdictOf(kept.askedAt, 'sources') : 'never-answered',
    hasPulse: false,
    ageMs: kept ? now - kept.askedAt : null,
    requestedAt: isoOf(kept?.list.requestedAtMs),
  };
}

function sourceFacts(parts: StatusParts, sourceId: string, now: number): SourceStatusFacts {
  const kept = parts.memory.card(sourceId);
  return {
    ...planFacts(parts, sourceId, now),
    verdict: kept ? parts.verdictOf(kept.askedAt, 'pulse') : 'never-answered',
    hasPulse: kept !== undefined && kept.card.pulse !== null,
    ageMs: kept ? now - kept.askedAt : null,
    requestedAt: isoOf(kept?.card.requestedAtMs),
  };
}

function planFacts({ planner, rests }: StatusParts, sourceId: string, now: number) {
  const plan = planner.explain(sourceId, now);
  const lastFailure = rests.lastFailure(sourceId, now);
  const isResting = lastFailure !== null && lastFailure.retryInMs > 0;
  return {
    sourceId,
    nextRefreshInMs: plan?.nextRefreshAt ? Math.max(0, plan.nextRefreshAt - now) : null,
    why: isResting ? 'resting after a failure' : whyOf(plan),
    viewsPerMinute: plan?.viewsPerMinute ?? 0,
    readers: plan?.readers ?? 0,
    lastFailure,
  };
}

function whyOf(plan: ReturnType<RefreshPlanner['explain']>): string {
  if (!plan || plan.nextRefreshAt === null) return 'nobody looks';
  if (plan.worthSeconds === null) return 'never answered';
  return `worth ${plan.worthSeconds.toFixed(1)} of ${plan.priceSeconds.toFixed(1)} reader-seconds`;
}
