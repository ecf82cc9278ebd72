import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { RedisCallBudget, type RedisCallBudgetOptions } from '../redis/budget.ts';

/** The budget's script with its clock in the test's hands: the last argument is the time in ms. */
const TIMED_SCRIPT = readFileSync(new URL('../redis/budget.lua', import.meta.url), 'utf8').replace(
  "local time = redis.call('TIME')",
  'local time = { math.floor(ARGV[#ARGV] / 1000), ARGV[#ARGV] % 1000 * 1000 }',
);

/** Where Redis's clock starts, in ms. */
const REDIS_EPOCH_MS = 1_800_000_000_000;

type Client = RedisCallBudgetOptions['client'];

/** A connection to a real Redis, whose clock and loss are the test's. */
export class TimedRedis implements Client {
  readonly #redis: Redis;
  readonly #now: () => number;
  readonly #pending = new Set<Promise<unknown>>();
  isLost = false;
  fault: Client['fault'];

  constructor(redis: Redis, now: () => number) {
    this.#redis = redis;
    this.#now = now;
  }

  send: Client['send'] = (command, options) => {
    if (this.isLost) this.fault = 'timeout';
    if (this.isLost || (this.fault !== undefined && options?.isTrial !== true))
      return Promise.reject(new Error('Redis is lost'));
    this.fault = undefined;
    const at = Math.floor(REDIS_EPOCH_MS + this.#now());
    const pulseBudget = (count: number, ...args: (string | number)[]) =>
      this.#redis.eval(TIMED_SCRIPT, count, ...args, at);
    const reply = command({ pulseBudget } as never);
    const done = reply.catch(() => {}).finally(() => this.#pending.delete(done));
    this.#pending.add(done);
    return reply;
  };

  /** Resolves when Redis has done all it was sent. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}

/** A budget over such a connection. */
export function timedBudget(client: TimedRedis, options: Omit<RedisCallBudgetOptions, 'client' | 'namespace'>) {
  return new RedisCallBudget({ ...options, client, namespace: () => 'pulse:test' });
}
