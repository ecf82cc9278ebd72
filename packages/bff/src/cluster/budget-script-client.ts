import { type Allowance, type LeakRate, steadyRate } from '../budget/leaky-bucket.ts';
import type { Clock } from '../clock.ts';
import { LATE_ARRIVAL_MS, PERMIT_TTL_MS, UNKNOWN_ID_LIMIT } from '../budget/call-budget.ts';
import type { KeyNamespace } from './key-namespace.ts';
import { RedisError, type RedisClient } from './redis-client.ts';
import { type BudgetScriptReply, budgetScriptReply, SharedBudgetView } from './shared-budget.ts';

/** After an empty start all instances have said by then which calls of theirs still count. */
const WARM_UP_MS = 1_500;

/** Instances may know the account's time this much too late: every call counts so much longer. More than two heartbeats. */
const GUARD_MS = 1_000;

/** A command that Redis runs this long after it was sent, because it stood still, is too late to be granted a call. */
const TOO_LATE_MS = 250;

/** Beside the shared account this share of the limit is left at the least: instances that lose Redis live on it. */
const MIN_RESERVE = 0.1;

/** The account's keys in Redis, in the script's order. */
const KEYS = ['state', 'calls', 'open', 'unknowns', 'leases', 'alive'] as const;

/** A command of the script. */
export type BudgetCommand = readonly ['acquire' | 'settle' | 'join' | 'leave', ...(string | number)[]];

/** What is needed of the connection. */
export type BudgetClient = Pick<RedisClient, 'runBudgetScript' | 'forget' | 'fault' | 'isListening'>;

export interface BudgetScriptClientOptions extends Allowance {
  readonly client: BudgetClient;
  readonly clock: Clock;
  /** This process among all that share the account; no blanks. */
  readonly instance: string;
  /** The most that a call takes from leaving to its end, in ms. */
  readonly callMs: number;
}

/** A command's surroundings. */
interface ScriptContext {
  readonly namespace: KeyNamespace;
  /** Keys that the command needs beside the account's. */
  readonly more?: readonly string[];
}

/** Puts commands to the call budget's script, and learns from each reply how the account stands. */
export class BudgetScriptClient {
  /** How calls flow while the account is shared. */
  readonly leakRate: LeakRate;
  /** Beside the shared account, calls of each window that are left. */
  readonly reserve: number;
  readonly #options: BudgetScriptClientOptions;
  readonly #settings: readonly number[];
  readonly #views = new WeakMap<KeyNamespace, SharedBudgetView>();
  /** How far Redis's own clock was ahead of ours when it was last heard of, in ms. */
  #redisAheadMs: number | undefined;

  constructor(options: BudgetScriptClientOptions) {
    const { limit, windowMs, callMs } = options;
    const reserve = Math.min(limit - 1, Math.max(options.reserve, Math.ceil(MIN_RESERVE * limit)));
    this.#options = options;
    this.reserve = reserve;
    this.leakRate = steadyRate({ limit, reserve, windowMs });
    const { callsPerMs, burst } = this.leakRate;
    const times = [windowMs, GUARD_MS, callMs, LATE_ARRIVAL_MS, WARM_UP_MS];
    this.#settings = [limit, reserve, ...times, callsPerMs, burst, UNKNOWN_ID_LIMIT, PERMIT_TTL_MS];
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
    const reply = budgetScriptReply(returned);
    if (!reply) throw new RedisError('invalid-reply');
    this.#redisAheadMs = reply.redisNow - sentAt;
    view.recordReply(reply, clock.now());
    return reply;
  }

  /** What makes the script fail is no account: without it, one is begun anew, with all the care that takes. */
  async #repair(keys: readonly string[], failure: unknown): Promise<never> {
    if (failure instanceof RedisError && failure.fault === 'invalid-reply')
      await this.#options.client.forget(...keys).catch(() => {});
    throw failure;
  }
}
