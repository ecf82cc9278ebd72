/** A call that this instance has made, or may have. */
interface OwnCall {
  readonly isLocal: boolean;
  /** Until when it counts, on the monotonic clock. */
  until: number;
}

/** The calls of this instance that still count: told to a Redis that does not know them, or that was lost meanwhile. */
export class OwnCalls {
  readonly #calls = new Map<string, OwnCall>();

  /** Takes in a call, or until when it really counts. */
  counts(id: string, until: number, { isLocal }: { isLocal: boolean }): void {
    this.#calls.set(id, { until, isLocal });
  }

  /** Takes in that a call never left. */
  never(id: string): void {
    this.#calls.delete(id);
  }

  /** Each call that counts, and how much longer, in whole ms. */
  *counting(now: number): Generator<[id: string, forMs: number]> {
    for (const [id, { until }] of this.#calls)
      if (until < now) this.#calls.delete(id);
      else yield [id, Math.ceil(until - now)];
  }

  /** How many calls count that were made while Redis was lost. */
  local(now: number): number {
    let count = 0;
    for (const { until, isLocal } of this.#calls.values()) if (isLocal && until >= now) count += 1;
    return count;
  }
}
