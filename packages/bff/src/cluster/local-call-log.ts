/** The calls of this instance that still count: told to a Redis that does not know them, or that was lost meanwhile. */
export class LocalCallLog {
  /** Until when each counts, on the monotonic clock. */
  readonly #until = new Map<string, number>();

  /** Records a call, or until when it really counts. */
  add(id: string, until: number): void {
    this.#until.set(id, until);
  }

  /** Records that a call never left. */
  remove(id: string): void {
    this.#until.delete(id);
  }

  /** Each call that counts, and how much longer, in whole ms. */
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
