import type { Clock } from '../clock.ts';

/** How often the calls are read, in ms. */
const STEP_MS = 15_000;

/** How far back the history goes, in ms. */
const LENGTH_MS = 30 * 60_000;

const CAPACITY = LENGTH_MS / STEP_MS + 1;

/** The calls of one window at one moment. */
export interface CallHistoryPoint {
  /** ISO 8601. */
  readonly at: string;
  /** Own calls in the window that ended at `at`. */
  readonly spent: number;
}

/** The calls to the service over the last 30 minutes, one point every 15 seconds. */
export class CallHistory {
  readonly #clock: Clock;
  readonly #spent: () => number;
  readonly #points: CallHistoryPoint[] = [];
  #cancel: () => void = () => {};

  /** `spent` returns the own calls in the window that ends now. */
  constructor(clock: Clock, spent: () => number) {
    this.#clock = clock;
    this.#spent = spent;
    this.#read();
  }

  /** Oldest first. */
  points(): readonly CallHistoryPoint[] {
    return [...this.#points];
  }

  close(): void {
    this.#cancel();
  }

  #read(): void {
    this.#cancel = this.#clock.schedule(STEP_MS, () => this.#read());
    this.#points.push({ at: new Date(this.#clock.wallNow()).toISOString(), spent: this.#spent() });
    if (this.#points.length > CAPACITY) this.#points.shift();
  }
}
