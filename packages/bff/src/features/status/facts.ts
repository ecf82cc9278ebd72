import type { SourceFacts } from '../../pulses/pulses.ts';
import type { BudgetStatus } from '../../upstream/call-budget.ts';
import { isOutage } from '../../upstream/failure.ts';
import type { HostStatus } from '../../upstream/hosts.ts';
import type { KeyStatus } from '../../upstream/key.ts';
import { durationWords, plural } from './words.ts';

/** A source, and what its readers currently get. `unknown` means that the source has never been requested. */
export interface SourceRow extends SourceFacts {
  readonly readersSee: 'fresh' | 'earlier-version' | 'no-chart' | 'error' | 'unknown';
}

/** A source's row in the status. After a failure, the next refresh is the next retry. */
export function sourceRow(facts: SourceFacts): SourceRow {
  const retryInMs = facts.lastFailure?.retryInMs ?? 0;
  const nextRefreshInMs = hasReaders(facts) && retryInMs > 0 ? retryInMs : facts.nextRefreshInMs;
  return { ...facts, nextRefreshInMs, readersSee: readersSee(facts) };
}

function readersSee({ freshness, hasPulse, isStale, lastFailure }: SourceFacts): SourceRow['readersSee'] {
  if (freshness === 'never-answered') return lastFailure === null ? 'unknown' : 'error';
  if (freshness === 'expired') return 'error';
  if (!hasPulse) return 'no-chart';
  return isStale ? 'earlier-version' : 'fresh';
}

export function hasReaders({ nextRefreshInMs }: Pick<SourceFacts, 'nextRefreshInMs'>): boolean {
  return nextRefreshInMs !== null;
}

/** Sources with a problem come first, then those with the most views. */
export function inOrder(sources: readonly SourceRow[], overdue: readonly string[]): SourceRow[] {
  const hasProblem = (source: SourceRow): boolean => {
    const { sourceId, status, readersSee } = source;
    if (status === 'BROKEN' || overdue.includes(sourceId)) return true;
    return hasReaders(source) && (readersSee === 'error' || readersSee === 'earlier-version');
  };
  const rankOf = (source: SourceRow) => (hasProblem(source) ? 0 : 1);
  const byName = (a: SourceRow, b: SourceRow) => (a.name ?? a.sourceId).localeCompare(b.name ?? b.sourceId, 'en');
  return sources.toSorted((a, b) => rankOf(a) - rankOf(b) || b.viewsPerMinute - a.viewsPerMinute || byName(a, b));
}

/** How much longer the chart that expires first can be shown. If any charts have readers, only those count. */
export function chartsLastMs(sources: readonly SourceRow[]): number {
  const charts = sources.filter(({ hasPulse, lastsMs }) => hasPulse && lastsMs > 0);
  const viewed = charts.filter(hasReaders);
  const lastMs = (viewed.length > 0 ? viewed : charts).map(({ lastsMs }) => lastsMs);
  return lastMs.length === 0 ? 0 : Math.min(...lastMs);
}

/** The failure of the list and of all sources with readers, if none of them can be refreshed. */
export function failingOf(list: SourceFacts, sources: readonly SourceFacts[]): SourceFacts['lastFailure'] {
  const isAskedFor = ({ freshness, lastFailure }: SourceFacts) =>
    freshness !== 'never-answered' || lastFailure !== null;
  const failures = [list, ...sources.filter(hasReaders)].filter(isAskedFor).map(({ lastFailure }) => lastFailure);
  const [first] = failures.filter((failure) => failure !== null).toSorted((a, b) => b.forMs - a.forMs);
  if (first === undefined || failures.includes(null)) return null;
  return { ...first, forMs: Math.min(...failures.map((failure) => failure?.forMs ?? 0)) };
}

/** How long a source must keep failing to count as a problem, in ms. */
const FAILING_FOR_MS = 5 * 60_000;

interface Calls {
  readonly hosts: readonly Pick<HostStatus, 'state'>[];
  readonly failing: SourceFacts['lastFailure'];
  readonly key: KeyStatus;
  readonly sources: readonly SourceRow[];
}

/** Sources with readers for which every call has failed for a long time while calls for other sources succeed. */
export function failingSources({ sources, hosts, key, failing }: Calls): SourceRow[] {
  if (key.state === 'refused' || !isAnswering(hosts) || isDown({ hosts, failing })) return [];
  return sources.filter((source) => hasReaders(source) && (source.lastFailure?.forMs ?? 0) >= FAILING_FOR_MS);
}

/** The fraction of requests in the last few minutes that got no chart, from 0 to 1. */
export function badShare({ total, bad }: { readonly total: number; readonly bad: Readonly<Record<string, number>> }) {
  return total === 0 ? 0 : Object.values(bad).reduce((all, count) => all + count, 0) / total;
}

/** Whether a host responded to its last call. */
export function isAnswering(hosts: Calls['hosts']): boolean {
  return hosts.some(({ state }) => state === 'closed');
}

/** How long all calls must keep failing until the service counts as down although a host responds, in ms. */
const DOWN_AFTER_MS = 60_000;

/** Whether no host returns a usable response. A host that returns errors of several kinds counts as responding. */
export function isDown({ hosts, failing }: Pick<Calls, 'hosts' | 'failing'>): boolean {
  if (failing?.code === 'not_found_everywhere') return true;
  if (failing && isOutage(failing.code) && failing.forMs >= DOWN_AFTER_MS) return true;
  return hosts.every(({ state }) => state === 'open' || state === 'half-open');
}

/**
 * The calls in the window. `spent`: the BFF's own. `reserved`: calls still reserved for other users of the key. `free`:
 * how many more calls the BFF can make in the window; it can send `left` of these now.
 */
export function budgetFacts({ used: spent, ...budget }: BudgetStatus) {
  const free = Math.max(0, budget.capacity - spent);
  const reserved = Math.max(0, budget.limit - spent - budget.others - budget.earlier - free);
  return { ...budget, reserved, spent, free };
}
