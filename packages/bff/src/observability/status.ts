import type { AlertsStatus } from '../alerts/alerts.ts';
import type { CacheStatus, SourceStatusFacts } from '../cache/cache-status.ts';
import type { KeyedFreshnessPolicy } from '../cache/freshness.ts';
import type { Clock } from '../clock.ts';
import type { AnswerCounts, ReadersToday, Refusal } from './counters.ts';
import { type Problem, type ProblemFacts, problems, reasonOf, type StatusSummary, summaryOf } from './problems.ts';

/** A source, and whether its cards show "Earlier version". */
export interface SourceFacts extends SourceStatusFacts {
  readonly isEarlierVersion: boolean;
}

/** All that the BFF knows of itself. Durations in ms. */
export interface BffState
  extends CacheStatus, Pick<ProblemFacts, 'stopping' | 'redis' | 'keyFile' | 'keyExpiry' | 'images' | 'outcomes'> {
  /** The version of `@pulse-card/bff`. */
  readonly version: string;
  /** ISO 8601. */
  readonly at: string;
  readonly uptimeMs: number;
  readonly sources: readonly SourceFacts[];
  /** What the operator should look into, such as a proxy that `TRUST_PROXY` does not name. */
  readonly warnings: readonly string[];
  /** Answers since the start, by what the cache did. */
  readonly answers: Readonly<Record<string, number>>;
  readonly lastHour: AnswerCounts;
  readonly refusals: readonly Refusal[];
  readonly readersToday: ReadersToday;
  readonly history: readonly CallHistoryPoint[];
  readonly alerts: AlertsStatus;
}

/** The problems of a state, and the facts that they follow from. */
export function diagnose(state: BffState, freshnessPolicy: KeyedFreshnessPolicy) {
  const facts: ProblemFacts = {
    ...state,
    ...readFacts(state.sources),
    failing: failingSources(state),
    answeredAgoMs: answeredAgoMs(state),
    chartsLastMs: chartsLastMs(state, freshnessPolicy),
    refusedOrigin: state.refusals.find(({ code, origin }) => code === 'origin_forbidden' && origin.includes('://'))
      ?.origin,
    isBehindUnknownProxy: state.warnings.some((warning) => warning.includes('TRUST_PROXY')),
    hasReaders: READER_RESULTS.some((result) => (state.answers[result] ?? 0) > 0),
  };
  const found = problems(facts);
  return { summary: summaryOf(found, facts), problems: found };
}

const READER_RESULTS = ['hit', 'stale', 'miss', 'collapsed'];

function answeredAgoMs({ hosts, at }: BffState): number | null {
  const answers = hosts.flatMap(({ lastAnswerAt }) => (lastAnswerAt === null ? [] : [Date.parse(lastAnswerAt)]));
  return answers.length === 0 ? null : Math.max(0, Date.parse(at) - Math.max(...answers));
}

/** How long the first chart to expire can still be shown: of those with readers, where any has. */
function chartsLastMs(
  { sources, key }: BffState,
  { freshForMs, staleForMs, authStaleForMs }: KeyedFreshnessPolicy,
): number {
  const usable = sources.filter(({ hasPulse, freshness }) => hasPulse && freshness !== 'expired');
  if (usable.length === 0) return 0;
  const read = usable.filter(hasReaders);
  const oldestMs = Math.max(...(read.length > 0 ? read : usable).map(({ ageMs }) => ageMs ?? 0));
  const keyLastsMs = key.state === 'refused' ? authStaleForMs - (key.refusedForMs ?? 0) : Infinity;
  return Math.max(0, Math.min(freshForMs + staleForMs - oldestMs, keyLastsMs));
}

function hasReaders({ nextRefreshInMs }: SourceFacts): boolean {
  return nextRefreshInMs !== null;
}

/** How many sources with readers are older than they should be or have nothing to show, and the age of the oldest chart. */
function readFacts(sources: readonly SourceFacts[]): Pick<ProblemFacts, 'behind' | 'missing' | 'oldestAgeMs'> {
  let [behind, missing, oldestAgeMs]: [number, number, number | undefined] = [0, 0, undefined];
  for (const source of sources.filter(hasReaders)) {
    const seen = readersSee(source);
    if (seen === 'earlier-version') behind += 1;
    if (seen === 'error' || seen === 'unknown') missing += 1;
    else oldestAgeMs = Math.max(oldestAgeMs ?? 0, source.ageMs ?? 0);
  }
  return { behind, missing, oldestAgeMs };
}

/** Failures that last longer are a problem of the source, in ms. */
const FAILING_FOR_MS = 5 * 60_000;

/** Sources with readers whose calls have failed for long, while the service answers calls about others. */
export function failingSources({ sources, hosts, key }: BffState): SourceFacts[] {
  if (key.state === 'refused' || !hosts.some(({ state }) => state === 'closed')) return [];
  return sources.filter(
    ({ nextRefreshInMs, lastFailure }) => nextRefreshInMs !== null && (lastFailure?.forMs ?? 0) >= FAILING_FOR_MS,
  );
}

/** What a reader of a source gets now; `unknown`: it was never requested. */
export type ReadersSee = 'fresh' | 'earlier-version' | 'no-chart' | 'error' | 'unknown';

function readersSee({ freshness, hasPulse, isEarlierVersion, lastFailure }: SourceFacts): ReadersSee {
  if (freshness === 'never-answered') return lastFailure === null ? 'unknown' : 'error';
  if (freshness === 'expired') return 'error';
  if (!hasPulse) return 'no-chart';
  return isEarlierVersion ? 'earlier-version' : 'fresh';
}

/** What `GET /status` answers. */
export type StatusDocument = Omit<BffState, 'budget' | 'sources' | 'refusals' | 'history'> & {
  /** The state in plain words. */
  readonly summary: StatusSummary;
  /** All that is wrong, the most serious first. */
  readonly problems: readonly Problem[];
  /** The codes of `problems`. */
  readonly degraded: readonly string[];
  readonly budget: Omit<BffState['budget'], 'used'> & BudgetDocument;
  /** Those with problems first, then by views, those without readers last. */
  readonly sources: readonly SourceRow[];
  /** Refusals since the start, by code and origin. */
  readonly refusals: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Refusals since the start with what to do about them, most frequent first. */
  readonly turnedAway: readonly (Refusal & { readonly words: string; readonly advice: string })[];
};

/** The calls of the window: `spent`, `reserved`, `free` and calls of `others` add up to `limit`. */
interface BudgetDocument {
  /** Calls of the window that are still left to other users of the key. */
  readonly reserved: number;
  /** Own calls that count against the window now. */
  readonly spent: number;
  /** Own calls that the window still takes; `left` of them may leave now. */
  readonly free: number;
  /** `spent` over the last 30 minutes, one point every 15 seconds, oldest first. */
  readonly history: readonly CallHistoryPoint[];
}

/** Makes the document of a state. */
export function statusDocument(state: BffState, freshnessPolicy: KeyedFreshnessPolicy): StatusDocument {
  const { budget, refusals, history, ...rest } = state;
  const found = diagnose(state, freshnessPolicy);
  const counts: Record<string, Record<string, number>> = {};
  for (const { code, origin, count } of refusals) (counts[code] ??= {})[origin] = count;
  return {
    ...found,
    ...rest,
    degraded: found.problems.filter(({ level }) => level !== 'notice').map(({ code }) => code),
    budget: { ...budgetDocument(budget), history },
    sources: sourceRows(state.sources, budget.left),
    refusals: counts,
    turnedAway: refusals.map((refusal) => ({ ...refusal, ...reasonOf(refusal.code, refusal) })),
  };
}

function budgetDocument({ used: spent, ...budget }: BffState['budget']): Omit<StatusDocument['budget'], 'history'> {
  const free = Math.max(0, budget.capacity - spent);
  const reserved = Math.max(0, budget.limit - spent - budget.others - free);
  return { ...budget, reserved, spent, free };
}

/** The document as JSON, durations in whole milliseconds. */
export function statusJson(status: StatusDocument): string {
  return JSON.stringify(
    status,
    (name, value: unknown) => (typeof value === 'number' && name.endsWith('Ms') ? Math.round(value) : value),
    2,
  );
}

/** Why a source is refreshed when it is. */
export type RefreshReason =
  | 'failed'
  | 'waiting_for_calls'
  | 'most_readers'
  | 'many_readers'
  | 'few_readers'
  | 'hardly_any_readers'
  | 'nobody_looks';

/** A source as the status page shows it. */
export interface SourceRow extends SourceFacts {
  readonly readersSee: ReadersSee;
  /** After a failure, the time until the next try. */
  readonly nextRefreshInMs: number | null;
  readonly reason: RefreshReason;
}

/** A source with fewer views a minute has hardly any readers. */
const FEW_VIEWS_PER_MINUTE = 0.5;

/** A source with at least this share of the views of the most viewed one has many readers. */
const SHARE_OF_MANY = 0.25;

/** The sources: those with problems first, then by views, those without readers last. `freeCalls` may leave now. */
export function sourceRows(sources: readonly SourceFacts[], freeCalls: number): SourceRow[] {
  const maxViews = Math.max(0, ...sources.map(({ viewsPerMinute }) => viewsPerMinute));
  return sources
    .map((facts) => ({
      ...facts,
      readersSee: readersSee(facts),
      nextRefreshInMs: facts.nextRefreshInMs === null ? null : retryInMsOf(facts) || facts.nextRefreshInMs,
      reason: reasonToRefresh(facts, freeCalls, maxViews),
    }))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || b.viewsPerMinute - a.viewsPerMinute || byName(a, b));
}

function retryInMsOf({ lastFailure }: SourceFacts): number {
  return lastFailure?.retryInMs ?? 0;
}

function reasonToRefresh(facts: SourceFacts, freeCalls: number, maxViews: number): RefreshReason {
  const { freshness, nextRefreshInMs, viewsPerMinute } = facts;
  if (retryInMsOf(facts) > 0) return 'failed';
  if (nextRefreshInMs === null) return 'nobody_looks';
  if (nextRefreshInMs === 0 && freshness !== 'fresh' && freeCalls < 1) return 'waiting_for_calls';
  if (viewsPerMinute < FEW_VIEWS_PER_MINUTE) return 'hardly_any_readers';
  if (viewsPerMinute === maxViews) return 'most_readers';
  return viewsPerMinute >= SHARE_OF_MANY * maxViews ? 'many_readers' : 'few_readers';
}

/** Problems that readers see, problems that they do not see yet, no problems, no readers. */
function rankOf({ readersSee, reason }: SourceRow): number {
  if (reason === 'nobody_looks') return 4;
  if (readersSee === 'error') return 0;
  if (readersSee === 'earlier-version') return 1;
  return reason === 'failed' ? 2 : 3;
}

function byName(a: SourceFacts, b: SourceFacts): number {
  return (a.name ?? a.sourceId).localeCompare(b.name ?? b.sourceId, 'en');
}

/** How often the calls are read, in ms. */
const STEP_MS = 15_000;

/** Points of 30 minutes. */
const MAX_POINTS = (30 * 60_000) / STEP_MS + 1;

/** The calls of one window at one moment. */
export interface CallHistoryPoint {
  /** ISO 8601. */
  readonly at: string;
  /** Own calls in the window that ended at `at`. */
  readonly spent: number;
}

/** The calls to the service over the last 30 minutes, one point every 15 seconds. */
export class CallHistory {
  readonly #clock: Clock;
  readonly #spent: () => number;
  readonly #points: CallHistoryPoint[] = [];
  #cancel: () => void = () => {};

  /** `spent` returns the own calls in the window that ends now. */
  constructor(clock: Clock, spent: () => number) {
    this.#clock = clock;
    this.#spent = spent;
    this.#read();
  }

  /** Oldest first. */
  points(): readonly CallHistoryPoint[] {
    return [...this.#points];
  }

  close(): void {
    this.#cancel();
  }

  #read(): void {
    this.#cancel = this.#clock.schedule(STEP_MS, () => this.#read());
    this.#points.push({ at: new Date(this.#clock.wallNow()).toISOString(), spent: this.#spent() });
    if (this.#points.length > MAX_POINTS) this.#points.shift();
  }
}
