/** Views that are remembered: enough to know the rate to a fifth, few enough to notice a rush within so many views. */
const REMEMBERED = 24;

/** A rate is read off no less than this, in ms: one view in the first second is not a rush. */
const PRIOR_MS = 60_000;

/** A reader with an open live stream looks at the card as often as one who comes anew every half minute. */
const LIVE_LOOK_MS = 30_000;

/** How often a source is looked at, recently; counting a view allocates nothing. */
export class ViewRate {
  #views = 0;
  #countedMs = PRIOR_MS;
  #at: number;
  #readers = 0;

  constructor(now: number) {
    this.#at = now;
  }

  /** Readers with an open live stream. */
  get readers(): number {
    return this.#readers;
  }

  /** Counts one view at `now`. */
  recordView(now: number): void {
    this.#countedMs += Math.max(0, now - this.#at);
    this.#at = Math.max(now, this.#at);
    this.#views += 1;
    if (this.#views <= REMEMBERED) return;
    this.#countedMs *= REMEMBERED / this.#views;
    this.#views = REMEMBERED;
  }

  /** Records how many live streams are open. */
  setWatchers(readers: number): void {
    this.#readers = readers;
  }

  /** The estimated views per ms at `now`, those of open streams included. */
  perMs(now: number): number {
    const timeoutMs = Math.max(0, now - this.#at);
    return this.#views / (this.#countedMs + timeoutMs) + this.#readers / LIVE_LOOK_MS;
  }
}
