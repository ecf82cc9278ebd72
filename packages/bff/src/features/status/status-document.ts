import type { Problem } from '../../observability/problem.ts';
import type { CallHistoryPoint } from './call-history.ts';
import type { Refusal } from './counters.ts';
import { causeOf } from './error-causes.ts';
import { isBehindUnknownProxy, type StatusSummary, summaryOf } from './operator-problems.ts';
import { type BffState, hasReaders, type SourceRow } from './bff-state.ts';

/** The response of `GET /status`. */
export type StatusDocument = Omit<BffState, 'budget' | 'refusals' | 'history'> & {
  /** The state in plain words. */
  readonly summary: StatusSummary;
  /** All current problems, with the most serious ones first. */
  readonly problems: readonly Problem[];
  /** The codes of `problems`, without notices. */
  readonly degraded: readonly string[];
  readonly budget: Omit<BffState['budget'], 'used'> & BudgetDocument;
  /** The refusals since startup, by code and origin. */
  readonly refusals: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The refusals since startup, with advice. The most frequent refusals come first. */
  readonly turnedAway: readonly (Refusal & { readonly words: string; readonly advice: string })[];
};

/** How the calls in the window are divided. `spent`, `reserved`, `free`, `earlier`, and `others` add up to `limit`. */
interface BudgetDocument {
  /** Calls in the window that are still reserved for other users of the key. */
  readonly reserved: number;
  /** The BFF's own calls that count toward the window now. */
  readonly spent: number;
  /** How many of the BFF's own calls still fit into the window. `left` of these calls may be sent now. */
  readonly free: number;
  /** `spent` over the last 30 minutes, with one point every 15 seconds, oldest first. */
  readonly history: readonly CallHistoryPoint[];
}

/**
 * Creates the status document from the state, its problems, and the facts of features. Sources with a problem come
 * first. The other sources are sorted by views, and sources that have no readers come last.
 */
export function statusDocument(state: BffState, found: readonly Problem[], ofFeatures: object = {}): StatusDocument {
  const { budget, refusals, history, ...rest } = state;
  const counts: Record<string, Record<string, number>> = {};
  for (const { code, origin, count } of refusals) (counts[code] ??= {})[origin] = count;
  const proxy = { isBehindUnknownProxy: isBehindUnknownProxy(state) };
  return {
    summary: summaryOf(found, state),
    problems: found,
    ...rest,
    ...ofFeatures,
    degraded: found.filter(({ level }) => level !== 'notice').map(({ code }) => code),
    budget: { ...budgetDocument(budget), history },
    sources: state.sources.toSorted(
      (a, b) => rankOf(a) - rankOf(b) || b.viewsPerMinute - a.viewsPerMinute || compareNames(a, b),
    ),
    refusals: counts,
    turnedAway: refusals.map((refusal) => ({
      ...refusal,
      ...causeOf(refusal.code, { ...refusal, ...proxy }),
    })),
  };
}

function budgetDocument({ used: spent, ...budget }: BffState['budget']): Omit<StatusDocument['budget'], 'history'> {
  const free = Math.max(0, budget.capacity - spent);
  const reserved = Math.max(0, budget.limit - spent - budget.others - budget.earlier - free);
  return { ...budget, reserved, spent, free };
}

/** The document as JSON, with durations in whole milliseconds. */
export function statusJson(status: StatusDocument): string {
  return JSON.stringify(
    status,
    (name, value: unknown) => (typeof value === 'number' && name.endsWith('Ms') ? Math.round(value) : value),
    2,
  );
}

/**
 * The sort order. Sources with problems that readers see come first. Sources whose problems readers don't see yet, and
 * broken sources, come next. Sources without problems come third, and sources that have no readers come last.
 */
function rankOf(source: SourceRow): number {
  const isRead = hasReaders(source);
  if (isRead && source.readersSee === 'error') return 0;
  if (isRead && source.readersSee === 'earlier-version') return 1;
  if (source.status === 'BROKEN' || (isRead && source.lastFailure !== null)) return 2;
  return isRead ? 3 : 4;
}

function compareNames(a: SourceRow, b: SourceRow): number {
  return (a.name ?? a.sourceId).localeCompare(b.name ?? b.sourceId, 'en');
}
