import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Clock, retryWaitMs } from '../../lib/clock.ts';
import {
  type BudgetAnswer,
  type BudgetSettings,
  type BudgetStatus,
  type CallBudget,
  LATE_MS,
  LocalCallBudget,
} from '../../upstream/call-budget.ts';
import type { RedisClient, ScriptedRedis } from './client.ts';

/** A burst can use this fraction of the calls within this fraction of the log's span. */
const BURST = { share: 1 / 3, spanShare: 1 / 4 };

/** The pause after a 429 that doesn't specify a time, in ms. */
const UNSAID_PAUSE_MS = 2_000;

export interface RedisBudgetOptions {
  readonly client: Pick<RedisClient, 'send' | 'fault'>;
  readonly clock: Clock;
  /** The prefix of the names that belong to the key in use. */
  readonly prefix: () => string;
}

/** The values that the Redis script returns: waitMs, used, capacity, pausedForMs, and ageMs. */
const replySchema = z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()]);

/**
 * The call budget for all instances: a log in Redis that allows at most `limit - reserve` calls within a window plus
 * the longest time that a call can be late. If Redis is lost, or may have lost its log, each instance also uses its own
 * budget, which starts empty.
 */
export class RedisCallBudget implements CallBudget {
  readonly #settings: BudgetSettings;
  readonly #options: RedisBudgetOptions;
  readonly #spanMs: number;
  readonly #capacity: number;
  #own: LocalCallBudget | undefined;
  /** The time until which this instance's own budget also applies. */
  #ownUntil = Infinity;
  #last: { readonly reply: z.output<typeof replySchema>; readonly at: number } | undefined;
  /** The script arguments that are the same in every call. */
  readonly #limits: readonly [spanMs: number, most: number, burstMs: number, burst: number, ...number[]];

  constructor(settings: BudgetSettings, options: RedisBudgetOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#spanMs = settings.windowMs + settings.callMs + LATE_MS;
    const { limit, reserve, windowMs } = settings;
    this.#capacity = Math.max(1, limit - reserve);
    const burst = [Math.floor(BURST.spanShare * this.#spanMs), Math.ceil(BURST.share * this.#capacity)] as const;
    const others = Math.max(reserve, Math.floor(limit / 4));
    this.#limits = [this.#spanMs, this.#capacity, ...burst, windowMs, limit, others];
  }

  waitMs(now: number): number {
    const own = this.#ownBudget(now)?.waitMs(now) ?? 0;
    if (this.#options.client.fault !== undefined || this.#last === undefined) return own;
    const { reply, at } = this.#last;
    return Math.max(own, reply[0] - (now - at));
  }

  async take(now: number): Promise<number> {
    const ownMs = this.#ownBudget(now)?.waitMs(now) ?? 0;
    if (ownMs > 0) return ownMs;
    const reply = await this.#run(['take', randomUUID(), -1], this.#options.client.fault !== undefined);
    const sentAt = this.#options.clock.now();
    const own = this.#ownBudget(sentAt);
    return reply?.[0] || (own?.take(sentAt) ?? 0);
  }

  ended(now: number, answer?: BudgetAnswer): void {
    this.#own?.ended(now, answer);
    const { rate, isLimited = false, retryAfterMs } = answer ?? {};
    const { windowMs, limit } = this.#settings;
    const unsaidMs = rate?.remaining === 0 ? windowMs : isLimited ? UNSAID_PAUSE_MS : 0;
    const saidMs = Math.max(retryAfterMs ?? 0, unsaidMs > 0 ? (rate?.resetInMs ?? 0) : 0);
    const pauseMs = unsaidMs > 0 ? Math.min(windowMs, retryWaitMs(saidMs || unsaidMs)) : 0;
    const remaining = Math.min(limit, rate?.remaining ?? -1);
    if (pauseMs > 0 || remaining >= 0) void this.#run(['answered', Math.ceil(pauseMs), remaining], false);
  }

  status(now: number): BudgetStatus {
    const { limit, reserve, windowMs } = this.#settings;
    const own = this.#ownBudget(now)?.status(now);
    if (own && (this.#options.client.fault !== undefined || this.#last === undefined)) return own;
    const [waitMs = 0, used = 0, capacity = 0, pausedForMs = 0] = this.#last?.reply ?? [];
    const [, , , maxLeft] = this.#limits;
    const left = waitMs > 0 ? 0 : Math.min(maxLeft, own?.left ?? Infinity, Math.max(0, capacity - used));
    const [others, starting] = [Math.max(0, this.#capacity - capacity), own?.starting ?? false];
    return { limit, reserve, windowMs, used, left, maxLeft, capacity, others, earlier: 0, pausedForMs, starting };
  }

  /** Reads the shared log's state, even if Redis is lost. */
  async look(): Promise<void> {
    await this.#run(['look', '', -1], true);
  }

  /** This instance's own budget, which is used while the shared log can't be relied on. It starts empty each time. */
  #ownBudget(now: number): LocalCallBudget | undefined {
    if (this.#options.client.fault !== undefined) this.#ownUntil = now + this.#spanMs;
    if (now >= this.#ownUntil) return (this.#own = undefined);
    return (this.#own ??= new LocalCallBudget(this.#settings, { startedAt: now }));
  }

  /** Runs the script. Resolves with undefined if Redis doesn't respond in time. */
  async #run(args: readonly (string | number)[], isTrial: boolean) {
    const { client, prefix, clock } = this.#options;
    const keys = ['log', 'pause', 'capacity'].map((name) => `${prefix()}:${name}`);
    try {
      const run = async (redis: ScriptedRedis) =>
        replySchema.parse(await redis.pulseBudget(keys.length, ...keys, ...this.#limits, ...args));
      const reply = await client.send(run, { isTrial });
      const now = clock.now();
      this.#last = { reply, at: now };
      // Calls may be missing from the log as long as it is younger than a window.
      const unsureUntil = reply[4] < this.#spanMs ? now + this.#spanMs - reply[4] : 0;
      this.#ownUntil = Math.max(this.#ownUntil === Infinity ? 0 : this.#ownUntil, unsureUntil);
      return reply;
    } catch {
      this.#ownBudget(clock.now());
      return undefined;
    }
  }
}
