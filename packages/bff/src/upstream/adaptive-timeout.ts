/** How much the latest answer moves the mean, and the latest deviation the mean deviation (RFC 6298, 2.3). */
const MEAN_GAIN = 1 / 8;
const DEVIATION_GAIN = 1 / 4;

/** An answer that takes longer than the mean and this many mean deviations is not coming (RFC 6298, 2.3). */
const DEVIATIONS = 4;

/** Nobody is given up sooner. */
const MIN_TIMEOUT_MS = 750;

/** How long a host's answers take, as TCP learns how long to wait for an acknowledgement. */
export class AdaptiveTimeout {
  #meanMs: number | undefined;
  #deviationMs = 0;

  /** Records that an answer took so long. */
  record(ms: number): void {
    if (this.#meanMs === undefined) [this.#meanMs, this.#deviationMs] = [ms, ms / 2];
    this.#deviationMs += DEVIATION_GAIN * (Math.abs(ms - this.#meanMs) - this.#deviationMs);
    this.#meanMs += MEAN_GAIN * (ms - this.#meanMs);
  }

  /** How long it makes sense to wait for an answer; without end where none was ever seen. */
  get timeoutMs(): number {
    if (this.#meanMs === undefined) return Infinity;
    return Math.max(MIN_TIMEOUT_MS, 2 * (this.#meanMs + DEVIATIONS * this.#deviationMs));
  }
}
