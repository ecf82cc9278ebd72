/**
 * Sliding-window log of calls. A call reaches the upstream between its permit and its answer, so it counts from the permit
 * until a whole window after the answer. So any window at the upstream holds at most the allowed number of calls, whatever the
 * network does: when the last of them was granted, all others still counted.
 */
export class SlidingWindowLog {
  readonly #windowMs: number;
  readonly #open = new Set<number>();
  /** The latest moment each settled call can have arrived, unsorted; at most as many as one window holds. */
  #arrivedBy: number[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Records that a call was granted. */
  add(id: number): void {
    this.#open.add(id);
  }

  /** Records that a granted call has arrived by `arrivedBy`, or (undefined) never left. */
  settle(id: number, arrivedBy: number | undefined): void {
    if (this.#open.delete(id) && arrivedBy !== undefined) this.#arrivedBy.push(arrivedBy);
  }

  /** Granted and not yet settled. */
  get inFlight(): number {
    return this.#open.size;
  }

  /** Calls that a window which ends after `now` may hold already. */
  used(now: number): number {
    this.#arrivedBy = this.#arrivedBy.filter((arrivedBy) => arrivedBy + this.#windowMs >= now);
    return this.#open.size + this.#arrivedBy.length;
  }

  /** How long until fewer than `capacity` calls count; undefined where that depends on answers still to come. */
  retryInMsAt(now: number, capacity: number): number | undefined {
    const tooMany = this.used(now) - capacity + 1;
    if (tooMany <= 0) return 0;
    const leaving = this.#arrivedBy.toSorted((a, b) => a - b)[tooMany - 1];
    return leaving === undefined ? undefined : leaving + this.#windowMs - now + 1;
  }
}
