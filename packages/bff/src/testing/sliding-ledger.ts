import type { CallLedger } from '../budget/call-ledger.ts';
import { GrantLog } from '../budget/grant-log.ts';
import type { Clock } from '../clock.ts';

/** A ledger that grants `calls` in any window, at once where they are there: it has neither reserve nor pace. */
export function createSlidingLedger(
  clock: Clock,
  { calls, windowMs }: { calls: number; windowMs: number },
): CallLedger {
  const log = new GrantLog(windowMs);
  let lastId = 0;
  return {
    async acquire({ subject }) {
      const now = clock.now();
      const retryInMs = log.roomInMs(now, calls) ?? 250;
      if (retryInMs > 0) return { kind: 'refused', reason: 'budget', retryInMs };
      const id = (lastId += 1);
      log.granted(id);
      return { kind: 'go', grant: { id, subject, leaveBefore: now + 2_000, fence: id } };
    },
    settle: ({ id }, { fate }) => log.settled(id, fate === 'unsent' ? undefined : clock.now()),
    status: () => {
      const used = log.used(clock.now());
      const own = { limit: calls, capacity: calls, leftAtMost: calls, used, left: Math.max(0, calls - used) };
      return { ...own, reserve: 0, windowMs, others: 0, pausedForMs: 0, starting: false };
    },
  };
}
