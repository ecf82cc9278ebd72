import type { AnswerCounts, ImageCounts, ReadersTodayCounts } from './reader-statistics.ts';
import { type SourceRow, sourceRows } from './source-rows.ts';
import { type StatusSummary, type SummaryFacts, type SummaryHost, statusSummary } from './status-summary.ts';
import type { ReaderOutcomes } from './reader-outcomes.ts';
import { type Refusal, type TurnedAway, turnedAway, type RefusalCounts } from './refusal-counter.ts';
import type { CacheStatus } from '../cache/cache-status.ts';
import type { KeyedFreshnessPolicy } from '../cache/freshness.ts';
import type { ClusterStatus } from '../cache/port.ts';
import type { AlertsStatus } from '../alerts/alerts.ts';
import type { KeyExpiry } from '../alerts/key-expiry.ts';
import type { KeyFileStatus } from '../upstream/key-file.ts';
import type { Clock } from '../clock.ts';

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

/** What `GET /status` answers. */
export interface StatusDocument extends Omit<BffStatus, 'budget' | 'sources'> {
  /** The state in plain words. */
  readonly summary: StatusSummary;
  readonly budget: Omit<BffStatus['budget'], 'used'> & BudgetDocument;
  /** Those with problems first, then by views, those without readers last. */
  readonly sources: readonly SourceRow[];
  /** What readers got in the last five minutes. */
  readonly outcomes: ReaderOutcomes;
  /** What readers got in the last hour. */
  readonly lastHour: AnswerCounts;
  /** Refusals since the start with what to do about them, most frequent first. */
  readonly turnedAway: readonly TurnedAway[];
  /** Views since midnight UTC by source and page origin. */
  readonly readersToday: ReadersTodayCounts;
}

/** What the document is made of beside the state of the core. */
export interface StatusDocumentParts {
  readonly history: readonly CallHistoryPoint[];
  readonly answers: AnswerCounts;
  readonly images: ImageCounts;
  readonly outcomes: ReaderOutcomes;
  readonly readersToday: ReadersTodayCounts;
  readonly refusals: readonly Refusal[];
  /** Returns whether cards of a source show "Earlier version". */
  readonly isEarlierVersion: (sourceId: string) => boolean;
  readonly freshnessPolicy: KeyedFreshnessPolicy;
}

/** Makes the document of the state of the core and what was counted. */
export function statusDocument(status: BffStatus, parts: StatusDocumentParts): StatusDocument {
  const { budget } = status;
  const facts = status.sources.map((source) => ({
    ...source,
    isEarlierVersion: parts.isEarlierVersion(source.sourceId),
  }));
  const sources = sourceRows(facts, budget.left);
  return {
    summary: statusSummary(summaryFacts(status, sources, parts)),
    ...status,
    budget: budgetDocument(budget, parts.history),
    sources,
    outcomes: parts.outcomes,
    lastHour: parts.answers,
    turnedAway: turnedAway(parts.refusals),
    readersToday: parts.readersToday,
  };
}

function budgetDocument(budget: BffStatus['budget'], history: readonly CallHistoryPoint[]): StatusDocument['budget'] {
  const { used: spent, ...rest } = budget;
  const free = Math.max(0, budget.capacity - spent);
  const reserved = Math.max(0, budget.limit - spent - budget.others - free);
  return { ...rest, reserved, spent, free, history };
}

/** The document as JSON, durations in whole milliseconds. */
export function statusJson(status: StatusDocument): string {
  return JSON.stringify(status, wholeMs, 2);
}

function wholeMs(name: string, value: unknown): unknown {
  return typeof value === 'number' && name.endsWith('Ms') ? Math.round(value) : value;
}

function summaryFacts(
  status: BffStatus,
  sources: readonly SourceRow[],
  { images, outcomes, refusals, freshnessPolicy }: StatusDocumentParts,
): SummaryFacts {
  const { key, answers } = status;
  const refusedForMs = key.state === 'refused' ? (key.refusedForMs ?? 0) : undefined;
  return {
    ...status,
    hosts: status.hosts.map((host) => summaryHost(host, status.at)),
    chartsLastMs: chartsLastMs(sources, freshnessPolicy, refusedForMs),
    images,
    outcomes,
    refusedOrigin: topRefusedOrigin(refusals),
    sources: sourcesFacts(sources),
    hasReaders: READER_RESULTS.some((result) => (answers[result] ?? 0) > 0),
  };
}

/** The origin whose pages were refused most often since the start. */
function topRefusedOrigin(refusals: readonly Refusal[]): string | undefined {
  const named = refusals.filter(({ code, origin }) => code === 'origin_forbidden' && origin.includes('://'));
  return named.toSorted((a, b) => b.count - a.count)[0]?.origin;
}

const READER_RESULTS = ['hit', 'stale', 'miss', 'collapsed'];

const HOST_STATES = { closed: 'well', degraded: 'failing', open: 'down', 'half-open': 'down' } as const;

function summaryHost(
  { host, state, consecutiveFailures, openForMs, lastAnswerAt }: BffStatus['hosts'][number],
  at: string,
): SummaryHost {
  const isRecovering = HOST_STATES[state] === 'down' && consecutiveFailures === 0;
  return {
    name: host,
    state: isRecovering ? 'recovering' : HOST_STATES[state],
    nextTryInMs: openForMs,
    lastAnswerAgoMs: lastAnswerAt === null ? undefined : Math.max(0, Date.parse(at) - Date.parse(lastAnswerAt)),
  };
}

/** How long the first chart to expire can still be shown: of those with readers, where any has. */
function chartsLastMs(
  sources: readonly SourceRow[],
  { freshForMs, staleForMs, authStaleForMs }: StatusDocumentParts['freshnessPolicy'],
  refusedForMs: number | undefined,
): number | undefined {
  const cached = sources.filter(({ hasPulse }) => hasPulse);
  if (cached.length === 0) return undefined;
  const usable = cached.filter(({ freshness }) => freshness !== 'expired');
  if (usable.length === 0) return 0;
  const read = usable.filter(({ nextRefreshInMs }) => nextRefreshInMs !== null);
  const oldestMs = Math.max(...(read.length > 0 ? read : usable).map(({ ageMs }) => ageMs ?? 0));
  const lastsMs = freshForMs + staleForMs - oldestMs;
  return Math.max(0, refusedForMs === undefined ? lastsMs : Math.min(lastsMs, authStaleForMs - refusedForMs));
}

function sourcesFacts(sources: readonly SourceRow[]): SummaryFacts['sources'] {
  const read = sources.filter(({ reason }) => reason.code !== 'nobody_looks');
  const behind = read.filter(({ readersSee }) => readersSee === 'earlier-version');
  const ages = read.flatMap(({ readersSee, ageMs }) => (readersSee === 'error' || ageMs === null ? [] : [ageMs]));
  const nextMs = behind.flatMap(({ nextRefreshInMs }) => nextRefreshInMs ?? []);
  return {
    behind: behind.length,
    missing: read.filter(({ readersSee }) => readersSee === 'error' || readersSee === 'unknown').length,
    oldestAgeMs: ages.length === 0 ? undefined : Math.max(...ages),
    nextRefreshInMs: nextMs.length === 0 ? undefined : Math.min(...nextMs),
  };
}

/** The state of the core and the counts of responses. */
export interface BffStatus extends CacheStatus {
  /** The version of `@pulse-card/bff`. */
  readonly version: string;
  readonly at: string;
  readonly uptimeMs: number;
  readonly stopping: boolean;
  /** What the operator should look into, such as a proxy that `TRUST_PROXY` does not name. */
  readonly warnings: readonly string[];
  /** Refusals since the start, by code and origin. */
  readonly refusals: RefusalCounts;
  /** Answers since the start, by what the cache did. */
  readonly answers: Readonly<Record<string, number>>;
  /** The instances on one Redis; null where there is none. */
  readonly redis: ClusterStatus | null;
  /** When the key in use ends; null where nobody knows. */
  readonly keyExpiry: KeyExpiry | null;
  /** The state of the key file; null where the key is in no file. */
  readonly keyFile: KeyFileStatus | null;
  readonly alerts: AlertsStatus;
}

/** How often the calls are read, in ms. */
const STEP_MS = 15_000;

/** The length of the history, in ms. */
const LENGTH_MS = 30 * 60_000;

const CAPACITY = LENGTH_MS / STEP_MS + 1;

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
    if (this.#points.length > CAPACITY) this.#points.shift();
  }
}
