import type { Clock } from '../lib/clock.ts';
import {
  type AcquireResult,
  type BudgetStatus,
  type CallBudget,
  type CallPermit,
  type CallResult,
  earlierCallsShowForMs,
  LATE_ARRIVAL_MS,
  PERMIT_TTL_MS,
  POLL_MS,
  type RateLimitHeaders,
  type RefusalReason,
} from './call-budget.ts';
import { ReportedQuota } from './reported-quota.ts';

/** The fraction of calls that is sent at an even pace after a cold start. The rest is for bursts. */
const COLD_START_SHARE = 0.93;

/** How fast calls may be sent. */
export interface Pace {
  readonly callsPerMs: number;
  /** Calls that may be sent at the same time. */
  readonly burst: number;
}

export interface LocalCallBudgetOptions {
  readonly clock: Clock;
  /** How many calls per window the upstream allows with this key. */
  readonly limit: number;
  readonly windowMs: number;
  /** How many calls in each window are left for other users of the key. */
  readonly reserve: number;
  /** The longest time from granting a permit until its call ends, in ms. */
  readonly callMs: number;
  /** When this process started, on the monotonic clock. @default now */
  readonly startedAt?: number | undefined;
  /** @default coldStartPace */
  readonly pace?: Pace | undefined;
}

/**
 * The pace of a process that knows nothing about earlier processes. Two bursts plus one window of steady calls stay
 * within the limit, regardless of the number of restarts (see `LeakyBucket`). Two bursts are possible, because an
 * upstream with fixed windows stops counting the first burst when a window ends.
 */
export function coldStartPace({ limit, reserve, windowMs }: Omit<LocalCallBudgetOptions, 'clock' | 'callMs'>): Pace {
  const even = Math.max(1, Math.min(Math.ceil(COLD_START_SHARE * (limit - reserve)), limit - 2));
  return { callsPerMs: even / windowMs, burst: Math.max(1, Math.floor((limit - even) / 2)) };
}

/** The call budget of a single instance. */
export class LocalCallBudget implements CallBudget {
  readonly #options: LocalCallBudgetOptions;
  readonly #log: SlidingWindowLog;
  readonly #quota: ReportedQuota;
  readonly #bucket: LeakyBucket;
  /**
   * Until this time, or until the first answer with rate-limit headers, the number of calls by earlier processes is
   * unknown.
   */
  #startingUntil: number;
  /** Until this time, calls that are not in the log may have been made by earlier processes. */
  readonly #earlierUntil: number;
  #lastId = 0;

  constructor(options: LocalCallBudgetOptions) {
    const { clock, startedAt = clock.now(), windowMs, pace = coldStartPace(options) } = options;
    this.#options = options;
    this.#log = new SlidingWindowLog(windowMs);
    this.#quota = new ReportedQuota(options);
    this.#bucket = new LeakyBucket(pace, startedAt);
    this.#startingUntil = startedAt + windowMs;
    this.#earlierUntil = startedAt + earlierCallsShowForMs(windowMs);
  }

  async acquire(subject: string): Promise<AcquireResult> {
    const now = this.#options.clock.now();
    const refusal = this.#checkRoom(now);
    if (refusal) return { kind: 'denied', ...refusal, retryInMs: Math.max(1, Math.ceil(refusal.retryInMs)) };
    const id = ++this.#lastId;
    this.#log.add(id, now + PERMIT_TTL_MS + this.#options.callMs + LATE_ARRIVAL_MS);
    this.#bucket.take(now);
    return { kind: 'granted', permit: { id, subject, expiresAt: now + PERMIT_TTL_MS, fencingToken: id } };
  }

  settle({ id, expiresAt }: CallPermit, { fate, window, rateLimited }: CallResult): void {
    const now = this.#options.clock.now();
    const maxOwnCalls = this.#log.used(now);
    const isOwn = this.#log.settle(id, { unsent: undefined, answered: now, lost: now + LATE_ARRIVAL_MS }[fate]);
    if (isOwn && fate === 'unsent') this.#bucket.putBack(expiresAt - PERMIT_TTL_MS, now);
    // A 429 is recorded before the headers, because headers without a call left start a pause, and a 429 during a pause
    // is ignored.
    if (rateLimited) this.#quota.recordRateLimit(rateLimited.retryAfterMs, window?.resetInMs, now);
    if (window) this.#learn(window, maxOwnCalls, now);
    if (!rateLimited && fate === 'answered') this.#quota.recordSuccess(now);
  }

  status(): BudgetStatus {
    const now = this.#options.clock.now();
    const { limit, reserve, windowMs } = this.#options;
    const capacity = this.#quota.capacity(now, reserve);
    const used = this.#log.used(now);
    const pausedForMs = this.#quota.pausedForMs(now);
    const left = pausedForMs > 0 ? 0 : Math.max(0, Math.min(capacity - used, this.#bucket.left(now)));
    const maxLeft = Math.min(capacity, this.#bucket.pace.burst);
    const unexplained = this.#quota.others(now);
    const isEarlier = now < this.#earlierUntil;
    return {
      limit,
      reserve,
      windowMs,
      used,
      left,
      maxLeft,
      capacity,
      others: isEarlier ? 0 : unexplained,
      earlier: isEarlier ? unexplained : 0,
      pausedForMs,
      starting: now < this.#startingUntil,
    };
  }

  /** Returns why no call may be sent now. While the window is spent, also keeps the bucket from leaking. */
  #checkRoom(now: number): { reason: RefusalReason; retryInMs: number } | undefined {
    const pausedForMs = this.#quota.pausedForMs(now);
    if (pausedForMs > 0) return { reason: 'paused', retryInMs: pausedForMs };
    if (this.#quota.isUncertain(now) && this.#log.inFlight(now) > 0) return { reason: 'paused', retryInMs: POLL_MS };
    const logRetryInMs = this.#log.retryInMs(now, this.#quota.capacity(now, this.#options.reserve));
    if (logRetryInMs > 0) this.#bucket.holdUntil(now + logRetryInMs, now);
    const bucketRetryInMs = this.#bucket.retryInMs(now);
    const retryInMs = Math.max(logRetryInMs, bucketRetryInMs);
    if (retryInMs === 0) return undefined;
    return { reason: bucketRetryInMs > 0 && now < this.#startingUntil ? 'starting' : 'budget', retryInMs };
  }

  #learn(window: RateLimitHeaders, maxOwnCalls: number, now: number): void {
    this.#quota.update(window, maxOwnCalls, now);
    if (window.remaining === undefined || now >= this.#startingUntil) return;
    this.#startingUntil = now;
    const used = (window.limit ?? this.#options.limit) - window.remaining;
    this.#bucket.capUsed(used + this.#log.inFlight(now), now);
  }
}

/**
 * Sliding-window log of calls. A call reaches the upstream at some time between its permit and its answer. A call
 * therefore counts from its permit until one window after its answer. Network delays therefore can't put too many calls
 * into one window at the upstream. When the last call in a window was granted, all others still counted.
 */
export class SlidingWindowLog {
  readonly #windowMs: number;
  readonly #countsUntil = new Map<number, number>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Records a granted call that arrives no later than `arrivesBy`. */
  add(id: number, arrivesBy: number): void {
    this.#countsUntil.set(id, arrivesBy + this.#windowMs);
  }

  /**
   * Records that a granted call arrived no later than `arrivedBy`. If `arrivedBy` is undefined, the call was never
   * sent. Returns false if the call is not in the log.
   */
  settle(id: number, arrivedBy: number | undefined): boolean {
    const isThere = this.#countsUntil.delete(id);
    if (isThere && arrivedBy !== undefined) this.add(id, arrivedBy);
    return isThere;
  }

  /** How many calls may still arrive. */
  inFlight(now: number): number {
    return [...this.#countsUntil.values()].filter((until) => until > now + this.#windowMs).length;
  }

  /** How many calls may count in an upstream window that ends after `now`. */
  used(now: number): number {
    for (const [id, until] of this.#countsUntil) if (until < now) this.#countsUntil.delete(id);
    return this.#countsUntil.size;
  }

  /**
   * How long until fewer than `capacity` calls count. If this depends on calls in flight, returns the time until the
   * next check.
   */
  retryInMs(now: number, capacity: number): number {
    const tooMany = this.used(now) - capacity;
    if (tooMany < 0) return 0;
    const until = [...this.#countsUntil.values()].toSorted((a, b) => a - b)[tooMany] ?? now;
    return until > now + this.#windowMs ? POLL_MS : until - now + 1;
  }
}

/**
 * A leaky bucket. The bucket starts full, so the first call is sent one interval later. A crash loop therefore makes no
 * more calls than steady operation. When the first answer reports how many calls the window already contains, the level
 * drops to that number. A burst may follow.
 */
export class LeakyBucket {
  readonly pace: Pace;
  #level: number;
  #at: number;

  constructor(pace: Pace, startedAt: number) {
    this.pace = pace;
    this.#level = pace.burst;
    this.#at = startedAt;
  }

  /** Records a call that is sent now. */
  take(now: number): void {
    this.#level = this.#levelAt(now) + 1;
    this.#at = Math.max(this.#at, now);
  }

  /** Gives back a call that was taken at `takenAt` but not sent, minus the amount that has leaked since then. */
  putBack(takenAt: number, now: number): void {
    const leaked = Math.max(0, now - takenAt) * this.pace.callsPerMs;
    this.#level = Math.max(0, this.#levelAt(now) - Math.max(0, 1 - leaked));
    this.#at = Math.max(this.#at, now);
  }

  /**
   * Stops the leak until `until`. Without this stop, the calls that become available at the end of a spent window would
   * be sent in a burst.
   */
  holdUntil(until: number, now: number): void {
    this.#level = this.#levelAt(now);
    this.#at = Math.max(this.#at, until);
  }

  /** Records that at most `used` calls count in the upstream's window. */
  capUsed(used: number, now: number): void {
    this.#level = Math.min(this.#levelAt(now), Math.max(0, used));
    this.#at = Math.max(this.#at, now);
  }

  /** Calls that may be sent now. */
  left(now: number): number {
    return Math.max(0, Math.floor(this.pace.burst - this.#levelAt(now) + 1e-9));
  }

  /** How long until a call may be sent. */
  retryInMs(now: number): number {
    const leakInMs = Math.ceil((this.#levelAt(now) + 1 - this.pace.burst) / this.pace.callsPerMs - 1e-6);
    return leakInMs <= 0 ? 0 : leakInMs + Math.max(0, this.#at - now);
  }

  #levelAt(now: number): number {
    return Math.max(0, this.#level - Math.max(0, now - this.#at) * this.pace.callsPerMs);
  }
}
