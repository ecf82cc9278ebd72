import type { Clock } from '../lib/clock.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void | Promise<void>;
}

/** A clock that doesn't move until a test advances it. */
export interface VirtualClock extends Clock {
  /** Lets `byMs` pass. Runs the timers that become due, in order, and lets promises settle after each one. */
  advance(byMs: number): Promise<void>;
  /** Moves only the wall clock, as an administrator or NTP would. */
  shiftWall(byMs: number): void;
  /** The number of pending timers. */
  pending(): number;
}

/** Creates a clock that starts at `startMs` (monotonic) and `wallStartMs` (since the Unix epoch). */
export function createVirtualClock(startMs = 1_000_000, wallStartMs = Date.UTC(2026, 4, 8, 9)): VirtualClock {
  let now = startMs;
  let wallAhead = wallStartMs - startMs;
  const timers = new Set<Timer>();

  function due(until: number): Timer | undefined {
    let first: Timer | undefined;
    // Of several timers that are due at the same time, the oldest comes first.
    for (const timer of timers) if (timer.at <= until && (!first || timer.at < first.at)) first = timer;
    return first;
  }

  return {
    now: () => now,
    wallNow: () => now + wallAhead,
    schedule(afterMs, run) {
      const timer = { at: now + Math.max(0, afterMs), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(byMs) {
      const until = now + byMs;
      await settled();
      for (let timer = due(until); timer; timer = due(until)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        void timer.run();
        await settled();
      }
      now = until;
    },
    shiftWall(byMs) {
      wallAhead += byMs;
    },
    pending: () => timers.size,
  };
}

/** Advances `clock` until `promise` resolves and returns its value. Throws after `limitMs`. */
export async function overTime<Value>(clock: VirtualClock, promise: Promise<Value>, limitMs = 30_000): Promise<Value> {
  const progress = { isDone: false };
  void promise.finally(() => (progress.isDone = true)).catch(() => {});
  await settled();
  for (let passedMs = 0; !progress.isDone && passedMs < limitMs; passedMs += 10) await clock.advance(10);
  if (!progress.isDone) throw new Error(`Gave up after ${limitMs} ms`);
  return promise;
}

/** Lets every promise that can settle do so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
