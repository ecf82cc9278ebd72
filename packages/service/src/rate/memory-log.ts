import type { RateLog, RateRule, WindowState } from './rate-log.ts';

/** The sliding log of one process, kept in memory. */
export class MemoryLog implements RateLog {
  readonly #rule: RateRule;
  readonly #elapsedMs: () => number;
  readonly #calls = new Map<string, number[]>();
  #sweptAtMs: number;

  constructor(rule: RateRule, elapsedMs: () => number) {
    this.#rule = rule;
    this.#elapsedMs = elapsedMs;
    this.#sweptAtMs = elapsedMs();
  }

  take(caller: string): WindowState {
    const { limit, windowMs } = this.#rule;
    const now = this.#elapsedMs();
    this.#sweep(now);
    const calls = (this.#calls.get(caller) ?? []).filter((at) => at > now - windowMs);
    const granted = calls.length < limit;
    if (granted) calls.push(now);
    this.#calls.set(caller, calls);
    return { granted, used: calls.length, resetInMs: (calls[0] ?? now) + windowMs - now };
  }

  /** Callers that are remembered. */
  get size(): number {
    return this.#calls.size;
  }

  /** Once a window, forgets the callers whose calls have all left it. */
  #sweep(now: number): void {
    const { windowMs } = this.#rule;
    if (now - this.#sweptAtMs < windowMs) return;
    this.#sweptAtMs = now;
    for (const [caller, calls] of this.#calls) {
      if ((calls.at(-1) ?? 0) <= now - windowMs) this.#calls.delete(caller);
    }
  }
}
