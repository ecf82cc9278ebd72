/** The state of a key's window after a call. */
export interface WindowState {
  readonly granted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** The time until the oldest counted call leaves the window. */
  readonly resetInMs: number;
}

/** An exact sliding log: it grants each key at most `limit` calls in any window of `windowMs`. */
export class ExactWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #granted = new Map<string, number[]>();

  constructor({ limit, windowMs }: { limit: number; windowMs: number }) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Counts a call from `caller` at `nowMs` if there's room for it in the window. */
  take(caller: string, nowMs: number): WindowState {
    const counted = (this.#granted.get(caller) ?? []).filter((atMs) => nowMs - atMs < this.#windowMs);
    const granted = counted.length < this.#limit;
    if (granted) counted.push(nowMs);
    this.#granted.set(caller, counted);
    const resetInMs = (counted[0] ?? nowMs) + this.#windowMs - nowMs;
    return { granted, limit: this.#limit, remaining: this.#limit - counted.length, resetInMs };
  }
}
