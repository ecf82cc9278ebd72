/** The time of day and the time that passes, both in milliseconds; tests push them. */
export interface Clock {
  /** Unix time. */
  nowMs: () => number;
  /** Time since some fixed point; never jumps when the machine's date is set. */
  monotonicMs: () => number;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
