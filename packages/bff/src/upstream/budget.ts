import type { RateLimitHeaders } from './rate-limit-headers.ts';

/** The service's rate limit, and how much of it this BFF uses. */
export interface BudgetSettings {
  /** How many calls per window the service allows with this key. */
  readonly limit: number;
  readonly windowMs: number;
  /** How many calls in each window are reserved for other users of the key. */
  readonly reserve: number;
  /** The longest time that a call can take, in ms. */
  readonly callMs: number;
}

/** The budget's state. */
export interface BudgetStatus extends Omit<BudgetSettings, 'callMs'> {
  /** The BFF's own calls within the last window. */
  readonly used: number;
  /** How many calls can be sent now, and the maximum. */
  readonly left: number;
  readonly maxLeft: number;
  /** How many of the BFF's own calls currently fit into a window. */
  readonly capacity: number;
  /** Calls by other users of the key in the window, according to the headers. */
  readonly others: number;
  /** The same calls, while they may still be the BFF's own from before a restart. */
  readonly earlier: number;
  /** How long all calls are paused, or 0. */
  readonly pausedForMs: number;
  /** Whether it's still unknown how many calls earlier processes made. */
  readonly starting: boolean;
}

/** What a response reveals about the budget. */
export interface BudgetAnswer {
  readonly rate?: RateLimitHeaders | undefined;
  /** Whether the response was a 429, and the time that it specifies. */
  readonly isLimited?: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** Determines when calls may be sent. */
export interface CallBudget {
  /** How long until a call may be sent, or 0. */
  waitMs(now: number): number;
  /** Counts a call that is about to be sent. Returns 0, or how long to wait instead. */
  take(now: number): number | Promise<number>;
  /** Records the response to a call, or that there was no response. */
  ended(now: number, answer?: BudgetAnswer): void;
  status(now: number): BudgetStatus;
}
