import type { ErrorCode } from '@pulse-card/contract';
import type { CallFailure } from './response.ts';

/** Why there is no answer, as `Cache-Status` and the log name it. */
export const FAILURE_DETAILS = [
  'auth',
  'rate-limited',
  'upstream-unavailable',
  'upstream-timeout',
  'upstream-error',
  'upstream-invalid',
  // The budget has no call left; it is paused after a 429; or it doesn't know yet what earlier processes have spent.
  'budget',
  'paused',
  'starting',
  // Another instance has a call on the subject in flight, or has just received its answer.
  'elsewhere',
  'key-changed',
  'stopping',
  'fault',
] as const;

export type FailureDetail = (typeof FAILURE_DETAILS)[number];

/** Why there is no answer, or why no call may leave. */
export interface Failure {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly detail: FailureDetail;
  readonly retryInMs: number;
  /** A call was made and failed; otherwise none was made. */
  readonly attempted: boolean;
  /** The status that the upstream answered with. */
  readonly status?: number;
}

/** A failure without a call. */
export function notAttempted(code: ErrorCode, detail: FailureDetail, retryInMs: number): Failure {
  return { ok: false, code, detail, retryInMs, attempted: false };
}

function attempted(code: ErrorCode, detail: FailureDetail, retryInMs: number): Failure {
  return { ok: false, code, detail, retryInMs, attempted: true };
}

/** The answer was to a replaced key, or does not say whether the new key belongs to the same account. */
export const KEY_CHANGED = attempted('upstream_unavailable', 'key-changed', 1_000);

/** This process stops: no more calls are sent. */
export const STOPPED = notAttempted('upstream_unavailable', 'stopping', 1_000);

/** The failure of each kind of failed call; holds no text of the upstream. */
export const CALL_FAILURES: Readonly<Record<CallFailure['kind'], Failure>> = {
  'key-refused': attempted('upstream_auth', 'auth', 30_000),
  'rate-limited': attempted('upstream_rate_limited', 'rate-limited', 5_000),
  unreachable: attempted('upstream_unavailable', 'upstream-unavailable', 5_000),
  'timed-out': attempted('upstream_unavailable', 'upstream-timeout', 5_000),
  'server-error': attempted('upstream_unavailable', 'upstream-error', 5_000),
  'intermediary-error': attempted('upstream_unavailable', 'upstream-error', 5_000),
  invalid: attempted('upstream_invalid', 'upstream-invalid', 5_000),
};
