import type { Config } from '../../config.ts';
import type { SourceFacts } from '../../pulses/status.ts';
import type { RedisStatus } from '../../pulses/store.ts';
import type { BudgetStatus } from '../../upstream/budget.ts';
import type { HostStatus } from '../../upstream/hosts.ts';
import type { KeyFileStatus, KeyStatus } from '../../upstream/key.ts';
import type { Counts } from './counters.ts';

/** A source, and what its readers get now. `unknown`: the source was never requested. */
export interface SourceRow extends SourceFacts {
  readonly readersSee: 'fresh' | 'earlier-version' | 'no-chart' | 'error' | 'unknown';
}

/** The state of a host, with the time of its last response as ISO 8601. */
export interface HostView extends Omit<HostStatus, 'lastAnswerAt'> {
  readonly lastAnswerAt: string | null;
}

/** Everything that the BFF knows about itself. Durations are in ms. */
export interface State extends Counts {
  /** The version of `@pulse-card/bff`. */
  readonly version: string;
  /** ISO 8601. */
  readonly at: string;
  readonly uptimeMs: number;
  readonly stopping: boolean;
  /** Whether there is something to serve. */
  readonly ready: boolean;
  readonly key: KeyStatus;
  /** The state of `PULSE_API_KEY_FILE`, if it is set. */
  readonly keyFile?: KeyFileStatus | undefined;
  /** The day in UTC, the days until then, and whether the day is an estimate. Null if this is unknown. */
  readonly keyExpiry: { readonly day: string; readonly inDays: number; readonly isGuess: boolean } | null;
  readonly hosts: readonly HostView[];
  /** The failure of every call, if none succeeds; null if any does. */
  readonly failing: SourceFacts['lastFailure'];
  readonly budget: BudgetStatus;
  /** The limit that the service named last; null if it named none. */
  readonly serviceLimit: number | null;
  readonly callsInFlight: number;
  readonly list: SourceFacts;
  /** How many rows of the list couldn't be parsed and were omitted. */
  readonly unreadableRows: number;
  readonly sources: readonly SourceRow[];
  /** The sources that usually have a new run by now. */
  readonly overdue: readonly string[];
  /** How long cached charts can still be shown without a new response, in ms; 0 if no charts are cached. */
  readonly chartsLastMs: number;
  /** The hosts of charts that readers don't get. */
  readonly refusedCharts: readonly { readonly host: string; readonly reason: string; readonly charts: number }[];
  /** Null if Redis isn't used. */
  readonly redis: RedisStatus | null;
  /**
   * The error code of the last write to the state folder, such as `ENOSPC`; null if it succeeded. Only with
   * `PULSE_STATE_DIR`.
   */
  readonly stateDirFault?: string | null | undefined;
  /** Only with `PULSE_WITHHELD_FILE`. */
  readonly withheld?: WithheldStatus | undefined;
  /** The webhook's host (null if none is configured), how many messages arrived, and why the last one didn't. */
  readonly alerts: { readonly host: string | null; readonly sent: number; readonly failure: string | null };
  /** Whether log lines are being lost, because standard output can't be written. */
  readonly logLost: boolean;
  /** Notes for the operator, for example about a proxy that `TRUST_PROXY` doesn't list. */
  readonly warnings: readonly string[];
}

export interface WithheldStatus {
  /** Whether the status page can withhold and restore text. */
  readonly isWritable: boolean;
  readonly fault: 'missing' | 'unreadable' | null;
  /** The runs whose text is withheld, in the order of the file. */
  readonly runs: readonly string[];
  /** The run that readers see, by source. */
  readonly latestRuns: Readonly<Record<string, string | undefined>>;
}

/** The row of a source in the status. After a failure, the next refresh is the next retry. */
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

/** How long the chart that expires first can still be shown. If any charts have readers, only these charts count. */
export function chartsLastMs(
  { sources, key }: Pick<State, 'sources' | 'key'>,
  { freshMs, staleMs, authStaleMs }: Pick<Config, 'freshMs' | 'staleMs' | 'authStaleMs'>,
): number {
  const usable = sources.filter(({ hasPulse, freshness }) => hasPulse && freshness !== 'expired');
  if (usable.length === 0) return 0;
  const read = usable.filter(hasReaders);
  const oldestMs = Math.max(...(read.length > 0 ? read : usable).map(({ ageMs }) => ageMs ?? 0));
  const keyLastsMs = key.state === 'refused' ? authStaleMs - (key.refusedForMs ?? 0) : Infinity;
  return Math.max(0, Math.min(freshMs + staleMs - oldestMs, keyLastsMs));
}

/** The failure of the list and of all sources with readers, if none of them can be refreshed. */
export function failingOf(list: SourceFacts, sources: readonly SourceFacts[]): State['failing'] {
  const isAskedFor = ({ freshness, lastFailure }: SourceFacts) =>
    freshness !== 'never-answered' || lastFailure !== null;
  const failures = [list, ...sources.filter(hasReaders)].filter(isAskedFor).map(({ lastFailure }) => lastFailure);
  const [first] = failures.filter((failure) => failure !== null).toSorted((a, b) => b.forMs - a.forMs);
  if (first === undefined || failures.includes(null)) return null;
  return { ...first, forMs: Math.min(...failures.map((failure) => failure?.forMs ?? 0)) };
}

/** If the failures of a source last longer than this, in ms, they are a problem. */
const FAILING_FOR_MS = 5 * 60_000;

/** Sources with readers for which every call has failed for a long time while calls for other sources succeed. */
export function failingSources({ sources, hosts, key }: Pick<State, 'sources' | 'hosts' | 'key'>): SourceRow[] {
  if (key.state === 'refused' || !isAnswering(hosts)) return [];
  return sources.filter((source) => hasReaders(source) && (source.lastFailure?.forMs ?? 0) >= FAILING_FOR_MS);
}

/** Whether a host responded to its last call. */
export function isAnswering(hosts: readonly Pick<HostView, 'state'>[]): boolean {
  return hosts.some(({ state }) => state === 'closed');
}

/** Whether no host returns a usable response. */
export function isDown({ hosts, failing }: Pick<State, 'hosts' | 'failing'>): boolean {
  if (failing?.code === 'not_found_everywhere') return true;
  return hosts.every(({ state }) => state === 'open' || state === 'half-open');
}
