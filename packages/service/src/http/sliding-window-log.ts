/** The limit that a log enforces. */
export interface RateLimit {
  /** Maximum number of calls in any window. */
  limit: number;
  windowMs: number;
}

/** A caller's window after a call. */
export interface WindowState {
  /** False for a call over the limit. Rejected calls aren't counted. */
  granted: boolean;
  /** Calls that count toward the window, including this one if it was granted. */
  used: number;
  /** Time until the oldest call leaves the window. */
  resetInMs: number;
}

/**
 * A sliding-window log. In any window, regardless of when it begins, no caller is granted more calls than the limit.
 */
export interface WindowLog {
  take(caller: string): WindowState | Promise<WindowState>;
}

/** The sliding-window log for one process, in memory. */
export class SlidingWindowLog implements WindowLog {
  readonly #limit: RateLimit;
  readonly #monotonicMs: () => number;
  readonly #calls = new Map<string, number[]>();
  #sweptAtMs: number;

  constructor(limit: RateLimit, monotonicMs: () => number) {
    this.#limit = limit;
    this.#monotonicMs = monotonicMs;
    this.#sweptAtMs = monotonicMs();
  }

  take(caller: string): WindowState {
    const { limit, windowMs } = this.#limit;
    const now = this.#monotonicMs();
    this.#sweep(now);
    const calls = (this.#calls.get(caller) ?? []).filter((at) => at > now - windowMs);
    const granted = calls.length < limit;
    if (granted) calls.push(now);
    this.#calls.set(caller, calls);
    return { granted, used: calls.length, resetInMs: (calls[0] ?? now) + windowMs - now };
  }

  /** The number of callers that are remembered. */
  get size(): number {
    return this.#calls.size;
  }

  /** Once per window, forgets the callers whose calls have all left the window. */
  #sweep(now: number): void {
    const { windowMs } = this.#limit;
    if (now - this.#sweptAtMs < windowMs) return;
    this.#sweptAtMs = now;
    for (const [caller, calls] of this.#calls) {
      if ((calls.at(-1) ?? 0) <= now - windowMs) this.#calls.delete(caller);
    }
  }
}
