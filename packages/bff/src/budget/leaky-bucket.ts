/** Of the calls that may be spent, this share flows evenly where nothing is known of earlier processes; the rest is for bursts. */
const COLD_START_SHARE = 0.93;

/** Share of a window's calls that may leave at once, and room for the list and a page of cards at the least. */
const BURST_SHARE = 1 / 3;
const MIN_BURST = 12;

/** How fast calls may leave. */
export interface LeakRate {
  readonly callsPerMs: number;
  /** Calls that may leave at once. */
  readonly burst: number;
}

/** What a key may spend. */
export interface Allowance {
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
}

/** The pace of calls whose account outlives each process: evenly over the window, so that there is always a call to come. */
export function steadyRate({ limit, reserve, windowMs }: Allowance): LeakRate {
  const calls = limit - reserve;
  return {
    callsPerMs: calls / windowMs,
    burst: Math.min(calls, Math.max(MIN_BURST, Math.ceil(calls * BURST_SHARE))),
  };
}

/**
 * The pace of a process that may be killed, and whose account may be lost with it. Two bursts and a window's even flow stay
 * within the limit, whoever is killed and started anew, and how often (see `LeakyBucket`); two, because an upstream with fixed
 * windows forgets the first.
 */
export function coldStartRate({ limit, reserve, windowMs }: Allowance): LeakRate {
  const even = Math.max(1, Math.min(Math.ceil(COLD_START_SHARE * (limit - reserve)), limit - 2));
  return { callsPerMs: even / windowMs, burst: Math.max(1, Math.floor((limit - even) / 2)) };
}

/**
 * A leaking bucket. That of a process starts full: the first call leaves one interval after the start, so a crash loop makes
 * no more calls than the even flow, however fast it turns. When the first answer says how much of the window was spent, the
 * bucket sinks to that and a burst may follow.
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

  /** The most calls that may ever leave at once. */
  get burst(): number {
    return this.#leakRate.burst;
  }

  /** Records a call that leaves now. */
  take(now: number): void {
    this.#level = this.#levelAt(now) + 1;
    this.#at = Math.max(this.#at, now);
  }

  /** Saves nothing up until `until`: the window is spent, and what it gives back shall not leave at once again. */
  holdUntil(until: number, now: number): void {
    this.#level = this.#levelAt(now);
    this.#at = Math.max(this.#at, until);
  }

  /** Records that no more than `used` calls can count in the upstream's window. */
  capUsed(used: number, now: number): void {
    this.#level = Math.min(this.#levelAt(now), Math.max(0, used));
    this.#at = Math.max(this.#at, now);
  }

  /** Calls that may leave now. */
  left(now: number): number {
    return Math.max(0, Math.floor(this.#leakRate.burst - this.#levelAt(now) + 1e-9));
  }

  /** How long until a call may leave. */
  retryInMsAt(now: number): number {
    const leakInMs = Math.ceil((this.#levelAt(now) + 1 - this.#leakRate.burst) / this.#leakRate.callsPerMs);
    return leakInMs <= 0 ? 0 : leakInMs + Math.max(0, this.#at - now);
  }

  #levelAt(now: number): number {
    return Math.max(0, this.#level - Math.max(0, now - this.#at) * this.#leakRate.callsPerMs);
  }
}
