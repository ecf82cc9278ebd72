import type { BudgetScriptReply, SharedBudgetState } from './budget-script-reply.ts';
import type { LeakRate } from '../budget/leaky-bucket.ts';

/** What an instance puts into a command of what it knows of the shared account. */
export interface KnownBudget {
  /** Which account it is; empty before the first reply. */
  readonly epoch: string;
  /** The least that the account's time can be when the command runs, in ms; 0 before the first reply. */
  readonly minNow: number;
  /** Calls that the account has counted, as far as this instance has heard: an account with fewer has lost some. */
  readonly counted: number;
}

/**
 * What one instance knows of the shared account from the script's replies. The account's time was written into a reply
 * before the reply came, so since then at least as much time has passed as on our monotonic clock: each reply gives a
 * bound from below, and the best of them is kept. Slow replies make the account's time late, never early.
 */
export class SharedBudgetView {
  #epoch = '';
  #aheadMs = 0;
  #counted = 0;

  /** Records a reply that was received at `now`, on our monotonic clock. */
  recordReply(reply: Pick<BudgetScriptReply, 'epoch' | 'now' | 'counted'>, now: number): void {
    const isSame = reply.epoch === this.#epoch;
    this.#aheadMs = Math.max(reply.now - now, isSame ? this.#aheadMs : -Infinity);
    this.#counted = Math.max(reply.counted, isSame ? this.#counted : 0);
    this.#epoch = reply.epoch;
  }

  /** What goes into a command that is sent at `now`. */
  knownAt(now: number): KnownBudget {
    const minNow = this.#epoch === '' ? 0 : Math.max(0, Math.floor(now + this.#aheadMs));
    return { epoch: this.#epoch, minNow, counted: this.#counted };
  }

  /** How far the account's time is ahead of our monotonic clock, in ms; undefined before the first reply. */
  get aheadMs(): number | undefined {
    return this.#epoch === '' ? undefined : this.#aheadMs;
  }
}

/** How the shared budget stood, and when that was said, on our clock. */
export interface BudgetAt {
  readonly at: number;
  readonly facts: SharedBudgetState;
}

/** How the shared budget stands at `now`, as far as time alone has changed it since the script's last word. */
export function sharedBudget({ at, facts }: BudgetAt, leakRate: LeakRate, now: number) {
  const { used, capacity, others, starting, level, heldForMs } = facts;
  const pausedForMs = Math.max(0, facts.pausedForMs - (now - at));
  const levelNow = Math.max(0, level - Math.max(0, now - at - heldForMs) * leakRate.callsPerMs);
  const smoothed = Math.floor(leakRate.burst - levelNow + 1e-9);
  const left = pausedForMs > 0 || starting ? 0 : Math.max(0, Math.min(capacity - used, smoothed));
  return { used, left, maxLeft: Math.min(capacity, leakRate.burst), capacity, others, pausedForMs, starting };
}
