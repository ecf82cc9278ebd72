/** How much one answer weighs: a slow upstream is noticed within a few dozen answers, and forgiven as fast. */
const WEIGHT = 0.05;

/** How likely it is that an answer comes while a reader waits; late answers and failures speak against it. */
export class OnTimeRatio {
  readonly #timeoutMs: number;
  #share = 1;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Records that an answer took `tookMs`; Infinity for none. */
  record(tookMs: number): void {
    this.#share += WEIGHT * (Number(tookMs <= this.#timeoutMs) - this.#share);
  }

  /** Share of the answers, later ones counting more, for which a reader would not have waited in vain. */
  get share(): number {
    return this.#share;
  }
}
