/** The time of day and the elapsed time, both in milliseconds. Tests can advance them. */
export interface Clock {
  /** Unix time. */
  nowMs: () => number;
  /** Time since a fixed point. It doesn't jump when the system clock is changed. */
  monotonicMs: () => number;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
