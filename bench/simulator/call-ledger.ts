import type { CallPermit } from '../../packages/bff/src/budget/call-budget.ts';
import { LocalCallBudget } from '../../packages/bff/src/budget/local-call-budget.ts';
import type { BudgetSnapshot } from '../../packages/bff/src/planner/refresh-planner.ts';

/**
 * The share of the upstream's limit that the BFF may use with default settings: 45 of 60 calls. The rest is left for
 * other users of the key.
 */
const SPENT_SHARE = 0.75;

/** The maximum duration of a call, in ms: the BFF's default deadline for the upstream. */
const CALL_MS = 5_000;

/**
 * The BFF's own call budget, on the simulator's clock. At first, the budget is in the state that it normally reaches
 * only long after a start.
 */
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
    /** The number of calls that may be made at `at`. */
    tokens(at: number): BudgetSnapshot {
      now = at;
      return callBudget.status();
    },
    /** Resolves to the permission for one call, or to undefined if no call may be made now. */
    async take(at: number, subject: string): Promise<CallPermit | undefined> {
      // A refusal says when the next call is possible. Until then, asking on every view would only slow the simulation
      // down.
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
