import type { Pace } from '../budget/even-pace.ts';
import type { SharedAccount } from './ledger-reply.ts';

/** How the shared budget stood, and when that was said, on our clock. */
export interface AccountAt {
  readonly at: number;
  readonly facts: SharedAccount;
}

/** How the shared budget stands at `now`, as far as time alone has changed it since the script's last word. */
export function sharedBudget({ at, facts }: AccountAt, pace: Pace, now: number) {
  const { used, capacity, others, starting, level, heldForMs } = facts;
  const pausedForMs = Math.max(0, facts.pausedForMs - (now - at));
  const levelNow = Math.max(0, level - Math.max(0, now - at - heldForMs) * pace.callsPerMs);
  const paced = Math.floor(pace.burst - levelNow + 1e-9);
  const left = pausedForMs > 0 || starting ? 0 : Math.max(0, Math.min(capacity - used, paced));
  return { used, left, leftAtMost: Math.min(capacity, pace.burst), capacity, others, pausedForMs, starting };
}
