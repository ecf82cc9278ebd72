/** How long an aborted call without an answer may still take to reach the upstream. */
export const LATE_ARRIVAL_MS = 5_000;

/** A permit that is not used within this time must not be used. */
export const PERMIT_TTL_MS = 2_000;

/** When to retry if room depends on calls in flight. */
export const POLL_MS = 250;

/** The key's window according to an answer's headers. Missing and implausible values are undefined. */
export interface RateLimitHeaders {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** Milliseconds from the answer until the window resets, by the upstream's own clock. */
  readonly resetInMs: number | undefined;
}

/** Why a call may not be sent now. */
export type RefusalReason = 'budget' | 'paused' | 'starting' | 'budget-store-lost';

/** Permission to make one call now. */
export interface CallPermit {
  readonly id: number;
  readonly subject: string;
  /** After this moment (`Clock.now()`) the call must not be sent: settle it as `unsent`. */
  readonly expiresAt: number;
  /** Grows with each permit for a subject, across all instances, so that an older answer never overwrites a newer one. */
  readonly fencingToken: number;
}

/** `in-flight-elsewhere`: another instance has a call about this subject in flight, or a newer answer. */
export type AcquireResult =
  | { readonly kind: 'granted'; readonly permit: CallPermit }
  | { readonly kind: 'in-flight-elsewhere'; readonly retryInMs: number }
  | { readonly kind: 'denied'; readonly reason: RefusalReason; readonly retryInMs: number };

/** The outcome of a granted call. */
export interface CallResult {
  /** `unsent`: it never left. `answered`: the upstream counted it before now. `lost`: it may still arrive. */
  readonly fate: 'unsent' | 'answered' | 'lost';
  readonly window?: RateLimitHeaders | undefined;
  /** The upstream answered 429; `retryAfterMs`: its `Retry-After`. */
  readonly rateLimited?: { readonly retryAfterMs: number | undefined } | undefined;
}

/** The state of the budget. */
export interface BudgetStatus {
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
  /** Own calls that count against the window now. */
  readonly used: number;
  /** Calls that may be sent now. */
  readonly left: number;
  /** The most that `left` can be: less than `capacity` if calls are paced. */
  readonly maxLeft: number;
  /** Own calls that fit into a window now. */
  readonly capacity: number;
  /**
   * Calls in the window that others made with this key, according to the headers. 0 while they may be the BFF's own
   * calls.
   */
  readonly others: number;
  /**
   * Calls in the window that the headers report, but that the BFF may have made before this budget began to count:
   * before a restart, a new key, or a loss of Redis. They reduce `capacity` like calls of others.
   */
  readonly earlier: number;
  /** How long all calls are paused, or 0. */
  readonly pausedForMs: number;
  /** True until the calls of earlier processes are known. */
  readonly starting: boolean;
}

/**
 * How long the headers may still include calls from before the budget began to count, in ms: two windows. The calls
 * stay in the upstream's window for one window, and a reading of the headers counts for another.
 */
export function earlierCallsShowForMs(windowMs: number): number {
  return 2 * windowMs + LATE_ARRIVAL_MS;
}

/** Rate limiter for the key's calls: every call needs a permit. */
export interface CallBudget {
  /** `subject`: a source id, or `LIST_ID`. Two calls about one subject never run at the same time, across all instances. */
  acquire(subject: string): Promise<AcquireResult>;
  /** Must be called exactly once for each permit. */
  settle(permit: CallPermit, result: CallResult): void;
  status(): BudgetStatus;
}
