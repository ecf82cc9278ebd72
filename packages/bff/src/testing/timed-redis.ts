import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { type CallBudget, LATE_ARRIVAL_MS, PERMIT_TTL_MS, type RefusalReason } from '../budget/call-budget.ts';
import { RedisCallBudget, type RedisCallBudgetOptions } from '../redis/budget.ts';
import { settled } from './virtual-clock.ts';

const TIMED_SCRIPT = timedScript('../redis/budget.lua');

/** The script of release 0.1.0. */
const FIRST_SCRIPT = timedScript('../../../../e2e/fixtures/0.1.0/redis-call-budget.lua');

/** A script with its clock in the test's hands: the last argument is the time in ms. */
function timedScript(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8').replace(
    "local time = redis.call('TIME')",
    'local ms = table.remove(ARGV) local time = { math.floor(ms / 1000), ms % 1000 * 1000 }',
  );
}

/** Where Redis's clock starts, in ms. */
const REDIS_EPOCH_MS = 1_800_000_000_000;

type Client = RedisCallBudgetOptions['client'];

/** Timeouts in a row after which Redis counts as lost, as in `RedisClient`. */
const MAX_TIMEOUTS = 2;

/** A connection to a real Redis, whose clock, standstill and loss are the test's. */
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

  /** While Redis stands still, commands time out; it runs them when it goes on. */
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
    const firstBudget = (count: number, ...args: (string | number)[]) =>
      this.#redis.eval(FIRST_SCRIPT, count, ...args, at);
    const reply = command({ pulseBudget, firstBudget } as never);
    const done = reply.catch(() => {}).finally(() => this.#pending.delete(done));
    this.#pending.add(done);
    return reply;
  }

  /** Resolves when Redis has done all it was sent. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}

/** The part of a budget that a run needs. */
export type TimedBudget = Pick<CallBudget, 'acquire' | 'settle'> & { look(): Promise<void> };

type TimedBudgetOptions = Omit<RedisCallBudgetOptions, 'client' | 'namespace'>;

const NAMESPACE = 'pulse:test';

/** A budget over such a connection. */
export function timedBudget(client: TimedRedis, options: TimedBudgetOptions): RedisCallBudget {
  return new RedisCallBudget({ ...options, client, namespace: () => NAMESPACE });
}

/** The names of release 0.1.0, in the order of its script. */
const FIRST_NAMES = ['state', 'calls', 'open', 'unknowns', 'leases', 'alive'].map((name) => `${NAMESPACE}:${name}`);

let instances = 0;

/** The budget of release 0.1.0 over such a connection, while Redis is there. */
export function firstReleaseBudget(client: TimedRedis, options: TimedBudgetOptions): TimedBudget {
  const { clock, limit, reserve, windowMs, callMs } = options;
  const pace = (limit - reserve) / windowMs;
  const times = [windowMs, 1_000, callMs, LATE_ARRIVAL_MS, 1_500];
  const settings = [limit, reserve, ...times, pace, Math.ceil((limit - reserve) / 3), 0, PERMIT_TTL_MS];
  const instance = `instance-${instances++}`;
  let [epoch, now, counted] = ['', 0, 0];
  let knownAt = clock.now();
  const run = async (words: readonly (string | number)[], subject = '') => {
    const minNow = epoch === '' ? 0 : Math.floor(now + clock.now() - knownAt);
    const keys = [...FIRST_NAMES, `${NAMESPACE}:answer:${subject}`, `${NAMESPACE}:backoff:${subject}`];
    const args = [instance, epoch, minNow, counted, 0, ...settings, ...words];
    const reply = await client.send(
      (redis) => (redis as never as FirstRedis).firstBudget(keys.length, ...keys, ...args),
      { isTrial: true },
    );
    [epoch, now, counted, knownAt] = [reply[4], reply[3], reply[5], clock.now()];
    return reply;
  };
  return {
    look: async () => void (await run(['join', 0, 0, 1])),
    acquire: async ({ subject }) => {
      const [kind, one, two] = await run(['acquire', subject, 'known', 2 ** 53], subject);
      if (kind === 'granted') {
        const id = Number(one);
        return { kind, permit: { id, subject, expiresAt: clock.now() + PERMIT_TTL_MS, fencingToken: id } };
      }
      if (kind === 'in-flight-elsewhere') return { kind, retryInMs: Number(one) };
      return {
        kind: 'denied',
        reason: (kind === 'denied' ? one : 'starting') as RefusalReason,
        retryInMs: Number(two),
      };
    },
    settle: ({ id, subject }, { fate, window }) => {
      const headers = [window?.limit, window?.remaining, window?.resetInMs].map((value) => value ?? -1);
      void run(['settle', String(id), subject, fate, ...headers, 0, 0], subject);
    },
  };
}

interface FirstRedis {
  firstBudget(
    count: number,
    ...args: (string | number)[]
  ): Promise<[kind: string, one: string, two: string, now: number, epoch: string, counted: number]>;
}
