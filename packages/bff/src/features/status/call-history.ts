import { type Clock, repeat } from '../../lib/clock.ts';

/** The calls in one window at a given time. */
export interface CallHistoryPoint {
  /** ISO 8601. */
  readonly at: string;
  /** How many calls this BFF made in the window that ended at `at`. */
  readonly spent: number;
}

/** The time between two samples, in ms. */
const STEP_MS = 15_000;

/** The number of points in 30 minutes. */
const MAX_POINTS = (30 * 60_000) / STEP_MS + 1;

/** The calls to the service in the last 30 minutes, with one point every 15 seconds. */
export class CallHistory {
  readonly #points: CallHistoryPoint[] = [];
  readonly close: () => void;

  /** `spent` returns how many calls this BFF made in the window that ends now. */
  constructor(clock: Clock, spent: () => number) {
    const read = (): void => {
      this.#points.push({ at: new Date(clock.wallNow()).toISOString(), spent: spent() });
      if (this.#points.length > MAX_POINTS) this.#points.shift();
    };
    read();
    this.close = repeat(clock, STEP_MS, read);
  }

  /** Oldest first. */
  points(): readonly CallHistoryPoint[] {
    return [...this.#points];
  }
}
