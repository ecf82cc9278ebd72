import type { LedgerReply } from './ledger-reply.ts';

/** What an instance puts into a command of what it knows of the shared account. */
export interface KnownAccount {
  /** Which account it is; empty before the first reply. */
  readonly epoch: string;
  /** The least that the account's time can be when the command runs, in ms; 0 before the first reply. */
  readonly leastNow: number;
  /** Calls that the account has counted, as far as this instance has heard: an account with fewer has lost some. */
  readonly counted: number;
}

/**
 * What one instance knows of the shared account from the script's replies. The account's time was written into a reply
 * before the reply came, so since then at least as much time has passed as on our monotonic clock: each reply gives a
 * bound from below, and the best of them is kept. Slow replies make the account's time late, never early.
 */
export class AccountView {
  #epoch = '';
  #aheadMs = 0;
  #counted = 0;

  /** Records a reply that was received at `now`, on our monotonic clock. */
  heard(reply: Pick<LedgerReply, 'epoch' | 'now' | 'counted'>, now: number): void {
    const isSame = reply.epoch === this.#epoch;
    this.#aheadMs = Math.max(reply.now - now, isSame ? this.#aheadMs : -Infinity);
    this.#counted = Math.max(reply.counted, isSame ? this.#counted : 0);
    this.#epoch = reply.epoch;
  }

  /** What goes into a command that is sent at `now`. */
  knownAt(now: number): KnownAccount {
    const leastNow = this.#epoch === '' ? 0 : Math.max(0, Math.floor(now + this.#aheadMs));
    return { epoch: this.#epoch, leastNow, counted: this.#counted };
  }

  /** How far the account's time is ahead of our monotonic clock, in ms; undefined before the first reply. */
  get aheadMs(): number | undefined {
    return this.#epoch === '' ? undefined : this.#aheadMs;
  }
}
