import { retryWaitMs } from '../lib/clock.ts';
import type { RateLimitHeaders } from './rate-limit-headers.ts';

/** How long an abandoned call may still take to reach the service. */
export const LATE_MS = 5_000;

/** This fraction of the limit stays free for restarts, even without a reserve. */
const RESTART_SHARE = 0.1;

/** This fraction of the limit stays free while others use the key, because their next calls are unknown. */
const SHARED_KEY_SHARE = 0.3;

/** The largest burst, as a fraction of the capacity: enough for the list and a page of ten cards. */
const BURST_SHARE = 0.27;

/** The largest burst after starting without any information, as a fraction of the limit. */
const COLD_BURST_SHARE = 1 / 6;

/** After this fraction of a window without a response, one call goes first, and the others wait for its response. */
const QUIET_SHARE = 1 / 6;

/** How long to wait before checking again whether the response to that call has arrived. */
const CHECK_AGAIN_MS = 250;

/** The pause after a 429 that doesn't specify a time. It doubles with each 429 that follows a pause. */
const UNSAID_PAUSE = { firstMs: 1_000, maxMs: 60_000 };

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
export type BudgetStatus = ReturnType<LocalCallBudget['status']>;

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

/** Known facts about earlier processes with the same key. */
export interface BudgetStart {
  /** On the monotonic clock. */
  readonly startedAt: number;
  /** The monotonic times at which earlier processes sent calls; undefined if they aren't known. */
  readonly earlierCalls?: readonly number[] | undefined;
  /** Called before each call with the times of all calls that count. */
  readonly onSent?: ((times: readonly number[]) => void) | undefined;
}

/**
 * The call budget of one process: a leaky bucket, and a log of the calls that it has sent.
 *
 * One process never has more than `limit - reserve` calls in a window. A call that is sent at `t` arrives by `t + D`,
 * where `D` is the longest call plus 5 s. So calls that arrive within a window `W` were sent within `W + D`, and the
 * log allows at most `capacity` calls in that time. The bucket, which gains `capacity / (W + D)`, only spreads them.
 *
 * Restarts stay within the limit if calls arrive within the longest call `C`. A process that knows nothing about earlier
 * calls starts in two steps. The numbers are those of the defaults: `C` is 5 s, `W` is 60 s, and the limit is 60.
 *
 * 1. It sends one call, but not before `C / 3` has passed. Processes that crash one after another therefore send at most
 *    `3 (W + C) / C` of these first calls in a window: 39.
 * 2. The response shows how many calls `u` the service has counted. At most `limit / 6 + 1 - u` calls follow
 *    immediately: 10. Once the service has counted such a burst, `u` is too large for another one. Only the bursts of
 *    the last `C` might not be counted yet, which are those of at most two processes: 20.
 *
 * That makes 59 of 60. A process that keeps running leaves 10% of the limit unused.
 *
 * Other users of the key show up in the headers as calls that aren't in the log. For a window from then on, the log may
 * grow only by half of what they leave of 70% of the limit. After a quiet period, one call goes first, so that a burst
 * is never based on a stale response. With this rule, three instances that share a key stayed within the limit in all
 * trials. At least one call per window is always allowed.
 */
export class LocalCallBudget implements CallBudget {
  readonly #settings: BudgetSettings;
  readonly #start: BudgetStart;
  readonly #spanMs: number;
  readonly #capacity: number;
  readonly #burst: number;
  readonly #callsPerMs: number;
  /** When calls were sent, within the last `#spanMs`. */
  #sent: number[];
  /** How many calls may be sent at `#at`. The number grows from that time on. */
  #allowance: number;
  #at: number;
  #isCold: boolean;
  #inFlight = 0;
  #heardAt = -Infinity;
  #others = { count: 0, capacity: Infinity, until: -Infinity };
  #pausedUntil = -Infinity;
  #limitedInARow = 0;

  constructor(settings: BudgetSettings, start: BudgetStart) {
    const { limit, reserve, windowMs, callMs } = settings;
    const { startedAt, earlierCalls } = start;
    this.#settings = settings;
    this.#start = start;
    this.#spanMs = windowMs + callMs + LATE_MS;
    this.#capacity = Math.max(1, Math.min(limit - reserve, Math.floor((1 - RESTART_SHARE) * limit)));
    this.#burst = Math.max(1, Math.floor(BURST_SHARE * this.#capacity));
    this.#callsPerMs = this.#capacity / this.#spanMs;
    this.#isCold = earlierCalls === undefined;
    this.#sent = (earlierCalls ?? [])
      .filter((at) => at > startedAt - this.#spanMs)
      .toSorted((one, other) => one - other);
    this.#at = this.#isCold ? startedAt : startedAt - this.#spanMs;
    this.#allowance = this.#isCold ? 1 - Math.max(1, (callMs / 3) * this.#callsPerMs) : this.#burst;
    // The state of the bucket after the calls of earlier processes.
    for (const at of this.#sent) this.#setAllowance(this.#allowanceAt(at) - 1, at);
    this.#setAllowance(this.#allowanceAt(startedAt), startedAt);
  }

  waitMs(now: number): number {
    const { windowMs } = this.#settings;
    this.#sent = this.#sent.filter((at) => at > now - this.#spanMs);
    const bucketMs = (1 - this.#allowanceAt(now)) / this.#callsPerMs + Math.max(0, this.#at - now);
    const logMs = (this.#sent.at(-this.#capacity) ?? -Infinity) + this.#spanMs - now;
    const { capacity, until } = this.#others;
    const othersMs = Math.min(until, (this.#sent.at(-capacity) ?? -Infinity) + windowMs) - now;
    const isQuiet = this.#inFlight > 0 && now - this.#heardAt > QUIET_SHARE * windowMs;
    const waitMs = Math.max(0, bucketMs, logMs, othersMs, isQuiet ? CHECK_AGAIN_MS : 0, this.#pausedUntil - now);
    return Math.ceil(waitMs - 1e-6);
  }

  take(now: number): number {
    const waitMs = this.waitMs(now);
    if (waitMs > 0) return waitMs;
    this.#setAllowance(this.#allowanceAt(now) - 1, now);
    this.#inFlight += 1;
    this.#sent.push(now);
    this.#start.onSent?.(this.#sent);
    return 0;
  }

  ended(now: number, answer?: BudgetAnswer): void {
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    if (answer === undefined) return;
    this.#heardAt = now;
    if (answer.isLimited) this.#pause(answer, now);
    else this.#limitedInARow = 0;
    if (answer.rate) this.#learn(answer.rate, now);
  }

  status(now: number) {
    const { limit, reserve, windowMs } = this.#settings;
    const count = now < this.#others.until ? this.#others.count : 0;
    const isEarlier = now < this.#start.startedAt + 2 * windowMs;
    return {
      limit,
      reserve,
      windowMs,
      /** The BFF's own calls within the last window. */
      used: this.#usedInWindow(now),
      /** How many calls can be sent now, and the maximum. */
      left: this.waitMs(now) > 0 ? 0 : Math.max(1, Math.floor(this.#allowanceAt(now))),
      maxLeft: this.#burst,
      /** How many of the BFF's own calls currently fit into a window. */
      capacity: Math.min(this.#capacity, count > 0 ? this.#others.capacity : Infinity),
      /** Calls by other users of the key in the window, according to the headers. */
      others: isEarlier ? 0 : count,
      /** The same calls, while they may still be the BFF's own from before a restart. */
      earlier: isEarlier ? count : 0,
      /** How long all calls are paused, or 0. */
      pausedForMs: Math.max(0, this.#pausedUntil - now),
      /** Whether it's still unknown how many calls earlier processes made. */
      starting: this.#isCold && isEarlier,
    };
  }

  #learn({ limit: reported, remaining, resetInMs }: RateLimitHeaders, now: number): void {
    if (remaining === undefined) return;
    const { limit, reserve, windowMs } = this.#settings;
    const counted = Math.min(limit, reported ?? limit) - remaining;
    if (this.#isCold) {
      const burst = Math.floor(limit * COLD_BURST_SHARE);
      this.#setAllowance(Math.max(this.#allowanceAt(now), Math.min(burst, burst + 1 - counted)), now);
      this.#isCold = false;
    }
    const own = this.#usedInWindow(now);
    const count = Math.max(0, counted - own + this.#inFlight);
    const room = remaining - this.#inFlight - (count > 0 ? Math.max(reserve, SHARED_KEY_SHARE * limit) : reserve);
    const capacity = Math.max(1, Math.floor(own + (room > 0 ? room / 2 : room)));
    this.#others = { count, capacity, until: now + windowMs };
    if (remaining <= 0)
      this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(windowMs, resetInMs ?? windowMs));
  }

  /** After the pause, a single call is sent first. */
  #pause({ retryAfterMs, rate }: BudgetAnswer, now: number): void {
    if (now >= this.#pausedUntil) this.#limitedInARow += 1;
    const unsaidMs = Math.min(UNSAID_PAUSE.maxMs, UNSAID_PAUSE.firstMs * 2 ** (this.#limitedInARow - 1));
    const saidMs = Math.max(retryAfterMs || 0, rate?.resetInMs ?? 0);
    const pauseMs = Math.min(this.#settings.windowMs, retryWaitMs(saidMs > 0 ? saidMs : unsaidMs));
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs);
    this.#setAllowance(Math.min(1, this.#allowanceAt(now)), this.#pausedUntil);
  }

  #usedInWindow(now: number): number {
    return this.#sent.filter((at) => at > now - this.#settings.windowMs).length;
  }

  #allowanceAt(now: number): number {
    const gained = Math.max(0, now - this.#at) * this.#callsPerMs;
    return Math.min(Math.max(this.#burst, this.#allowance), this.#allowance + gained);
  }

  #setAllowance(allowance: number, at: number): void {
    this.#allowance = allowance;
    this.#at = Math.max(this.#at, at);
  }
}
