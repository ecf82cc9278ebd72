import type { Grant } from '../../packages/bff/src/budget/call-ledger.ts';
import { createMemoryLedger } from '../../packages/bff/src/budget/memory-ledger.ts';
import type { Tokens } from './policy.ts';

/** The upstream's limit for the key; what a world's plan does not spend of it is left to others. */
const KEY_LIMIT = 60;

/** The most that a call takes, in ms: the BFF's default deadline for the upstream. */
const CALL_MS = 5_000;

/** The BFF's own account of the key's calls, on the simulator's clock, as it stands long after a start. */
export function openAccount(callsPerWindow: number, windowMs: number) {
  let now = 0;
  let closedUntil = 0;
  const ledger = createMemoryLedger({
    clock: { now: () => now, wallNow: () => now, schedule: () => () => {} },
    limit: KEY_LIMIT,
    reserve: KEY_LIMIT - callsPerWindow,
    windowMs,
    callMs: CALL_MS,
    memory: { recall: () => ({ kind: 'calls', agesMs: [] }), record: () => ({ isKept: true, callsOfOthers: 0 }) },
  });
  return {
    /** What may be spent at `at`. */
    tokens(at: number): Tokens {
      now = at;
      return ledger.status();
    },
    /** Leave for one call, or none. */
    async take(at: number, subject: string): Promise<Grant | undefined> {
      // A refusal says when to ask again; asking at every view before that only takes time.
      if (at < closedUntil) return undefined;
      now = at;
      const verdict = await ledger.acquire({ subject, payer: 'known' });
      if (verdict.kind === 'go') return verdict.grant;
      closedUntil = at + verdict.retryInMs;
      return undefined;
    },
    /** Takes in that the answer is there. */
    settle(at: number, grant: Grant): void {
      now = at;
      ledger.settle(grant, { fate: 'answered' });
    },
  };
}
