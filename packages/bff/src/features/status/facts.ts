import type { SourceFacts } from '../../pulses/pulses.ts';
import type { BudgetStatus } from '../../upstream/call-budget.ts';

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

/**
 * The calls in the window. `spent`: the BFF's own. `reserved`: calls still reserved for other users of the key. `free`:
 * how many more calls the BFF can make in the window; it can send `left` of these now.
 */
export function budgetFacts({ used: spent, ...budget }: BudgetStatus) {
  const free = Math.max(0, budget.capacity - spent);
  const reserved = Math.max(0, budget.limit - spent - budget.others - budget.earlier - free);
  return { ...budget, reserved, spent, free };
}
