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
  /** All current problems, the most serious first. */
  readonly problems: readonly Problem[];
  /** The codes of `problems`, without notices. */
  readonly degraded: readonly string[];
  readonly budget: Omit<BffState['budget'], 'used'> & BudgetDocument;
  /** Refusals since the start, by code and origin. */
  readonly refusals: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Refusals since the start, with advice, most frequent first. */
  readonly turnedAway: readonly (Refusal & { readonly words: string; readonly advice: string })[];
};

/** The calls of the window. `spent`, `reserved`, `free`, `earlier`, and `others` add up to `limit`. */
interface BudgetDocument {
  /** Calls of the window that are still reserved for other users of the key. */
  readonly reserved: number;
  /** The BFF's own calls that count against the window now. */
  readonly spent: number;
  /** The BFF's own calls that still fit into the window. `left` of them may be sent now. */
  readonly free: number;
  /** `spent` over the last 30 minutes, one point every 15 seconds, oldest first. */
  readonly history: readonly CallHistoryPoint[];
}

/**
 * Makes the document of a state, with its problems and the facts of features. Sources with a problem come first, then
 * the others by views, and sources without readers last.
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
 * The sort order: problems that readers see, then problems that they don't see yet and broken sources, then sources
 * without problems, then sources without readers.
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
