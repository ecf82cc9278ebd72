import type { Pulse, SourceInfo } from '../data/pulse.ts';
import type { Failure, Result } from '../data/result.ts';

/** An element's state, which pages can read. */
export type PulseStatus = 'idle' | 'loading' | 'ready' | 'stale' | 'empty' | 'error';

/** What an element knows about its data. */
export interface ResourceState<T = Pulse> {
  readonly status: PulseStatus;
  readonly data?: T | undefined;
  readonly source?: SourceInfo | undefined;
  /** The last response, if it had no data. */
  readonly failure?: Failure | undefined;
  /** How many responses have arrived since the last fresh pulse. */
  readonly attempts: number;
}

/** The number of retries that are only seconds apart. Later retries are 30 seconds to 5 minutes apart. */
export const MAX_FAST_RETRIES = 3;

/** The first failure isn't shown if the next attempt follows within this time. */
const MAX_SILENT_WAIT_MS = 10_000;

const RETRY_BASE_MS = 1_000;

/** The shortest and longest wait before stale data is refreshed, or a persistent failure is retried. */
export const MIN_SLOW_RETRY_MS = 30_000;
const MAX_SLOW_RETRY_MS = 300_000;

/** The state of an element that hasn't requested anything yet. */
export const IDLE: ResourceState<never> = { status: 'idle', attempts: 0 };

/** The state while a request is in progress. Visible data stays. The failure of a manual request is shown immediately. */
export function requestStarted<T>(state: ResourceState<T>, isManual: boolean): ResourceState<T> {
  return state.data ? state : { ...state, status: 'loading', attempts: isManual ? MAX_FAST_RETRIES : 0 };
}

/** The state after a response. */
export function responseReceived<T>(before: ResourceState<T>, result: Result<T>): ResourceState<T> {
  const attempts = before.attempts + 1;
  const { source = before.source } = result;
  if (result.ok) {
    const { data, stale } = result;
    return { status: stale ? 'stale' : 'ready', data, source, attempts: stale ? attempts : 0 };
  }
  const isEmpty = result.code === 'pulse_not_found';
  // An unknown or forbidden source's name must not be shown.
  const state = { ...before, source: isEmpty || result.retriable ? source : undefined, failure: result, attempts };
  const keepsData = result.retriable || result.code === 'signed_out';
  if (keepsData && state.data) return { ...state, status: 'stale' };
  // A timeout is shown immediately, because the reader has already waited long enough.
  const isEarly = before.attempts === 0 && result.code !== 'timeout';
  const isSilent = isEarly && (retryDelayMs(state) ?? Infinity) < MAX_SILENT_WAIT_MS;
  const status = isEmpty ? 'empty' : isSilent ? before.status : 'error';
  return { ...state, data: undefined, status };
}

/** Whether the reader sees the failure. A visible failure stays visible during a manual request. */
export function isErrorVisible<T>(state: ResourceState<T>): state is ResourceState<T> & { readonly failure: Failure } {
  const { status, failure, attempts } = state;
  return !!failure && (status !== 'loading' || attempts >= MAX_FAST_RETRIES);
}

/** Whether the source's next run is overdue. */
export function isOverdue({ data, source }: ResourceState<unknown>): boolean {
  return !!data && !!source?.rhythm?.overdueSince;
}

/** How long to wait before the next request, in milliseconds; undefined if no request follows. `jitter` is 0 to 1. */
export function retryDelayMs({ status, failure, attempts }: ResourceState<unknown>, jitter = 0): number | undefined {
  const isStale = status === 'stale';
  if (failure ? !failure.retriable : !isStale) return undefined;
  const retryAfterMs = failure?.retryAfterMs ?? 0;
  const slowAttempts = isStale ? attempts : attempts - MAX_FAST_RETRIES;
  if (slowAttempts > 0)
    return Math.max(retryAfterMs, Math.min(MIN_SLOW_RETRY_MS * 2 ** (slowAttempts - 1), MAX_SLOW_RETRY_MS));
  return (retryAfterMs || RETRY_BASE_MS * 2 ** (attempts - 1) * (1 + jitter)) + jitter * RETRY_BASE_MS;
}
