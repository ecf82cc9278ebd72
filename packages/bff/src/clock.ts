/** Where time comes from. Decisions take `now` as an argument; only the edges hold a clock. */
export interface Clock {
  /** Monotonic milliseconds: lifetimes, budgets and waits, unmoved by clock changes. */
  now(): number;
  /** Milliseconds since the Unix epoch: only for what is shown, written down or compared with the upstream's dates. */
  wallNow(): number;
  /** Runs `run` once after `afterMs`; the returned function cancels it. Never keeps the process alive. */
  schedule(afterMs: number, run: () => void): () => void;
}

/** Longest delay that `setTimeout` honours, in milliseconds; anything longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  schedule(afterMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(afterMs, 0), LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
