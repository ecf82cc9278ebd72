/** Share of the calls that may be spent which flows evenly; the rest is kept for bursts and for the unknown. */
const EVEN_SHARE = 0.93;

/** How fast calls may leave while nobody remembers what left before. */
export interface Pace {
  readonly callsPerMs: number;
  /** Calls that may leave at once, once the upstream has said how little was spent. */
  readonly burst: number;
}

/**
 * The pace of a process without a memory. Two bursts and a window's even flow stay within the limit, whoever is killed
 * and started anew, and how often (see `EvenPace`); two, because an upstream with fixed windows forgets the first.
 */
export function paceFor({ limit, reserve, windowMs }: { limit: number; reserve: number; windowMs: number }): Pace {
  const even = Math.max(1, Math.min(Math.ceil(EVEN_SHARE * (limit - reserve)), limit - 2));
  return { callsPerMs: even / windowMs, burst: Math.max(1, Math.floor((limit - even) / 2)) };
}

/**
 * A leaking bucket that starts full: the first call leaves one interval after the process was started, so a crash loop
 * makes no more calls than the even flow, however fast it turns. When the first answer says how much of the window was
 * spent, the bucket sinks to that and a burst may follow.
 */
export class EvenPace {
  readonly #pace: Pace;
  #level: number;
  #at: number;

  constructor(pace: Pace, startedAt: number) {
    this.#pace = pace;
    this.#level = pace.burst;
    this.#at = startedAt;
  }

  /** The most calls that may ever leave at once. */
  get burst(): number {
    return this.#pace.burst;
  }

  /** Lets one call leave at once: for a process that is known to be the first. */
  admitOne(): void {
    this.#level = Math.min(this.#level, this.#pace.burst - 1);
  }

  /** Takes in a call that leaves now. */
  took(now: number): void {
    this.#level = this.#levelAt(now) + 1;
    this.#at = now;
  }

  /** Takes in that no more than `used` calls can count in the upstream's window. */
  learnedUsed(used: number, now: number): void {
    this.#level = Math.min(this.#levelAt(now), Math.max(0, used));
    this.#at = now;
  }

  /** Calls that may leave now. */
  left(now: number): number {
    return Math.max(0, Math.floor(this.#pace.burst - this.#levelAt(now) + 1e-9));
  }

  /** How long until a call may leave. */
  roomInMs(now: number): number {
    return Math.max(0, Math.ceil((this.#levelAt(now) + 1 - this.#pace.burst) / this.#pace.callsPerMs));
  }

  #levelAt(now: number): number {
    return Math.max(0, this.#level - Math.max(0, now - this.#at) * this.#pace.callsPerMs);
  }
}
