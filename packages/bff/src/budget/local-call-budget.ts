import type { Clock } from '../clock.ts';
import {
  type AcquireResult,
  type BudgetStatus,
  type CallBudget,
  type CallPermit,
  type CallRequest,
  type CallResult,
  LATE_ARRIVAL_MS,
  PERMIT_TTL_MS,
  POLL_MS,
  type RateLimitHeaders,
  type RefusalReason,
} from './call-budget.ts';
import { LeakyBucket, coldStartRate } from './leaky-bucket.ts';
import { SlidingWindowLog } from './sliding-window-log.ts';
import { ReportedQuota } from './reported-quota.ts';

export interface LocalCallBudgetOptions {
  readonly clock: Clock;
  /** Calls the upstream allows the key in a window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Calls of each window that are left to other users of the key. */
  readonly reserve: number;
  /** The longest time from a permit to the end of its call, in ms. */
  readonly callMs: number;
  /** When this process was started, on the clock. @default now */
  readonly startedAt?: number | undefined;
}

/** The call budget of a single instance. */
export class LocalCallBudget implements CallBudget {
  readonly #options: LocalCallBudgetOptions;
  readonly #log: SlidingWindowLog;
  readonly #window: ReportedQuota;
  readonly #leakRate: LeakyBucket;
  /** Until then, or the first answer with rate-limit headers, the calls of earlier processes are unknown. */
  #startingUntil: number;
  #lastId = 0;

  constructor(options: LocalCallBudgetOptions) {
    const { clock, startedAt = clock.now(), windowMs } = options;
    this.#options = options;
    this.#log = new SlidingWindowLog(windowMs);
    this.#window = new ReportedQuota(options);
    this.#leakRate = new LeakyBucket(coldStartRate(options), startedAt, 'full');
    this.#startingUntil = startedAt + windowMs;
  }

  async acquire(request: CallRequest): Promise<AcquireResult> {
    const now = this.#options.clock.now();
    const refusal = this.#refusal(now);
    if (refusal) return { kind: 'denied', ...refusal, retryInMs: Math.max(1, Math.ceil(refusal.retryInMs)) };
    return { kind: 'granted', permit: this.#permit(request, now) };
  }

  settle({ id, expiresAt }: CallPermit, { fate, window, rateLimited }: CallResult): void {
    const now = this.#options.clock.now();
    const maxOwnCalls = this.#log.used(now);
    const arrivedBy = { unsent: undefined, answered: now, lost: now + LATE_ARRIVAL_MS }[fate];
    this.#log.settle(id, arrivedBy);
    if (fate === 'unsent') this.#leakRate.putBack(expiresAt - PERMIT_TTL_MS, now);
    if (window) this.#learn(window, maxOwnCalls, now);
    if (rateLimited) this.#window.recordRateLimit(rateLimited.retryAfterMs, window?.resetInMs, now);
    else if (fate === 'answered') this.#window.recordSuccess(now);
  }

  status(): BudgetStatus {
    const now = this.#options.clock.now();
    const { limit, reserve, windowMs } = this.#options;
    return {
      limit,
      reserve,
      windowMs,
      used: this.#log.used(now),
      left: this.#left(now),
      maxLeft: Math.min(this.#window.capacity(now, reserve), this.#leakRate.burst),
      capacity: this.#window.capacity(now, reserve),
      others: this.#window.others(now),
      pausedForMs: this.#window.pausedForMs(now),
      starting: now < this.#startingUntil,
    };
  }

  #refusal(now: number): { reason: RefusalReason; retryInMs: number } | undefined {
    const pausedForMs = this.#window.pausedForMs(now);
    if (pausedForMs > 0) return { reason: 'paused', retryInMs: pausedForMs };
    if (this.#window.isUncertain(now) && this.#log.inFlight > 0) return { reason: 'paused', retryInMs: POLL_MS };
    const retryInMsAt = this.#log.retryInMsAt(now, this.#window.capacity(now, this.#options.reserve)) ?? POLL_MS;
    if (retryInMsAt > 0) this.#leakRate.holdUntil(now + retryInMsAt, now);
    if (this.#leakRate.left(now) < 1) {
      const reason = now < this.#startingUntil ? 'starting' : 'budget';
      return { reason, retryInMs: Math.max(retryInMsAt, this.#leakRate.retryInMsAt(now)) };
    }
    return retryInMsAt > 0 ? { reason: 'budget', retryInMs: retryInMsAt } : undefined;
  }

  #permit({ subject }: CallRequest, now: number): CallPermit {
    const id = ++this.#lastId;
    this.#log.add(id);
    this.#leakRate.take(now);
    return { id, subject, expiresAt: now + PERMIT_TTL_MS, fencingToken: id };
  }

  #learn(window: RateLimitHeaders, maxOwnCalls: number, now: number): void {
    this.#window.update(window, maxOwnCalls, now);
    if (window.remaining === undefined || now >= this.#startingUntil) return;
    this.#startingUntil = now;
    const used = (window.limit ?? this.#options.limit) - window.remaining;
    this.#leakRate.capUsed(used + this.#log.inFlight, now);
  }

  #left(now: number): number {
    if (this.#window.pausedForMs(now) > 0) return 0;
    const room = this.#window.capacity(now, this.#options.reserve) - this.#log.used(now);
    return Math.max(0, Math.min(room, this.#leakRate.left(now)));
  }
}
