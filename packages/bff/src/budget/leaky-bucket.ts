/** Share of the calls that flows evenly after a cold start; the rest is for bursts. */
const COLD_START_SHARE = 0.93;

/** Share of a window's calls that may be sent at once; at least the list and a page of cards. */
const BURST_SHARE = 1 / 3;
const MIN_BURST = 12;

/** How fast calls may be sent. */
export interface LeakRate {
  readonly callsPerMs: number;
  /** Calls that may be sent at once. */
  readonly burst: number;
}

/** What a key may spend. */
export interface Allowance {
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
}

/** The rate where the log of calls survives each process: evenly over the window. */
export function steadyRate({ limit, reserve, windowMs }: Allowance): LeakRate {
  const calls = limit - reserve;
  return {
    callsPerMs: calls / windowMs,
    burst: Math.min(calls, Math.max(MIN_BURST, Math.ceil(calls * BURST_SHARE))),
  };
}

/**
 * The rate of a process whose log of calls is lost if it is killed. Two bursts and a window's even flow stay within the limit,
 * however often the process is restarted (see `LeakyBucket`); two, because an upstream with fixed windows forgets the first.
 */
export function coldStartRate({ limit, reserve, windowMs }: Allowance): LeakRate {
  const even = Math.max(1, Math.min(Math.ceil(COLD_START_SHARE * (limit - reserve)), limit - 2));
  return { callsPerMs: even / windowMs, burst: Math.max(1, Math.floor((limit - even) / 2)) };
}

/**
 * A leaky bucket. After a cold start it is full: the first call is sent one interval later, so a crash loop makes no more calls
 * than the even flow. When the first answer tells how much of the window is spent, the level drops to that and a burst may
 * follow.
 */
export class LeakyBucket {
  readonly #leakRate: LeakRate;
  #level: number;
  #at: number;

  constructor(leakRate: LeakRate, startedAt: number, from: 'full' | 'empty') {
    this.#leakRate = leakRate;
    this.#level = from === 'full' ? leakRate.burst : 0;
    this.#at = startedAt;
  }

  /** The most calls that may be sent at once. */
  get burst(): number {
    return this.#leakRate.burst;
  }

  /** Records a call that is sent now. */
  take(now: number): void {
    this.#level = this.#levelAt(now) + 1;
    this.#at = Math.max(this.#at, now);
  }

  /** Takes back a call of `takenAt` that was not sent, less what has leaked since. */
  putBack(takenAt: number, now: number): void {
    const leaked = Math.max(0, now - takenAt) * this.#leakRate.callsPerMs;
    this.#level = Math.max(0, this.#levelAt(now) - Math.max(0, 1 - leaked));
    this.#at = Math.max(this.#at, now);
  }

  /** Stops the leak until `until`: the window is spent, and the calls that it gives back must not be sent in a burst. */
  holdUntil(until: number, now: number): void {
    this.#level = this.#levelAt(now);
    this.#at = Math.max(this.#at, until);
  }

  /** Records that no more than `used` calls can count in the upstream's window. */
  capUsed(used: number, now: number): void {
    this.#level = Math.min(this.#levelAt(now), Math.max(0, used));
    this.#at = Math.max(this.#at, now);
  }

  /** Calls that may be sent now. */
  left(now: number): number {
    return Math.max(0, Math.floor(this.#leakRate.burst - this.#levelAt(now) + 1e-9));
  }

  /** How long until a call may be sent. */
  retryInMsAt(now: number): number {
    const leakInMs = Math.ceil((this.#levelAt(now) + 1 - this.#leakRate.burst) / this.#leakRate.callsPerMs);
    return leakInMs <= 0 ? 0 : leakInMs + Math.max(0, this.#at - now);
  }

  #levelAt(now: number): number {
    return Math.max(0, this.#level - Math.max(0, now - this.#at) * this.#leakRate.callsPerMs);
  }
}
