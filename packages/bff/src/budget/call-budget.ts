/** Calls a window that ids nobody vouches for may cost together. */
export const UNKNOWN_ID_LIMIT = 6;

/** A call whose answer never came may still be on its way to the upstream for this long. */
export const LATE_ARRIVAL_MS = 5_000;

/** A call that has not left this long after its grant must not leave at all. */
export const PERMIT_TTL_MS = 2_000;

/** When to ask again where room depends on answers still to come. */
export const POLL_MS = 250;

/** The key's window as an answer's headers state it; what was missing or absurd is undefined. */
export interface RateLimitHeaders {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** Milliseconds from the answer until the window resets, by the upstream's own clock. */
  readonly resetInMs: number | undefined;
}

/** A call somebody wants to make. */
export interface CallRequest {
  /** What the call is about: two calls on one subject never run at once, over all instances. */
  readonly subject: string;
  /** `unknown id`: an id nobody vouches for, paid out of a small bucket of its own besides. */
  readonly bucket: 'known' | 'unknown';
  /** The fencing token of the newest answer that the caller knows: where a newer one is there, it waits, and looks. */
  readonly seenFencingToken?: number | undefined;
}

/** Why a call may not leave now. */
export type RefusalReason = 'budget' | 'paused' | 'starting' | 'unknowns' | 'budget-store-lost';

/** Leave to make one call, at once. */
export interface CallPermit {
  readonly id: number;
  readonly subject: string;
  /** After this moment (`Clock.now()`) the call must not leave any more: settle it as unsent. */
  readonly expiresAt: number;
  /** Grows with each grant on one subject, over all instances: an older call must not overwrite a newer one's answer. */
  readonly fencingToken: number;
}

/** The call budget's word: go; wait, for another instance is asking that very question or has an answer; or no. */
export type AcquireResult =
  | { readonly kind: 'granted'; readonly permit: CallPermit }
  | { readonly kind: 'in-flight-elsewhere'; readonly retryInMs: number }
  | { readonly kind: 'denied'; readonly reason: RefusalReason; readonly retryInMs: number };

/** What became of a granted call. */
export interface CallResult {
  /** `unsent`: it never left. `answered`: the upstream counted it before now. `lost`: it may still arrive. */
  readonly fate: 'unsent' | 'answered' | 'lost';
  readonly window?: RateLimitHeaders | undefined;
  /** The upstream said 429; how long it asked to wait, where it said so. */
  readonly rateLimited?: { readonly retryAfterMs: number | undefined } | undefined;
}

/** How the budget stands. */
export interface BudgetStatus {
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
  /** Own calls that count against the window now. */
  readonly used: number;
  /** Calls that may leave now. */
  readonly left: number;
  /** The most that `left` can be: less than `capacity` where calls are paced. */
  readonly maxLeft: number;
  /** Own calls that fit into a window as things stand. */
  readonly capacity: number;
  /** Calls of the window that others made with this key, as far as the headers tell. */
  readonly others: number;
  /** How long all calls are paused, or 0. */
  readonly pausedForMs: number;
  /** True until it is known what earlier processes have spent. */
  readonly starting: boolean;
}

/** The account of the key's calls: nobody asks the upstream without its leave. */
export interface CallBudget {
  acquire(request: CallRequest): Promise<AcquireResult>;
  /** Told exactly once for each grant. */
  settle(permit: CallPermit, result: CallResult): void;
  status(): BudgetStatus;
}
