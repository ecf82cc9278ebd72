import type { ReadPulse, ReadSource } from '@pulse-card/contract';
import type { AcquireResult, RateLimitHeaders, RefusalReason } from '../budget/call-budget.ts';

/** What the upstream can be asked. */
export type UpstreamRequest = { readonly kind: 'sources' } | { readonly kind: 'pulse'; readonly sourceId: string };

/** What failed on the way to a host: looking up its name, agreeing on TLS, or the connection itself. */
export type UnreachableLayer = 'DNS' | 'TLS' | 'connection' | 'plain HTTP';

/** Why the upstream gave no answer worth having, as a vocabulary; no text of the upstream is ever in it. */
export type UpstreamFailure =
  | {
      readonly kind: 'key-refused';
      readonly status: 401 | 403;
      /** Another key has taken this one's place meanwhile: the call is worth another try, at once. */
      readonly otherKeyAtHand?: boolean;
    }
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'unreachable'; readonly layer?: UnreachableLayer }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'server-error'; readonly status: number }
  /** A 4xx that is not in the shape of the specification: a proxy, gateway or firewall answered, not the service. */
  | { readonly kind: 'intermediary-error'; readonly status: number }
  | { readonly kind: 'invalid'; readonly reason: string };

/** The list of sources, less the rows that could not be read. */
export interface SourceRows {
  readonly rows: readonly ReadSource[];
  readonly unreadableRows: number;
}

/** A pulse as asked for, or the plain statement that there is none. */
export type PulseFound = { readonly kind: 'found'; readonly pulse: ReadPulse } | { readonly kind: 'absent' };

/** The account a key belongs to; only the key check reads it, and it never reaches a cache, a log or a reader. */
export interface AccountFacts {
  readonly id: string;
  readonly email: string;
}

/** Whose data an answer is. */
export interface AnswerOwner {
  /** A digest of the account's id (spec, `meta.account.id`); undefined where the answer names none. */
  readonly account: string | undefined;
  /** The key that was sent, by a name that does not tell it. */
  readonly keyName: string;
}

/** What one call brought. */
export interface UpstreamReply<Value> {
  readonly host: HostName;
  /** Undefined unless the answer is the service's own: the headers of a gateway are about something else. */
  readonly rate: RateLimitHeaders | undefined;
  /** Undefined for an answer that names no account by its nature: an absence, or a failure. */
  readonly owner?: AnswerOwner | undefined;
  readonly outcome:
    | { readonly ok: true; readonly value: Value }
    | { readonly ok: false; readonly failure: UpstreamFailure };
}

/** The two hosts of the service (spec, first page). */
export type HostName = 'main' | 'alt';

/** How one question may be asked. */
export interface AskOptions {
  /** One deadline over connect, headers and body, in milliseconds from now. @default PULSE_UPSTREAM_TIMEOUT_MS */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * The upstream: one call per invocation to one named host, never retried, never redirected. Resolves always; failures are values.
 * The caller has paid for the call out of the budget before.
 */
export interface Upstream {
  listSources(host: HostName, options?: AskOptions): Promise<UpstreamReply<SourceRows>>;
  latestPulse(host: HostName, sourceId: string, options?: AskOptions): Promise<UpstreamReply<PulseFound>>;
}

/** One call to the upstream and what came of it. */
export interface CallReport {
  readonly host: HostName;
  readonly kind: UpstreamRequest['kind'];
  readonly outcome: 'answered' | 'absent' | UpstreamFailure['kind'];
  readonly durationMs: number;
}

/** Who is told what the cache does, for metrics and log. Must not throw. */
export interface CallObserver {
  called?(report: CallReport): void;
  /** A call was wanted and not granted. */
  refused?(reason: RefusalReason | 'circuit-open' | 'key-refused'): void;
  /** The call budget's word on each call that was wanted. */
  judged?(result: AcquireResult['kind']): void;
}
