import { retryWaitMs } from '../lib/clock.ts';
import type { RateLimitHeaders } from './rate-limit-headers.ts';

/** How long a call that was given up may still take to reach the service. */
export const LATE_MS = 5_000;

/** The part of the limit that a process never uses, so that restarts have some room even without a reserve. */
const RESTART_SHARE = 0.1;

export interface BudgetSettings {
  /** How many calls per window the service allows with this key. */
  readonly limit: number;
  readonly windowMs: number;
  /** How many calls of each window are left for other users of the key. */
  readonly reserve: number;
  /** The longest time that a call takes, in ms. */
  readonly callMs: number;
}

/** The state of the budget. */
export interface BudgetStatus {
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
  /** Own calls within the last window. */
  readonly used: number;
  /** Calls that may be sent now. */
  readonly left: number;
  /** The most that `left` can be: one burst. */
  readonly maxLeft: number;
  /** How many own calls fit into a window now. */
  readonly capacity: number;
  /** Calls of other users of the key in the window, according to the headers. */
  readonly others: number;
  /** Calls in the headers that may be the BFF's own, from before a restart. */
  readonly earlier: number;
  /** How long all calls are paused, or 0. */
  readonly pausedForMs: number;
  /** Whether it isn't known yet how many calls earlier processes made. */
  readonly starting: boolean;
}

/** Says when calls may be sent. */
export interface CallBudget {
  /** How long until a call may be sent, or 0. Sends nothing. */
  waitMs(now: number): number;
  /** Takes one call that is sent now. Returns how long to wait instead, or 0 if the call may be sent. */
  take(now: number): number | Promise<number>;
  /** Records an answer, or that there was none. */
  ended(now: number, answer?: { readonly rate?: RateLimitHeaders | undefined; readonly isLimited?: boolean; readonly retryAfterMs?: number | undefined }): void;
  status(now: number): BudgetStatus;
}

/** What is known about earlier processes with the same key. */
export interface BudgetStart {
  /** On the monotonic clock. */
  readonly startedAt: number;
  /** When calls were sent before, on the monotonic clock. Undefined if that isn't known. */
  readonly earlierCalls?: readonly number[] | undefined;
  /** Called before each call with the times of all calls that count. */
  readonly onSent?: ((times: readonly number[]) => void) | undefined;
}

/** The burst of a process that knows its past, as a fraction of its calls. It is enough for the list and a page of ten. */
const BURST_SHARE = 0.27;

/** The burst after a cold start, as a fraction of the limit. */
const COLD_BURST_SHARE = 1 / 6;

/** The pause after a 429 that names no time. It doubles with each 429 that follows a pause. */
const UNSAID_PAUSE = { firstMs: 1_000, maxMs: 60_000 };

/** The call budget of one process. */
export class LocalCallBudget implements CallBudget {
  readonly #settings: BudgetSettings;
  /** The most calls within `#spanMs`. */
  readonly #capacity: number;
  readonly #spanMs: number;
  readonly #burst: number;
  readonly #callsPerMs: number;
  readonly #startedAt: number;
  /** When own calls were sent, within the last `#spanMs`. */
  #sent: number[];
  #allowance: number;
  #at: number;
  #inFlight = 0;
  #isCold: boolean;
  #pausedUntil = -Infinity;
  #limitedInARow = 0;
  #others = { count: 0, until: -Infinity };
  #cap = { calls: Infinity, until: -Infinity };

  readonly #onSent: BudgetStart['onSent'];

  constructor(settings: BudgetSettings, { startedAt, earlierCalls, onSent }: BudgetStart) {
    this.#onSent = onSent;
    const { limit, reserve, windowMs, callMs } = settings;
    this.#settings = settings;
    this.#startedAt = startedAt;
    this.#capacity = Math.max(1, Math.min(limit - reserve, Math.floor((1 - RESTART_SHARE) * limit)));
    this.#spanMs = windowMs + callMs + LATE_MS;
    this.#callsPerMs = this.#capacity / this.#spanMs;
    this.#burst = Math.max(1, Math.floor(BURST_SHARE * this.#capacity));
    this.#isCold = earlierCalls === undefined;
    this.#sent = [...(earlierCalls ?? [])].filter((at) => at > startedAt - this.#spanMs).sort((a, b) => a - b);
    // The first call of a cold start is sent after half the time that a call of an earlier process may be under way.
    const firstMs = Math.max(callMs / 2, 1 / this.#callsPerMs);
    this.#allowance = this.#isCold ? 1 - firstMs * this.#callsPerMs : this.#burst;
    this.#at = startedAt;
    if (this.#isCold) return;
    this.#at = startedAt - this.#spanMs;
    for (const at of this.#sent) this.#allowance = this.#allowanceAt(at, (this.#at = at)) - 1;
    this.#allowance = this.#allowanceAt(startedAt, 0);
    this.#at = startedAt;
  }

  waitMs(now: number): number {
    const left = this.#allowanceAt(now);
    const bucketMs = left >= 1 - 1e-9 ? 0 : (1 - left) / this.#callsPerMs + Math.max(0, this.#at - now);
    this.#sent = this.#sent.filter((at) => at > now - this.#spanMs);
    const oldest = this.#sent.at(-this.#capacity);
    const logMs = oldest === undefined ? 0 : oldest + this.#spanMs - now;
    const capped = now < this.#cap.until ? this.#sent.at(-this.#cap.calls) : undefined;
    const capMs = capped === undefined ? 0 : Math.min(this.#cap.until, capped + this.#settings.windowMs) - now;
    return Math.ceil(Math.max(0, bucketMs, logMs, capMs, this.#pausedUntil - now));
  }

  take(now: number): number {
    const waitMs = this.waitMs(now);
    if (waitMs > 0) return waitMs;
    this.#allowance = this.#allowanceAt(now) - 1;
    this.#at = Math.max(this.#at, now);
    this.#sent.push(now);
    this.#inFlight += 1;
    this.#onSent?.(this.#sent);
    return 0;
  }

  ended(now: number, answer: Parameters<CallBudget['ended']>[1]): void {
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    if (answer?.rate) this.#learn(answer.rate, now);
    if (answer?.isLimited) this.#pause(answer, now);
    else if (answer) this.#limitedInARow = 0;
  }

  #learn({ limit = this.#settings.limit, remaining, resetInMs }: RateLimitHeaders, now: number): void {
    if (remaining === undefined) return;
    const { reserve, windowMs } = this.#settings;
    let allowance = this.#allowanceAt(now);
    if (this.#isCold) {
      this.#isCold = false;
      const burst = Math.floor(this.#settings.limit * COLD_BURST_SHARE);
      allowance = Math.max(allowance, Math.min(burst, burst + 1 - (Math.min(limit, this.#settings.limit) - remaining)));
    }
    this.#allowance = allowance;
    this.#at = Math.max(this.#at, now);
    const own = this.#sent.filter((at) => at > now - windowMs).length;
    const counted = Math.min(limit, this.#settings.limit) - remaining;
    const others = counted - own + this.#inFlight;
    const margin = others > 0 ? Math.max(reserve, this.#settings.limit / 4) : reserve;
    const room = remaining - margin - this.#inFlight;
    this.#cap = { calls: Math.max(1, Math.floor(own + (room > 0 ? room / 2 : room))), until: now + windowMs };
    this.#others = { count: Math.max(0, others), until: now + windowMs };
    if (remaining <= 0) this.#pausedUntil = now + Math.min(windowMs, resetInMs ?? windowMs);
  }

  #pause({ retryAfterMs, rate }: NonNullable<Parameters<CallBudget['ended']>[1]>, now: number): void {
    if (now >= this.#pausedUntil) this.#limitedInARow += 1;
    const unsaidMs = Math.min(UNSAID_PAUSE.maxMs, UNSAID_PAUSE.firstMs * 2 ** (this.#limitedInARow - 1));
    const said = Math.max(retryAfterMs ?? 0, rate?.resetInMs ?? 0);
    const pauseMs = Math.min(this.#settings.windowMs, retryWaitMs(said > 0 ? said : unsaidMs));
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs);
    this.#allowance = Math.min(1, this.#allowanceAt(now));
    this.#at = this.#pausedUntil;
  }

  #allowanceAt(now: number, from = this.#at): number {
    return Math.min(Math.max(this.#burst, this.#allowance), this.#allowance + Math.max(0, now - from) * this.#callsPerMs);
  }

  status(now: number): BudgetStatus {
    const { limit, reserve, windowMs } = this.#settings;
    const waitMs = this.waitMs(now);
    return {
      limit,
      reserve,
      windowMs,
      used: this.#sent.filter((at) => at > now - windowMs).length,
      left: waitMs > 0 ? 0 : Math.floor(this.#allowanceAt(now)),
      maxLeft: this.#burst,
      capacity: this.#capacity,
      others: this.#others.count,
      earlier: 0,
      pausedForMs: Math.max(0, this.#pausedUntil - now),
      starting: this.#isCold,
    };
  }
}
