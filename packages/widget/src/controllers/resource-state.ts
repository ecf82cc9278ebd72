import type { Pulse, SourceInfo } from '../data/pulse.ts';
import type { Failure, Result } from '../data/result.ts';

/** The state of an element, as pages see it. */
export type PulseStatus = 'idle' | 'loading' | 'ready' | 'stale' | 'empty' | 'error';

/** All that an element knows of what it shows. */
export interface ResourceState<T = Pulse> {
  readonly status: PulseStatus;
  readonly data?: T | undefined;
  readonly source?: SourceInfo | undefined;
  /** The last response, where it brought no data. */
  readonly failure?: Failure | undefined;
  /** Responses since the last good and fresh one. */
  readonly attempts: number;
}

/** Retries within seconds, before those every 30 seconds to 5 minutes. */
export const MAX_FAST_RETRIES = 3;

/** The first failure is not shown if the next attempt comes sooner than this. */
const MAX_SILENT_WAIT_MS = 10_000;

const RETRY_BASE_MS = 1_000;

/** How often an earlier version is refreshed, and a failure that stays retried: at first, and after several attempts. */
export const MIN_SLOW_RETRY_MS = 30_000;
const MAX_SLOW_RETRY_MS = 300_000;

/** An element that has requested nothing yet. */
export const IDLE: ResourceState<never> = { status: 'idle', attempts: 0 };

/** The state while a request is on its way; data that is shown stays. A failure of a manual request is shown at once. */
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
  // Of a source that is unknown or not allowed, the reader does not learn the name either.
  const state = { ...before, source: isEmpty || result.retriable ? source : undefined, failure: result, attempts };
  const keepsData = result.retriable || result.code === 'signed_out';
  if (keepsData && state.data) return { ...state, status: 'stale' };
  // A reader who has waited for a timeout has waited long enough.
  const isEarly = before.attempts === 0 && result.code !== 'timeout';
  const isSilent = isEarly && (retryDelayMs(state) ?? Infinity) < MAX_SILENT_WAIT_MS;
  const status = isEmpty ? 'empty' : isSilent ? before.status : 'error';
  return { ...state, data: undefined, status };
}

/** Says whether the reader sees a failure: also while a manual request is on its way. */
export function isErrorVisible<T>(state: ResourceState<T>): state is ResourceState<T> & { readonly failure: Failure } {
  const { status, failure, attempts } = state;
  return !!failure && (status !== 'loading' || attempts >= MAX_FAST_RETRIES);
}

/** Says whether the source of what is shown has gone silent. */
export function isOverdue({ data, source }: ResourceState<unknown>): boolean {
  return !!data && !!source?.rhythm?.overdueSince;
}

/** How long to wait before the next request, in milliseconds; undefined where there is none. `jitter` is 0 to 1. */
export function retryDelayMs({ status, failure, attempts }: ResourceState<unknown>, jitter = 0): number | undefined {
  const isStale = status === 'stale';
  if (failure ? !failure.retriable : !isStale) return undefined;
  const retryAfterMs = failure?.retryAfterMs ?? 0;
  const slowAttempts = isStale ? attempts : attempts - MAX_FAST_RETRIES;
  if (slowAttempts > 0)
    return Math.max(retryAfterMs, Math.min(MIN_SLOW_RETRY_MS * 2 ** (slowAttempts - 1), MAX_SLOW_RETRY_MS));
  return (retryAfterMs || RETRY_BASE_MS * 2 ** (attempts - 1) * (1 + jitter)) + jitter * RETRY_BASE_MS;
}
