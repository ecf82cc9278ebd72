import { doublingWaitMs, retryWaitMs } from '../lib/clock.ts';
import type { RateLimitHeaders } from './call-budget.ts';

/**
 * The pause after a 429 without `Retry-After` and without a reset time. The pause doubles with each 429 that follows a
 * pause.
 */
const UNSAID_PAUSE = { firstMs: 1_000, maxMs: 60_000 };

/**
 * The fraction of the limit that is left for other users, in addition to their known calls. An increase in their calls
 * can then be detected.
 */
const SHARE_FOR_OTHER_USERS = 0.1;

/**
 * The quota that the upstream's headers report. The headers may show that the limit is lower than configured, or that
 * others use the same key. Headers can only reduce the budget, for at most one window, and never below one call per
 * window.
 */
export class ReportedQuota {
  readonly #configured: { readonly limit: number; readonly windowMs: number };
  #reportedLimit: number | undefined;
  #reportedUntil = -Infinity;
  #others = 0;
  #othersUntil = -Infinity;
  #pausedUntil = -Infinity;
  #consecutiveLimits = 0;

  /** `configured`: the limit and the window that the operator has set. */
  constructor(configured: { readonly limit: number; readonly windowMs: number }) {
    this.#configured = configured;
  }

  /**
   * Records the headers of a response. `maxOwnCalls`: how many of this BFF's calls the upstream may have counted before
   * it answered.
   */
  update({ limit, remaining, resetInMs }: RateLimitHeaders, maxOwnCalls: number, now: number): void {
    if (limit !== undefined) [this.#reportedLimit, this.#reportedUntil] = [limit, now + this.#configured.windowMs];
    if (remaining === undefined) return;
    const others = Math.max(0, (limit ?? this.#configured.limit) - remaining - maxOwnCalls);
    // Other users' calls count for a full window, even past the reset. With a sliding window, the reset is only the
    // time when the oldest call stops counting.
    if (others >= this.others(now)) [this.#others, this.#othersUntil] = [others, now + this.#configured.windowMs];
    if (remaining <= 0) this.#pause(resetInMs ?? this.#configured.windowMs, now);
  }

  /** Records a 429. */
  recordRateLimit(retryAfterMs: number | undefined, resetInMs: number | undefined, now: number): void {
    if (this.pausedForMs(now) === 0) this.#consecutiveLimits += 1;
    const unsaid = doublingWaitMs(this.#consecutiveLimits, UNSAID_PAUSE);
    const said = Math.max(retryAfterMs ?? 0, resetInMs ?? 0);
    this.#pause(said > 0 ? said : unsaid, now);
  }

  /** Records an answer other than a 429. */
  recordSuccess(now: number): void {
    this.#consecutiveLimits = 0;
    if (now >= this.#reportedUntil) this.#reportedLimit = undefined;
  }

  /**
   * Whether calls must be sent one by one. True after a 429, until a different answer arrives. Also true after a lower
   * limit has expired, until the next answer shows whether the limit is still lower.
   */
  isUncertain(now: number): boolean {
    const hasLapsed = (this.#reportedLimit ?? Infinity) < this.#configured.limit && now >= this.#reportedUntil;
    return this.#consecutiveLimits > 0 || hasLapsed;
  }

  pausedForMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** The minimum number of calls by other users that count toward this window. */
  others(now: number): number {
    return now < this.#othersUntil ? this.#others : 0;
  }

  /**
   * The maximum number of the BFF's own calls in a window. The maximum is the limit minus the reserve, or less if other
   * users need more, but at least one.
   */
  capacity(now: number, reserve: number): number {
    const [limit, others] = [this.#limit(now), this.others(now)];
    const room = others === 0 ? 0 : Math.min(reserve, Math.ceil(SHARE_FOR_OTHER_USERS * limit));
    return Math.max(1, Math.min(limit - reserve, limit - others - room));
  }

  #limit(now: number): number {
    const reported = now < this.#reportedUntil ? this.#reportedLimit : undefined;
    return Math.min(this.#configured.limit, reported ?? Infinity);
  }

  #pause(ms: number, now: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(this.#configured.windowMs, retryWaitMs(ms)));
  }
}
