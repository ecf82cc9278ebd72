import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { RedisCallBudget, type RedisCallBudgetOptions } from '../features/redis/budget.ts';
import { settled } from './virtual-clock.ts';

const TIMED_SCRIPT = timedScript('../features/redis/budget.lua');

/** A script whose clock the test controls. The last argument is the time in ms. */
function timedScript(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8').replace(
    "local time = redis.call('TIME')",
    'local ms = table.remove(ARGV) local time = { math.floor(ms / 1000), ms % 1000 * 1000 }',
  );
}

/** The time at which Redis's clock starts, in ms. */
const REDIS_EPOCH_MS = 1_800_000_000_000;

type Client = RedisCallBudgetOptions['client'];

/** The number of consecutive timeouts after which Redis is considered lost, as in `RedisClient`. */
const MAX_TIMEOUTS = 2;

/** A connection to a real Redis. The test controls the clock of Redis, and whether Redis is frozen or lost. */
export class TimedRedis implements Client {
  readonly #redis: Redis;
  readonly #now: () => number;
  readonly #pending = new Set<Promise<unknown>>();
  readonly #held: (() => void)[] = [];
  #isFrozen = false;
  #timeouts = 0;
  isLost = false;
  fault: Client['fault'];

  constructor(redis: Redis, now: () => number) {
    this.#redis = redis;
    this.#now = now;
  }

  /** While Redis is frozen, commands time out. Redis runs them when it continues. */
  set isFrozen(isFrozen: boolean) {
    this.#isFrozen = isFrozen;
    if (!isFrozen) for (const run of this.#held.splice(0)) run();
  }

  send: Client['send'] = (command, options) => {
    if (this.isLost) this.fault = 'timeout';
    if (this.isLost || (this.fault !== undefined && options?.isTrial !== true))
      return Promise.reject(new Error('Redis is lost'));
    if (this.#isFrozen) {
      this.#held.push(() => void this.#run(command).catch(() => {}));
      return this.#timeOut();
    }
    [this.fault, this.#timeouts] = [undefined, 0];
    return this.#run(command);
  };

  async #timeOut(): Promise<never> {
    await settled();
    if (++this.#timeouts >= MAX_TIMEOUTS) this.fault = 'timeout';
    throw new Error('Redis stands still');
  }

  #run<Reply>(command: Parameters<typeof this.send<Reply>>[0]): Promise<Reply> {
    const at = Math.floor(REDIS_EPOCH_MS + this.#now());
    const pulseBudget = (count: number, ...args: (string | number)[]) =>
      this.#redis.eval(TIMED_SCRIPT, count, ...args, at);
    const reply = command({ pulseBudget } as never);
    const done = reply.catch(() => {}).finally(() => this.#pending.delete(done));
    this.#pending.add(done);
    return reply;
  }

  /** Resolves when Redis has run all commands that it was sent. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}

type TimedBudgetOptions = Omit<RedisCallBudgetOptions, 'client' | 'namespace'>;

const NAMESPACE = 'pulse:test';

/** A budget that uses a `TimedRedis`. */
export function timedBudget(
  client: TimedRedis,
  options: TimedBudgetOptions,
  namespace = () => NAMESPACE,
): RedisCallBudget {
  return new RedisCallBudget({ ...options, client, namespace });
}
