import type { CallBudget } from '../budget/call-budget.ts';
import { SlidingWindowLog } from '../budget/local-call-budget.ts';
import type { Clock } from '../lib/clock.ts';

/**
 * A call budget that grants up to `calls` calls in any window. While calls are left, it grants them immediately. It has
 * no reserve, and doesn't spread the calls.
 */
export function createSlidingWindowBudget(
  clock: Clock,
  { calls, windowMs }: { calls: number; windowMs: number },
): CallBudget {
  const log = new SlidingWindowLog(windowMs);
  let lastId = 0;
  return {
    async acquire(subject: string) {
      const now = clock.now();
      const retryInMs = log.retryInMs(now, calls);
      if (retryInMs > 0) return { kind: 'denied', reason: 'budget', retryInMs };
      const id = (lastId += 1);
      log.add(id, now + 10_000);
      return { kind: 'granted', permit: { id, subject, expiresAt: now + 2_000, fencingToken: id } };
    },
    settle: ({ id }, { fate }) => void log.settle(id, fate === 'unsent' ? undefined : clock.now()),
    status: () => {
      const used = log.used(clock.now());
      const own = { limit: calls, capacity: calls, maxLeft: calls, used, left: Math.max(0, calls - used) };
      return { ...own, reserve: 0, windowMs, others: 0, earlier: 0, pausedForMs: 0, starting: false };
    },
  };
}
