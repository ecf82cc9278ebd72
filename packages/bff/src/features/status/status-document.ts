import type { BudgetStatus } from '../../upstream/budget.ts';
import type { OriginCount } from './counters.ts';
import { causeOf } from './failure-words.ts';
import type { Problem } from '../../lib/problem.ts';
import { problemsOf } from './problems.ts';
import { hasReaders, type SourceRow, type State } from './state.ts';
import { durationWords, plural } from './words.ts';

/** The calls in one window at a given time. */
export interface CallHistoryPoint {
  /** ISO 8601. */
  readonly at: string;
  /** How many calls this BFF made in the window that ended at `at`. */
  readonly spent: number;
}

/** The state in plain words. */
export interface StatusSummary {
  readonly level: 'ok' | 'degraded' | 'down';
  readonly headline: string;
  readonly advice: string;
}

/** The response of `GET /status`. */
export interface StatusDocument extends Omit<State, 'budget' | 'refusals'> {
  readonly summary: StatusSummary;
  /** All current problems, with the most serious ones first. */
  readonly problems: readonly Problem[];
  /** The codes of `problems`, without notices. */
  readonly degraded: readonly string[];
  /** The calls in the window. `spent`, `reserved`, `free`, `earlier`, and `others` add up to `limit`. */
  readonly budget: Omit<BudgetStatus, 'used'> & {
    /** Calls that are still reserved for other users of the key. */
    readonly reserved: number;
    /** The BFF's own calls. */
    readonly spent: number;
    /** How many of the BFF's own calls still fit into the window. `left` of these calls may be sent now. */
    readonly free: number;
    /** `spent` over the last 30 minutes, with one point every 15 seconds, oldest first. */
    readonly history: readonly CallHistoryPoint[];
  };
  /** The rejected requests since startup, by code and origin. */
  readonly refusals: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The rejected requests since startup, with advice. The most frequent ones come first. */
  readonly turnedAway: readonly (OriginCount & {
    readonly code: string;
    readonly words: string;
    readonly advice: string;
  })[];
}

/** Creates the status document. Sources with a problem come first, then those with the most views. */
export function statusDocument(state: State, history: readonly CallHistoryPoint[]): StatusDocument {
  const { budget, refusals, ...rest } = state;
  const problems = problemsOf(state);
  const counts: Record<string, Record<string, number>> = {};
  for (const { code, origin, count } of refusals) (counts[code] ??= {})[origin] = count;
  return {
    summary: summaryOf(problems, state),
    problems,
    ...rest,
    degraded: problems.filter(({ level }) => level !== 'notice').map(({ code }) => code),
    budget: { ...budgetDocument(budget), history: [...history] },
    sources: state.sources.toSorted(compareSources),
    refusals: counts,
    turnedAway: refusals.map((each) => ({ ...each, ...causeOf(each.code, each) })),
  };
}

function budgetDocument({ used: spent, ...budget }: BudgetStatus) {
  const free = Math.max(0, budget.capacity - spent);
  const reserved = Math.max(0, budget.limit - spent - budget.others - budget.earlier - free);
  return { ...budget, reserved, spent, free };
}

const GET_A_SNIPPET = 'Get the snippet for a chart in the Studio, and put it on a page.';

/** The most serious problem, or that everything works. */
function summaryOf(found: readonly Problem[], { sources, lastHour }: State): StatusSummary {
  for (const { level, headline, advice } of found) if (level !== 'notice') return { level, headline, advice };
  const start = found.find(({ code }) => code === 'starting');
  if (start !== undefined) return { level: 'ok', headline: start.headline, advice: start.advice };
  const broken = found.filter(({ sourceId }) => sourceId !== undefined).length;
  if (broken > 0) {
    const headline = `Readers get their charts. ${plural(broken, 'source')} ${broken === 1 ? 'needs' : 'need'} attention.`;
    return { level: 'ok', headline, advice: 'Look at the sources below.' };
  }
  const read = sources.filter(hasReaders);
  if (read.length === 0 && Object.values(lastHour).every((count) => count === 0))
    return { level: 'ok', headline: 'All is well. No reader has requested a chart yet.', advice: GET_A_SNIPPET };
  const missing = read.filter(({ readersSee }) => readersSee === 'error' || readersSee === 'unknown').length;
  const oldestMs = Math.max(0, ...read.map(({ ageMs }) => ageMs ?? 0));
  const age = read.length > missing ? `Readers get charts no older than ${durationWords(oldestMs)}.` : '';
  const lacking = missing > 0 ? ` ${plural(missing, 'chart')} not loaded yet.` : '';
  return { level: 'ok', headline: 'All is well. Nothing to do.', advice: `${age}${lacking}`.trim() };
}

/** Problems that readers see come first, then other problems, sources without problems, and sources without readers. */
function rankOf(source: SourceRow): number {
  const isRead = hasReaders(source);
  if (isRead && source.readersSee === 'error') return 0;
  if (isRead && source.readersSee === 'earlier-version') return 1;
  if (source.status === 'BROKEN' || (isRead && source.lastFailure !== null)) return 2;
  return isRead ? 3 : 4;
}

function compareSources(a: SourceRow, b: SourceRow): number {
  const byName = (a.name ?? a.sourceId).localeCompare(b.name ?? b.sourceId, 'en');
  return rankOf(a) - rankOf(b) || b.viewsPerMinute - a.viewsPerMinute || byName;
}
