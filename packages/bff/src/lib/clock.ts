/** Where time comes from. Decisions take `now` as an argument; only the edges hold a clock. */
export interface Clock {
  /**
   * Monotonic milliseconds: lifetimes, budgets and waits, unmoved by clock changes. Processes that run on one machine,
   * one after the other, count from the same moment (until the machine reboots).
   */
  now(): number;
  /** Milliseconds since the Unix epoch: only for what is displayed, stored or compared with the upstream's dates. */
  wallNow(): number;
  /** Runs `run` once after `afterMs`; the returned function cancels it. Never keeps the process alive. */
  schedule(afterMs: number, run: () => void | Promise<void>): () => void;
}

/** Wraps `base`: errors of its scheduled work are passed to `onFault` and don't end the process. */
export function guardedClock(base: Clock, onFault: (fault: unknown) => void): Clock {
  return {
    now: () => base.now(),
    wallNow: () => base.wallNow(),
    schedule: (afterMs, run) => base.schedule(afterMs, () => (async () => run())().catch(onFault)),
  };
}

/**
 * Runs `task` every `everyMs`, never twice at the same time, until the returned function is called. A run that throws is an error of the
 * clock's (`guardedClock`); the next run follows anyway.
 */
export function repeat(clock: Clock, everyMs: number, task: () => void | Promise<void>): () => void {
  let isEnded = false;
  let cancel = clock.schedule(everyMs, run);

  async function run(): Promise<void> {
    try {
      await task();
    } finally {
      if (!isEnded) cancel = clock.schedule(everyMs, run);
    }
  }

  return () => {
    isEnded = true;
    cancel();
  };
}

/** The wait after `failures` in a row, in ms: doubles from `firstMs` to `maxMs`. */
export function doublingWaitMs(failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/** A wait before a retry, in ms, within the bounds of `Retry-After`: 1 to 300 s. A timer out of range would fire immediately. */
export function retryWaitMs(ms: number): number {
  return Math.min(300_000, Math.max(1_000, ms));
}

/** Longest delay of a timer, in milliseconds. A longer one fires immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * When this process started, on `systemClock.now()`. `performance.now()` counts from there; `hrtime`, on the same clock, from a
 * moment that all processes share.
 */
export const processStartedMs = Number(process.hrtime.bigint() / 1_000n) / 1_000 - performance.now();

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => processStartedMs + performance.now(),
  wallNow: () => Date.now(),
  schedule(afterMs, run) {
    const timer = setTimeout(() => void run(), Math.min(Math.max(afterMs, 0), MAX_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
