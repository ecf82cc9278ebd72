/** Two clocks drift apart by no more than this; time servers turn a clock half as fast at the most. */
const DRIFT = 0.001;

/** What replies may contradict each other by before a clock counts as set, in ms. */
const TOLERANCE_MS = 50;

/** What a reply told of the other clock: that it runs on, or that it was set. */
export type ClockNews = 'runs' | 'was-set-ahead' | 'was-set-back';

/**
 * How far another machine's clock is ahead of ours. A reply was written between our question and its arrival, so each
 * bounds the offset from both sides, however slow it was; bounds that leave no room between them mean that a clock was set.
 */
export class ClockOffset {
  #bounds: { readonly least: number; readonly most: number; readonly at: number } | undefined;

  /** Takes in what the other clock showed, on a question put at `sentAt` and answered by `now`. */
  heard(shown: number, sentAt: number, now: number): ClockNews {
    const [least, most] = [shown - now, shown - sentAt + 1];
    const before = this.#bounds;
    this.#bounds = { least, most, at: now };
    if (!before) return 'runs';
    const slackMs = (now - before.at) * DRIFT;
    const [low, high] = [before.least - slackMs, before.most + slackMs];
    if (least > high + TOLERANCE_MS) return 'was-set-ahead';
    if (most < low - TOLERANCE_MS) return 'was-set-back';
    this.#bounds = {
      least: Math.min(Math.max(least, low), most),
      most: Math.max(Math.min(most, high), least),
      at: now,
    };
    return 'runs';
  }

  /** The offset, in ms; undefined before the first reply. */
  get ms(): number | undefined {
    return this.#bounds && (this.#bounds.least + this.#bounds.most) / 2;
  }

  /** The most that the offset can be, in ms. */
  get mostMs(): number | undefined {
    return this.#bounds?.most;
  }
}
