/** How far back views count: long enough to know a source seen once in minutes, short enough to follow the day. */
const MEMORY_MS = 1_800_000;

/** A rate is not read off less than this: one view in the first second is not a crowd. */
const LEAST_COUNTED_MS = 60_000;

/** A reader with an open live stream looks at the card as often as one who comes anew every half minute. */
const LIVE_LOOK_MS = 30_000;

/** How often a source is looked at, later views counting more; counting a view allocates nothing. */
export class ViewRate {
  readonly #since: number;
  #weight = 0;
  #at: number;
  #readers = 0;

  constructor(now: number) {
    this.#since = now;
    this.#at = now;
  }

  /** Readers with an open live stream. */
  get readers(): number {
    return this.#readers;
  }

  /** Counts one view at `now`. */
  sawView(now: number): void {
    this.#weight = this.#weightAt(now) + 1;
    this.#at = Math.max(now, this.#at);
  }

  /** Takes in how many live streams are open. */
  watchedBy(readers: number): void {
    this.#readers = readers;
  }

  /** The estimated views per ms at `now`, those of open streams included. */
  perMs(now: number): number {
    const age = Math.max(now - this.#since, LEAST_COUNTED_MS);
    const countedMs = MEMORY_MS * -Math.expm1(-age / MEMORY_MS);
    return this.#weightAt(now) / countedMs + this.#readers / LIVE_LOOK_MS;
  }

  #weightAt(now: number): number {
    return now <= this.#at ? this.#weight : this.#weight * Math.exp((this.#at - now) / MEMORY_MS);
  }
}
