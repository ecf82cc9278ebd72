import { z } from 'zod';
import type { LeakRate } from '../budget/leaky-bucket.ts';

const wordSchema = z.union([z.string().max(200), z.number()]);
const countSchema = z.coerce.number().finite().nonnegative();

const replySchema = z.tuple([
  z.enum(['granted', 'in-flight-elsewhere', 'denied', 'late', 'rejoin', 'settled', 'joined', 'left']),
  wordSchema,
  wordSchema,
  countSchema,
  z.string().max(200),
  countSchema,
  countSchema,
  countSchema,
  countSchema,
  countSchema,
  countSchema,
  countSchema,
  countSchema,
  countSchema,
]);

/** How the shared account stands, by the script's word. */
export interface SharedBudgetState {
  readonly used: number;
  readonly capacity: number;
  readonly others: number;
  readonly pausedForMs: number;
  readonly starting: boolean;
  /** How full the bucket is that spreads calls evenly, and how long it does not leak. */
  readonly level: number;
  readonly heldForMs: number;
}

/** What the script says. */
export interface BudgetScriptReply {
  readonly kind: z.output<typeof replySchema>[0];
  readonly one: string | number;
  readonly two: string | number;
  /** The account's time, in ms. */
  readonly now: number;
  /** Which account it is: another one after a reset. */
  readonly epoch: string;
  /** Calls that this account has counted so far. */
  readonly counted: number;
  /** Redis's own clock, in ms. */
  readonly redisNow: number;
  readonly account: SharedBudgetState;
}

/** Reads what the script returned; undefined where it is not what the script returns. */
export function budgetScriptReply(returned: unknown): BudgetScriptReply | undefined {
  const read = replySchema.safeParse(returned);
  if (!read.success) return undefined;
  const [
    kind,
    one,
    two,
    now,
    epoch,
    counted,
    redisNow,
    used,
    capacity,
    others,
    pausedForMs,
    starting,
    level,
    heldForMs,
  ] = read.data;
  const account = { used, capacity, others, pausedForMs, starting: starting === 1, level: level / 1_000, heldForMs };
  return { kind, one, two, now, epoch, counted, redisNow, account };
}

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
