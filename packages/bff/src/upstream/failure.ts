import type { ErrorCode } from '@pulse-card/contract';
import type { CallFailure } from './classify-response.ts';

/** The reason why there is no answer, as the log and `Cache-Status` name it. */
export const FAILURE_DETAILS = [
  'auth',
  'rate-limited',
  'upstream-unavailable',
  'upstream-timeout',
  'upstream-error',
  'upstream-invalid',
  // The budget has no call left, is paused after a 429, or doesn't know yet how many calls earlier processes made.
  'budget',
  'paused',
  'starting',
  // Another instance has a call for the subject in flight, or has just received the answer.
  'elsewhere',
  'key-changed',
  'stopping',
  'fault',
] as const;

export type FailureDetail = (typeof FAILURE_DETAILS)[number];

/** The reason why there is no answer, or why no call may be sent. */
export interface Failure {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly detail: FailureDetail;
  readonly retryInMs: number;
  /** True if a call was made and failed; false if no call was made. */
  readonly attempted: boolean;
  /** The status of the upstream's answer. */
  readonly status?: number;
}

/** A failure that was reported without making a call. */
export function notAttempted(code: ErrorCode, detail: FailureDetail, retryInMs: number): Failure {
  return { ok: false, code, detail, retryInMs, attempted: false };
}

function attempted(code: ErrorCode, detail: FailureDetail, retryInMs: number): Failure {
  return { ok: false, code, detail, retryInMs, attempted: true };
}

/**
 * The answer was requested with a key that has been replaced, or it doesn't show whether the new key belongs to the
 * same account.
 */
export const KEY_CHANGED = attempted('upstream_unavailable', 'key-changed', 1_000);

/** This process is stopping and sends no more calls. */
export const STOPPED = notAttempted('upstream_unavailable', 'stopping', 1_000);

/** The failure for each kind of failed call. Doesn't contain text from the upstream. */
export const CALL_FAILURES: Readonly<Record<CallFailure['kind'], Failure>> = {
  'key-refused': attempted('upstream_auth', 'auth', 30_000),
  'rate-limited': attempted('upstream_rate_limited', 'rate-limited', 5_000),
  unreachable: attempted('upstream_unavailable', 'upstream-unavailable', 5_000),
  'timed-out': attempted('upstream_unavailable', 'upstream-timeout', 5_000),
  'server-error': attempted('upstream_unavailable', 'upstream-error', 5_000),
  'intermediary-error': attempted('upstream_unavailable', 'upstream-error', 5_000),
  invalid: attempted('upstream_invalid', 'upstream-invalid', 5_000),
};
