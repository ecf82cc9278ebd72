import type { ErrorCode } from '@pulse-card/contract';
import type { CallResult, RefusalReason } from '../budget/call-budget.ts';
import type { AnswerOwner, UpstreamFailure, UpstreamReply } from './port.ts';

/** When a call was sent, and how its answer ranks. */
export interface RequestInfo {
  /** On the monotonic clock. */
  readonly requestedAt: number;
  /** Milliseconds since the Unix epoch. */
  readonly requestedAtMs: number;
  /** The answer of a call with a lower token never replaces that of a call with a higher one. */
  readonly fencingToken: number;
}

/** An answer of the upstream. */
export interface FetchSuccess<Value> extends RequestInfo {
  readonly ok: true;
  readonly value: Value;
  /** Undefined for an absence, which names no account. */
  readonly owner?: AnswerOwner | undefined;
}

/** Why there is no answer. `attempted`: a call was made and failed; otherwise none could be made. */
export interface FetchFailure {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly attempted: boolean;
  readonly retryInMs: number;
  readonly status?: number;
  /** The circuits of all hosts are open: the failure is not the subject's own. */
  readonly allHostsDown?: boolean;
  /** Another instance has a call on the subject in flight, or has just received its answer. */
  readonly inFlightElsewhere?: boolean;
}

/** A failed call; `another`: an immediate retry makes sense, on the other host or with a new key. */
export interface CallFailure extends FetchFailure {
  readonly another?: 'host' | 'key';
}

/**
 * The failure to report where no second call could be made: that of the first call, unless its key has been replaced since,
 * or another instance has a call in flight, which is worth waiting for.
 */
export function afterCall(failure: CallFailure | undefined, noCall: FetchFailure): FetchFailure {
  if (!failure || noCall.inFlightElsewhere) return noCall;
  return failure.another === 'key' ? { ...noCall, attempted: true } : failure;
}

/** The public code of each failure; holds no text of the upstream. */
export const FAILURES: Readonly<Record<UpstreamFailure['kind'], FetchFailure>> = {
  'key-refused': upstreamFailure('upstream_auth', 'auth', 30_000),
  'rate-limited': upstreamFailure('upstream_rate_limited', 'rate-limited', 5_000),
  unreachable: upstreamFailure('upstream_unavailable', 'upstream-unavailable', 5_000),
  'timed-out': upstreamFailure('upstream_unavailable', 'upstream-timeout', 5_000),
  'server-error': upstreamFailure('upstream_unavailable', 'upstream-error', 5_000),
  'intermediary-error': upstreamFailure('upstream_unavailable', 'upstream-error', 5_000),
  invalid: upstreamFailure('upstream_invalid', 'upstream-invalid', 5_000),
};

function upstreamFailure(code: ErrorCode, detail: string, retryInMs: number): FetchFailure {
  return { ok: false, code, detail, retryInMs, attempted: true };
}

export function notAttempted(code: ErrorCode, detail: string, retryInMs: number): FetchFailure {
  return { ok: false, code, detail, retryInMs, attempted: false };
}

/** This process stops: no more calls are sent. */
export const STOPPED = notAttempted('upstream_unavailable', 'stopping', 1_000);

/** The answer was to a replaced key, or does not say whether the new key belongs to the same account. */
export const KEY_CHANGED = upstreamFailure('upstream_unavailable', 'key-changed', 1_000);

/** An unexpected error ended the request. */
export const FAULT = notAttempted('internal', 'fault', 5_000);

export const IN_FLIGHT_ELSEWHERE = {
  ...notAttempted('upstream_unavailable', 'elsewhere', 0),
  inFlightElsewhere: true,
} as const;

export function deniedFailure(reason: RefusalReason, retryInMs: number): FetchFailure {
  const detail = reason === 'starting' || reason === 'paused' ? reason : 'budget';
  return notAttempted('upstream_rate_limited', detail, retryInMs);
}

/** The result of a call for the budget. Rate-limit headers of a 401 or 403 are ignored: the upstream counts such calls apart. */
export function callResultOf({ outcome, rate }: UpstreamReply<unknown>): CallResult {
  if (outcome.ok) return { fate: 'answered', window: rate };
  switch (outcome.failure.kind) {
    case 'unreachable':
    case 'timed-out':
      return { fate: 'lost' };
    case 'key-refused':
      return { fate: 'answered' };
    case 'rate-limited':
      return { fate: 'answered', window: rate, rateLimited: { retryAfterMs: outcome.failure.retryAfterMs } };
    default:
      return { fate: 'answered', window: rate };
  }
}
