import { z } from 'zod';
import { type Allowance, type LeakRate, steadyRate } from '../budget/leaky-bucket.ts';
import type { Clock } from '../clock.ts';
import { LATE_ARRIVAL_MS, PERMIT_TTL_MS } from '../budget/call-budget.ts';
import type { KeyNamespace } from './key-namespace.ts';
import { RedisError, type RedisClient } from './redis-client.ts';

/** After Redis has lost its data, no call is granted for this long: all instances report their calls that still count. */
const WARM_UP_MS = 1_500;

/** The time of the account may be this much ahead of what an instance knows: every call counts that much longer. More than two heartbeats. */
const GUARD_MS = 1_000;

/** A command that Redis runs this long after it was sent, since it was blocked, is granted no call. */
const TOO_LATE_MS = 250;

/** At least this share of the limit is outside the shared account: instances that lose Redis spend from it. */
const MIN_RESERVE = 0.1;

/** The account's keys in Redis, in the script's order. */
const KEYS = ['state', 'calls', 'open', 'unknowns', 'leases', 'alive'] as const;

/** A command of the script. */
export type BudgetCommand = readonly ['acquire' | 'settle' | 'join' | 'leave', ...(string | number)[]];

/** The part of the Redis client that the budget needs. */
export type BudgetClient = Pick<RedisClient, 'runBudgetScript' | 'forget' | 'fault' | 'isListening'>;

export interface BudgetScriptClientOptions extends Allowance {
  readonly client: BudgetClient;
  readonly clock: Clock;
  /** Identifies this process among all that share the account; without blanks. */
  readonly instance: string;
  /** The longest time from the sending of a call to its end, in ms. */
  readonly callMs: number;
}

/** Where a command runs. */
interface ScriptContext {
  readonly namespace: KeyNamespace;
  /** Keys that the command needs beside the account's. */
  readonly more?: readonly string[];
}

/** Runs the script of the call budget, and keeps what each reply tells of the account. */
export class BudgetScriptClient {
  /** The rate of calls while the account is shared. */
  readonly leakRate: LeakRate;
  /** Calls of each window outside the shared account. */
  readonly reserve: number;
  readonly #options: BudgetScriptClientOptions;
  readonly #settings: readonly number[];
  readonly #views = new WeakMap<KeyNamespace, SharedBudgetView>();
  /** How far Redis's clock was ahead of ours at the last reply, in ms. */
  #redisAheadMs: number | undefined;

  constructor(options: BudgetScriptClientOptions) {
    const { limit, windowMs, callMs } = options;
    const reserve = Math.min(limit - 1, Math.max(options.reserve, Math.ceil(MIN_RESERVE * limit)));
    this.#options = options;
    this.reserve = reserve;
    this.leakRate = steadyRate({ limit, reserve, windowMs });
    const { callsPerMs, burst } = this.leakRate;
    const times = [windowMs, GUARD_MS, callMs, LATE_ARRIVAL_MS, WARM_UP_MS];
    this.#settings = [limit, reserve, ...times, callsPerMs, burst, 0, PERMIT_TTL_MS];
  }

  /** What this instance knows of a namespace's account. */
  viewOf(namespace: KeyNamespace): SharedBudgetView {
    const view = this.#views.get(namespace) ?? new SharedBudgetView();
    this.#views.set(namespace, view);
    return view;
  }

  /** Rejects with `RedisError`. */
  async run(command: BudgetCommand, { namespace, more = [] }: ScriptContext): Promise<BudgetScriptReply> {
    const { client, clock, instance } = this.#options;
    const [sentAt, view] = [clock.now(), this.viewOf(namespace)];
    const { epoch, minNow, counted } = view.knownAt(sentAt);
    const lateAfter = this.#redisAheadMs === undefined ? 0 : Math.ceil(sentAt + this.#redisAheadMs) + TOO_LATE_MS;
    const keys = KEYS.map((name) => namespace.key(name));
    const args = [instance, epoch, minNow, counted, lateAfter, ...this.#settings, ...command];
    const returned = await client
      .runBudgetScript([...keys, ...more], args, { isTrial: command[0] === 'join' })
      .catch((failure: unknown) => this.#repair(keys, failure));
    const { data: reply } = replySchema.safeParse(returned);
    if (!reply) throw new RedisError('invalid-reply');
    this.#redisAheadMs = reply.redisNow - sentAt;
    view.recordReply(reply, clock.now());
    return reply;
  }

  /** Deletes data that the script fails on: a new account begins with a warm-up. */
  async #repair(keys: readonly string[], failure: unknown): Promise<never> {
    if (failure instanceof RedisError && failure.fault === 'invalid-reply')
      await this.#options.client.forget(...keys).catch(() => {});
    throw failure;
  }
}

const wordSchema = z.union([z.string().max(200), z.number()]);
const countSchema = z.coerce.number().finite().nonnegative();

/** A reply of the script, in its order. */
const replySchema = z
  .tuple([
    z.enum(['granted', 'in-flight-elsewhere', 'denied', 'late', 'rejoin', 'settled', 'joined', 'left']),
    wordSchema,
    wordSchema,
    /** The account's time, in ms. */
    countSchema,
    /** Which account it is: another one after a reset. */
    z.string().max(200),
    /** Calls that this account has counted so far. */
    countSchema,
    /** Redis's own clock, in ms. */
    countSchema,
    countSchema,
    countSchema,
    countSchema,
    countSchema,
    countSchema,
    /** The level of the leaky bucket in thousandths of a call, and how long it does not leak. */
    countSchema,
    countSchema,
  ])
  .transform(([kind, one, two, now, epoch, counted, redisNow, used, capacity, others, pausedForMs, ...rest]) => {
    const [starting, level, heldForMs] = rest;
    const account = { used, capacity, others, pausedForMs, starting: starting === 1, level: level / 1_000, heldForMs };
    return { kind, one, two, now, epoch, counted, redisNow, account };
  });

export type BudgetScriptReply = z.output<typeof replySchema>;

/**
 * What one instance knows of the shared account from the script's replies. Each reply carries the account's time, which has
 * advanced since at least as much as our monotonic clock: it gives a lower bound, and the highest of them is kept. Slow replies
 * make the bound too low, never too high.
 */
export class SharedBudgetView {
  #epoch = '';
  #aheadMs = 0;
  #counted = 0;
  #last: { readonly at: number; readonly account: BudgetScriptReply['account'] } | undefined;

  /** Records a reply that was received at `now`, on our monotonic clock. */
  recordReply(reply: Pick<BudgetScriptReply, 'epoch' | 'now' | 'counted' | 'account'>, now: number): void {
    const isSame = reply.epoch === this.#epoch;
    this.#aheadMs = Math.max(reply.now - now, isSame ? this.#aheadMs : -Infinity);
    this.#counted = Math.max(reply.counted, isSame ? this.#counted : 0);
    this.#epoch = reply.epoch;
    this.#last = { at: now, account: reply.account };
  }

  /**
   * The facts for a command that is sent at `now`: which account this instance knows (empty before the first reply), the least
   * that its time can be when the command runs, and how many calls it has counted so far (with fewer it has lost some).
   */
  knownAt(now: number) {
    const minNow = this.#epoch === '' ? 0 : Math.max(0, Math.floor(now + this.#aheadMs));
    return { epoch: this.#epoch, minNow, counted: this.#counted };
  }

  /** How far the account's time is ahead of our monotonic clock, in ms; undefined before the first reply. */
  get aheadMs(): number | undefined {
    return this.#epoch === '' ? undefined : this.#aheadMs;
  }

  /** Calls that counted at the last reply. */
  get used(): number {
    return this.#last?.account.used ?? 0;
  }

  /** The shared budget at `now`, with the time that has passed since the last reply; undefined before the first one. */
  budget(leakRate: LeakRate, now: number) {
    if (this.#last === undefined) return undefined;
    const { at, account } = this.#last;
    const { used, capacity, others, starting, level, heldForMs } = account;
    const pausedForMs = Math.max(0, account.pausedForMs - (now - at));
    const levelNow = Math.max(0, level - Math.max(0, now - at - heldForMs) * leakRate.callsPerMs);
    const smoothed = Math.floor(leakRate.burst - levelNow + 1e-9);
    const left = pausedForMs > 0 || starting ? 0 : Math.max(0, Math.min(capacity - used, smoothed));
    return { used, left, maxLeft: Math.min(capacity, leakRate.burst), capacity, others, pausedForMs, starting };
  }
}
