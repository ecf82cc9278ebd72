/** Of the calls that may be spent, this share flows evenly where nothing is known of earlier processes; the rest is for bursts. */
const CAREFUL_SHARE = 0.93;

/** Share of a window's calls that may leave at once, and room for the list and a page of cards at the least. */
const BURST_SHARE = 1 / 3;
const SMALLEST_BURST = 12;

/** How fast calls may leave. */
export interface Pace {
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
export function steadyPace({ limit, reserve, windowMs }: Allowance): Pace {
  const calls = limit - reserve;
  return {
    callsPerMs: calls / windowMs,
    burst: Math.min(calls, Math.max(SMALLEST_BURST, Math.ceil(calls * BURST_SHARE))),
  };
}

/**
 * The pace of a process that may be killed, and whose account may be lost with it. Two bursts and a window's even flow stay
 * within the limit, whoever is killed and started anew, and how often (see `EvenPace`); two, because an upstream with fixed
 * windows forgets the first.
 */
export function carefulPace({ limit, reserve, windowMs }: Allowance): Pace {
  const even = Math.max(1, Math.min(Math.ceil(CAREFUL_SHARE * (limit - reserve)), limit - 2));
  return { callsPerMs: even / windowMs, burst: Math.max(1, Math.floor((limit - even) / 2)) };
}

/**
 * A leaking bucket. That of a process starts full: the first call leaves one interval after the start, so a crash loop makes
 * no more calls than the even flow, however fast it turns. When the first answer says how much of the window was spent, the
 * bucket sinks to that and a burst may follow.
 */
export class EvenPace {
  readonly #pace: Pace;
  #level: number;
  #at: number;

  constructor(pace: Pace, startedAt: number, from: 'full' | 'empty') {
    this.#pace = pace;
    this.#level = from === 'full' ? pace.burst : 0;
    this.#at = startedAt;
  }

  /** The most calls that may ever leave at once. */
  get burst(): number {
    return this.#pace.burst;
  }

  /** Takes in a call that leaves now. */
  took(now: number): void {
    this.#level = this.#levelAt(now) + 1;
    this.#at = Math.max(this.#at, now);
  }

  /** Saves nothing up until `until`: the window is spent, and what it gives back shall not leave at once again. */
  holdUntil(until: number, now: number): void {
    this.#level = this.#levelAt(now);
    this.#at = Math.max(this.#at, until);
  }

  /** Takes in that no more than `used` calls can count in the upstream's window. */
  learnedUsed(used: number, now: number): void {
    this.#level = Math.min(this.#levelAt(now), Math.max(0, used));
    this.#at = Math.max(this.#at, now);
  }

  /** Calls that may leave now. */
  left(now: number): number {
    return Math.max(0, Math.floor(this.#pace.burst - this.#levelAt(now) + 1e-9));
  }

  /** How long until a call may leave. */
  roomInMs(now: number): number {
    const leakInMs = Math.ceil((this.#levelAt(now) + 1 - this.#pace.burst) / this.#pace.callsPerMs);
    return leakInMs <= 0 ? 0 : leakInMs + Math.max(0, this.#at - now);
  }

  #levelAt(now: number): number {
    return Math.max(0, this.#level - Math.max(0, now - this.#at) * this.#pace.callsPerMs);
  }
}
