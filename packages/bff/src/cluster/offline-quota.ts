import { type CallResult, POLL_MS } from '../budget/call-budget.ts';
import { LeakyBucket } from '../budget/leaky-bucket.ts';
import { SlidingWindowLog } from '../budget/sliding-window-log.ts';
import { ReportedQuota } from '../budget/reported-quota.ts';

/** Instances that can share the reserve while Redis is lost; where there are more, none makes calls. */
export const OFFLINE_INSTANCES = 5;

export interface OfflineQuotaOptions {
  readonly limit: number;
  /** Calls of each window outside the shared account. */
  readonly reserve: number;
  readonly windowMs: number;
  /** When the process was started, on the clock. */
  readonly startedAt: number;
}

/** What an instance may spend while it cannot reach Redis: a small fixed quota. */
export class OfflineQuota {
  readonly #windowMs: number;
  readonly #log: SlidingWindowLog;
  readonly #window: ReportedQuota;
  readonly #leakRate: LeakyBucket;
  /** Calls a window; all instances together spend no more than the reserve, which the shared account never touches. */
  readonly #quota: number;
  #instances = 0;

  constructor({ limit, reserve, windowMs, startedAt }: OfflineQuotaOptions) {
    this.#windowMs = windowMs;
    this.#log = new SlidingWindowLog(windowMs);
    this.#window = new ReportedQuota({ limit, windowMs });
    this.#quota = Math.floor(reserve / OFFLINE_INSTANCES);
    // Full: however often a process is restarted, its calls are as far apart as those of one that runs on.
    this.#leakRate = new LeakyBucket({ callsPerMs: this.#quota / windowMs, burst: 1 }, startedAt, 'full');
  }

  /** Records how many instances there are, as far as Redis knows. */
  recordInstances(count: number): void {
    this.#instances = count;
  }

  /** Calls a window without Redis. */
  get share(): number {
    return this.#instances > OFFLINE_INSTANCES ? 0 : this.#quota;
  }

  add(id: number, now: number): void {
    this.#log.add(id);
    this.#leakRate.take(now);
  }

  settle(id: number, arrivedBy: number | undefined): void {
    this.#log.settle(id, arrivedBy);
  }

  /** Records the rate-limit headers of any answer; `maxOwnCalls` as for `ReportedQuota`. */
  recordResult({ window, rateLimited, fate }: CallResult, maxOwnCalls: number, now: number): void {
    if (window) this.#window.update(window, maxOwnCalls, now);
    if (rateLimited) this.#window.recordRateLimit(rateLimited.retryAfterMs, window?.resetInMs, now);
    else if (fate === 'answered') this.#window.recordSuccess(now);
  }

  /** The state of the quota, for `BudgetStatus`. */
  budget(now: number) {
    const capacity = this.#capacity(now);
    const pausedForMs = this.#window.pausedForMs(now);
    const used = this.#log.used(now);
    const left = pausedForMs > 0 ? 0 : Math.max(0, Math.min(capacity - used, this.#leakRate.left(now)));
    return { used, left, maxLeft: capacity, capacity, others: 0, pausedForMs, starting: false };
  }

  /** How long until a call may be sent, or 0. */
  retryInMsAt(now: number): number {
    const pausedForMs = this.#window.pausedForMs(now);
    if (pausedForMs > 0) return pausedForMs;
    if (this.#window.isUncertain(now) && this.#log.inFlight > 0) return POLL_MS;
    if (this.share === 0) return this.#windowMs;
    return Math.max(this.#log.retryInMsAt(now, this.#capacity(now)) ?? POLL_MS, this.#leakRate.retryInMsAt(now));
  }

  #capacity(now: number): number {
    return Math.min(this.share, this.#window.capacity(now, 0));
  }
}

/** The calls of this instance that still count, to be reported to a Redis that does not know them. */
export class LocalCallLog {
  /** Until when each call counts, on the monotonic clock. */
  readonly #until = new Map<string, number>();

  /** Records a call, or a new time until which it counts. */
  add(id: string, until: number): void {
    this.#until.set(id, until);
  }

  /** Records that a call was not sent. */
  remove(id: string): void {
    this.#until.delete(id);
  }

  /** The calls that count, and how much longer, in whole ms. */
  *active(now: number): Generator<[id: string, forMs: number]> {
    for (const [id, until] of this.#until)
      if (until < now) this.#until.delete(id);
      else yield [id, Math.ceil(until - now)];
  }

  /** How many calls count. */
  count(now: number): number {
    return [...this.active(now)].length;
  }
}
