import type { ReadPulse, ReadSource } from '@pulse-card/contract';
import type { AcquireResult, RateLimitHeaders, RefusalReason } from '../budget/call-budget.ts';

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
