export type VirtualClock = ReturnType<typeof createVirtualClock>;

/**
 * Creates a clock that doesn't move until a test advances it. It starts at `startMs` (monotonic) and `wallStartMs` (since
 * the Unix epoch).
 */
export function createVirtualClock(startMs = 1_000_000, wallStartMs = Date.UTC(2026, 4, 8, 9)) {
  let now = startMs;
  let wallAhead = wallStartMs - startMs;
  const timers = new Set<{ readonly at: number; readonly run: () => unknown }>();

  function due(until: number) {
    let [first] = timers;
    // Of several timers that are due at the same time, the oldest comes first.
    for (const timer of timers) if (first && timer.at < first.at) first = timer;
    return first && first.at <= until ? first : undefined;
  }

  return {
    now: () => now,
    wallNow: () => now + wallAhead,
    schedule(afterMs: number, run: () => unknown) {
      const timer = { at: now + Math.max(0, afterMs), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** Lets `byMs` pass. Runs the timers that become due, in order, and lets promises settle after each one. */
    async advance(byMs: number) {
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
    /** Moves only the wall clock, as an administrator or NTP would. */
    shiftWall(byMs: number) {
      wallAhead += byMs;
    },
    /** The number of pending timers. */
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
