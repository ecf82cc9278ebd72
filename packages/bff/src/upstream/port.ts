import type { ErrorCode, ReadPulse, ReadSource } from '@pulse-card/contract';
import type { AcquireResult, CallResult, RateLimitHeaders, RefusalReason } from '../budget/call-budget.ts';

/** An operation of the upstream. */
export type UpstreamRequest = { readonly kind: 'sources' } | { readonly kind: 'pulse'; readonly sourceId: string };

/** What failed on the way to a host: looking up its name, agreeing on TLS, or the connection itself. */
export type UnreachableLayer = 'DNS' | 'TLS' | 'connection' | 'plain HTTP';

/** Why a call brought no usable answer; holds no text of the upstream. */
export type UpstreamFailure =
  | {
      readonly kind: 'key-refused';
      readonly status: 401 | 403;
      /** The key has been replaced meanwhile: the call may be retried at once. */
      readonly otherKeyAtHand?: boolean;
    }
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'unreachable'; readonly layer?: UnreachableLayer }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'server-error'; readonly status: number }
  /** A 4xx that is not in the shape of the specification: a proxy, gateway or firewall answered, not the service. */
  | { readonly kind: 'intermediary-error'; readonly status: number }
  | { readonly kind: 'invalid'; readonly reason: string };

/** The list of sources without the rows that could not be read. */
export interface SourceRows {
  readonly rows: readonly ReadSource[];
  readonly unreadableRows: number;
}

/** A pulse, or that the source has none. */
export type PulseFound = { readonly kind: 'found'; readonly pulse: ReadPulse } | { readonly kind: 'absent' };

/** The account a key belongs to; only the key check reads it, and it never reaches a cache, a log or a reader. */
export interface AccountFacts {
  readonly id: string;
  readonly email: string;
}

/** The account that an answer belongs to. */
export interface AnswerOwner {
  /** A digest of the account's id (spec, `meta.account.id`); undefined where the answer names none. */
  readonly account: string | undefined;
  /** Names the key that was sent without revealing it. */
  readonly keyName: string;
}

/** The result of one call. */
export interface UpstreamReply<Value> {
  readonly host: HostName;
  /** Undefined unless the answer is the service's own: the headers of a gateway are about something else. */
  readonly rate: RateLimitHeaders | undefined;
  /** Undefined for an absence or a failure, which name no account. */
  readonly owner?: AnswerOwner | undefined;
  readonly outcome:
    | { readonly ok: true; readonly value: Value }
    | { readonly ok: false; readonly failure: UpstreamFailure };
}

/** The two hosts of the service (spec, first page). */
export type HostName = 'main' | 'alt';

/** Options of one call. */
export interface CallOptions {
  /** One deadline over connect, headers and body, in milliseconds from now. @default PULSE_UPSTREAM_TIMEOUT_MS */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * The upstream: one call per invocation to one named host, never retried, never redirected. Resolves always; failures are values.
 * The caller has paid for the call out of the budget before.
 */
export interface Upstream {
  listSources(host: HostName, options?: CallOptions): Promise<UpstreamReply<SourceRows>>;
  latestPulse(host: HostName, sourceId: string, options?: CallOptions): Promise<UpstreamReply<PulseFound>>;
}

/** A call and its outcome. */
export interface CallReport {
  readonly host: HostName;
  readonly kind: UpstreamRequest['kind'];
  readonly outcome: 'answered' | UpstreamFailure['kind'];
  readonly durationMs: number;
}

/** Receives what the cache does, for metrics and log. Must not throw. */
export interface CallObserver {
  called?(report: CallReport): void;
  /** A call was not granted. */
  refused?(reason: RefusalReason | 'circuit-open' | 'key-refused'): void;
  /** The budget's decision on each call. */
  judged?(result: AcquireResult['kind']): void;
}

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
