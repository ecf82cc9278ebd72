import type { CallPermit } from '../../packages/bff/src/budget/call-budget.ts';
import { LocalCallBudget } from '../../packages/bff/src/budget/local-call-budget.ts';
import type { BudgetSnapshot } from '../../packages/bff/src/planner/refresh-planner.ts';

/** Share of the upstream's limit that a world's plan spends, as delivered (45 of 60); the rest is left to others. */
const SPENT_SHARE = 0.75;

/** The most that a call takes, in ms: the BFF's default deadline for the upstream. */
const CALL_MS = 5_000;

/** The BFF's own ledger of the key's calls, on the simulator's clock, as it stands long after a start. */
export function openCallLedger(callsPerWindow: number, windowMs: number) {
  let now = 0;
  let closedUntil = 0;
  const limit = Math.ceil(callsPerWindow / SPENT_SHARE);
  const callBudget = new LocalCallBudget({
    clock: { now: () => now, wallNow: () => now, schedule: () => () => {} },
    limit,
    reserve: limit - callsPerWindow,
    windowMs,
    callMs: CALL_MS,
    startedAt: -10 * windowMs,
  });
  return {
    /** The calls that may be spent at `at`. */
    tokens(at: number): BudgetSnapshot {
      now = at;
      return callBudget.status();
    },
    /** Leave for one call, or none. */
    async take(at: number, subject: string): Promise<CallPermit | undefined> {
      // A refusal says when to ask again; asking at every view before that only takes time.
      if (at < closedUntil) return undefined;
      now = at;
      const result = await callBudget.acquire(subject);
      if (result.kind === 'granted') return result.permit;
      closedUntil = at + result.retryInMs;
      return undefined;
    },
    /** Records that the answer has arrived. */
    settle(at: number, permit: CallPermit): void {
      now = at;
      callBudget.settle(permit, { fate: 'answered' });
    },
  };
}
