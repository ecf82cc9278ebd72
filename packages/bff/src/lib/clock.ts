import { LRUCache } from 'lru-cache';

/**
 * The source of time. Functions that make decisions take `now` as an argument. Only the outermost code uses a clock.
 */
export interface Clock {
  /**
   * Monotonic milliseconds, for lifetimes, budgets, and waits. Changes to the system clock don't affect this one. Until
   * the machine reboots, all processes on it count from the same time.
   */
  now(): number;
  /**
   * Milliseconds since the Unix epoch. These times are only for values that are displayed, stored, or compared with the
   * upstream's dates.
   */
  wallNow(): number;
  /**
   * Runs `run` once after `afterMs`. The returned function cancels the timer. The timer never keeps the process alive.
   */
  schedule(afterMs: number, run: () => void | Promise<void>): () => void;
}

/** Wraps `base`. Errors from scheduled work are passed to `onFault` and don't end the process. */
export function guardedClock(base: Clock, onFault: (fault: unknown) => void): Clock {
  return {
    ...base,
    schedule: (afterMs, run) => base.schedule(afterMs, () => (async () => run())().catch(onFault)),
  };
}

/**
 * Runs `task` every `everyMs` until the returned function is called. Two runs never overlap. If a run throws, the clock
 * handles the error (`guardedClock`), and the next run still happens.
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

/** Resolves after `ms`. */
export function elapsed(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.schedule(ms, resolve));
}

/** Resolves or rejects like `work`, or resolves with undefined after `ms`, whichever comes first. */
export async function within<Value>(clock: Clock, ms: number, work: Promise<Value>): Promise<Value | undefined> {
  const { promise: timedOut, resolve } = Promise.withResolvers<undefined>();
  const cancel = clock.schedule(ms, () => resolve(undefined));
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    cancel();
  }
}

/** Returns whether a name is new: not given within the last `periodMs`. Remembers the latest `max` names. */
export function firstWithin(clock: Pick<Clock, 'now'>, periodMs: number, max: number): (name: string) => boolean {
  const given = new LRUCache<string, true>({ max, ttl: periodMs, ttlResolution: 0, perf: clock });
  return (name) => {
    const isNew = !given.has(name);
    if (isNew) given.set(name, true);
    return isNew;
  };
}

/** The delay before a retry, in ms, clamped to the range for `Retry-After`: 1 to 300 s. */
export function retryWaitMs(ms: number): number {
  return Math.min(300_000, Math.max(1_000, ms));
}

/** The longest possible timer delay, in milliseconds. A timer with a longer delay fires immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * When this process started, on the clock of `systemClock.now()`. `performance.now()` counts from this time. `hrtime`
 * uses the same clock, but counts from a time that all processes share.
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
