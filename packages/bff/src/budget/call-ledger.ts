/** The key's window as an answer's headers state it; what was missing or absurd is undefined. */
export interface WindowFacts {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** Milliseconds from the answer until the window resets, by the upstream's own clock. */
  readonly resetInMs: number | undefined;
}

/** A call somebody wants to make. */
export interface CallRequest {
  /** What the call is about: two calls on one subject never run at once, over all instances. */
  readonly subject: string;
  /** `stranger`: an id nobody vouches for, paid out of a small bucket of its own besides. */
  readonly payer: 'known' | 'stranger';
  /** The fence of the newest answer that the asker knows: where a newer one is there, it waits, and looks. */
  readonly seenFence?: number | undefined;
}

/** Why a call may not leave now. */
export type RefusalReason = 'budget' | 'paused' | 'starting' | 'strangers' | 'ledger-lost';

/** Leave to make one call, at once. */
export interface Grant {
  readonly id: number;
  readonly subject: string;
  /** After this moment (`Clock.now()`) the call must not leave any more: settle it as unsent. */
  readonly leaveBefore: number;
  /** Grows with each grant on one subject, over all instances: an older call must not overwrite a newer one's answer. */
  readonly fence: number;
}

/** The ledger's word: go; wait, for another instance is asking that very question or has an answer; or no. */
export type CallVerdict =
  | { readonly kind: 'go'; readonly grant: Grant }
  | { readonly kind: 'wait'; readonly retryInMs: number }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly retryInMs: number };

/** What became of a granted call. */
export interface CallResult {
  /** `unsent`: it never left. `answered`: the upstream counted it before now. `lost`: it may still arrive. */
  readonly fate: 'unsent' | 'answered' | 'lost';
  readonly window?: WindowFacts | undefined;
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
  readonly leftAtMost: number;
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
export interface CallLedger {
  acquire(request: CallRequest): Promise<CallVerdict>;
  /** Told exactly once for each grant. */
  settle(grant: Grant, result: CallResult): void;
  status(): BudgetStatus;
}
