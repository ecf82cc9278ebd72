/** How long an aborted call without an answer may still take to reach the upstream. */
export const LATE_ARRIVAL_MS = 5_000;

/** A permit expires if it isn't used within this time. */
export const PERMIT_TTL_MS = 2_000;

/** The time between two checks, if calls in flight decide when the next call is allowed. */
export const POLL_MS = 250;

/**
 * The state of the key's rate-limit window, according to the response headers. Missing and implausible values are
 * undefined.
 */
export interface RateLimitHeaders {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** Milliseconds from the answer until the window resets, measured by the upstream's clock. */
  readonly resetInMs: number | undefined;
}

/** Why a call may not be sent now. */
export type RefusalReason = 'budget' | 'paused' | 'starting' | 'budget-store-lost';

/** Permission to make one call now. */
export interface CallPermit {
  readonly id: number;
  readonly subject: string;
  /** After this time (on `Clock.now()`), the call must not be sent. The permit must then be settled as `unsent`. */
  readonly expiresAt: number;
  /** Grows with each permit for a subject, across all instances, so that an older answer never overwrites a newer one. */
  readonly fencingToken: number;
}

/** `in-flight-elsewhere`: another instance has a call for this subject in flight, or has a newer answer. */
export type AcquireResult =
  | { readonly kind: 'granted'; readonly permit: CallPermit }
  | { readonly kind: 'in-flight-elsewhere'; readonly retryInMs: number }
  | { readonly kind: 'denied'; readonly reason: RefusalReason; readonly retryInMs: number };

/** The outcome of a granted call. */
export interface CallResult {
  /**
   * `unsent`: the call was never sent. `answered`: the upstream has already counted the call. `lost`: the call may still
   * reach the upstream.
   */
  readonly fate: 'unsent' | 'answered' | 'lost';
  readonly window?: RateLimitHeaders | undefined;
  /** Set if the upstream returned 429. `retryAfterMs`: the answer's `Retry-After`, in ms. */
  readonly rateLimited?: { readonly retryAfterMs: number | undefined } | undefined;
}

/** The state of the budget. */
export interface BudgetStatus {
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
  /** The BFF's own calls that count toward the window now. */
  readonly used: number;
  /** Calls that may be sent now. */
  readonly left: number;
  /** The maximum value of `left`. Less than `capacity` if calls are paced. */
  readonly maxLeft: number;
  /** How many of the BFF's own calls fit into a window now. */
  readonly capacity: number;
  /**
   * Calls that other users of the key made in the window, according to the headers. 0 while these may be the BFF's own
   * calls.
   */
  readonly others: number;
  /**
   * Calls in the headers that may be the BFF's own, from before a restart, a new key, or a loss of Redis. Like other
   * users' calls, these calls reduce `capacity`.
   */
  readonly earlier: number;
  /** How long all calls are paused, or 0. */
  readonly pausedForMs: number;
  /** True until the number of calls by earlier processes is known. */
  readonly starting: boolean;
}

/**
 * How long, in ms, the headers may still include calls that were made before the budget began to count: about two
 * windows. The upstream counts such calls for one window, and this budget keeps the reported number for another window.
 */
export function earlierCallsShowForMs(windowMs: number): number {
  return 2 * windowMs + LATE_ARRIVAL_MS;
}

/** Rate limiter for calls with the API key. Every call needs a permit. */
export interface CallBudget {
  /** `subject`: a source id, or `LIST_ID`. Across all instances, at most one call per subject runs at a time. */
  acquire(subject: string): Promise<AcquireResult>;
  /** Must be called exactly once for each permit. */
  settle(permit: CallPermit, result: CallResult): void;
  status(): BudgetStatus;
}
