import { Redis } from 'ioredis';
import type { CallPermit } from '../budget/call-budget.ts';
import type { RedisCallBudget } from '../features/redis/budget.ts';
import { FORMAT } from '../features/redis/client.ts';
import { CountingUpstream, type CountingOptions } from './arrivals.ts';
import type { RedisServer } from '../../../testkit/src/redis-server.ts';
import { TimedRedis, timedBudget } from './timed-redis.ts';
import { createVirtualClock, settled, type VirtualClock } from './virtual-clock.ts';

/** The time between two steps of the run, in ms. */
const STEP_MS = 250;

/**
 * The number of cards on a page that a reader requests at the moment when Redis stops. For each of these cards, Redis
 * may have granted a call that is never made.
 */
const PAGE = 20;

/** The number of steps after which an instance reads the state of the shared budget again. */
const LOOK_EVERY_STEPS = 2;

/** An event for the instances or for Redis, between two points of the run. */
export type InjectedFault =
  /** Redis loses all its data, because it was flushed, restarted, or failed over to an empty server. */
  | { readonly kind: 'flush'; readonly atMs: number }
  /** One instance or all instances can't reach Redis. */
  | { readonly kind: 'lost'; readonly atMs: number; readonly forMs: number; readonly instance?: number }
  /** Redis freezes, and then runs the commands that it was sent. */
  | { readonly kind: 'frozen'; readonly atMs: number; readonly forMs: number }
  /** An instance is killed, and another one is started. */
  | { readonly kind: 'killed'; readonly atMs: number; readonly instance: number };

export interface SharedRunOptions extends CountingOptions {
  readonly instances: number;
  readonly sources: number;
  readonly reserve: number;
  readonly callMs: number;
  /** The durations of consecutive calls. After the last duration, the first is used again. */
  readonly tripsMs: readonly number[];
  readonly injectedFaults: readonly InjectedFault[];
  readonly forMs: number;
}

interface Instance {
  readonly callBudget: RedisCallBudget;
  readonly client: TimedRedis;
  isDead: boolean;
}

/**
 * Runs instances with injected errors on a virtual clock and a real Redis. They request far more calls than they may
 * make.
 */
export async function runSharedBudgets(redis: RedisServer, options: SharedRunOptions) {
  const run = new Run(redis, options);
  try {
    return await run.play();
  } finally {
    run.close();
  }
}

class Run {
  readonly #options: SharedRunOptions;
  readonly #clock: VirtualClock = createVirtualClock(0);
  readonly #redis: Redis;
  readonly #upstream: CountingUpstream<Instance>;
  #instances: Instance[] = [];
  #calls = 0;
  /** Subjects that two instances requested at the same time, both with a permit of the shared budget. */
  #overlaps = 0;
  #isFrozen = false;

  constructor(redis: RedisServer, options: SharedRunOptions) {
    this.#options = options;
    this.#upstream = new CountingUpstream(options);
    this.#redis = new Redis(redis.url, { protocol: 2 });
  }

  async play() {
    const { instances, forMs } = this.#options;
    await this.#redis.flushall();
    for (let count = 0; count < instances; count += 1) this.#start();
    for (let step = 0; this.#clock.now() < forMs; step += 1) {
      await this.#clock.advance(STEP_MS);
      await this.#inject(this.#clock.now());
      if (step % LOOK_EVERY_STEPS === 0) for (const { callBudget } of this.#instances) await callBudget.look();
      await this.#letReturn();
      for (const instance of this.#instances) await this.#spend(instance);
    }
    return { arrivals: this.#upstream.arrivals, overlaps: this.#overlaps };
  }

  close(): void {
    this.#redis.disconnect();
  }

  #start(): void {
    const client = new TimedRedis(this.#redis, () => this.#clock.now());
    const callBudget = timedBudget(client, { ...this.#options, clock: this.#clock });
    this.#instances.push({ callBudget, client, isDead: false });
  }

  async #inject(now: number): Promise<void> {
    const isNow = (atMs: number): boolean => atMs > now - STEP_MS && atMs <= now;
    for (const fault of this.#options.injectedFaults) {
      if (isNow(fault.atMs) && fault.kind === 'flush') await this.#redis.flushall();
      if (isNow(fault.atMs) && fault.kind === 'killed') this.#kill(fault.instance);
    }
    const underWay = this.#options.injectedFaults.filter(
      (fault) => 'forMs' in fault && fault.atMs <= now && now < fault.atMs + fault.forMs,
    );
    const isFrozen = underWay.some(({ kind }) => kind === 'frozen');
    for (const [index, { client }] of this.#instances.entries()) {
      client.isFrozen = isFrozen;
      client.isLost = underWay.some(
        (fault) =>
          fault.kind === 'lost' && (fault.instance === undefined || fault.instance % this.#instances.length === index),
      );
    }
    if (isFrozen && !this.#isFrozen) await Promise.all(this.#instances.map(askForPage));
    this.#isFrozen = isFrozen;
  }

  #kill(index: number): void {
    const [victim] = this.#instances.splice(index % this.#instances.length, 1);
    if (victim) victim.isDead = true;
    this.#start();
  }

  async #letReturn(): Promise<void> {
    for (const { sender, permit, result } of this.#upstream.advance(this.#clock.now())) {
      if (!sender.isDead) sender.callBudget.settle(permit, result);
      // Simulates that the answer is stored or that the lease expires, because Redis counts the lease in real time.
      await this.#redis.del(`pulse:test:${FORMAT}:lease:${permit.subject}`);
    }
    for (const { client } of this.#instances) await client.idle();
    await settled();
  }

  async #spend(owner: Instance): Promise<void> {
    const { sources, tripsMs } = this.#options;
    for (;;) {
      const subject = `src_${this.#calls % sources}`;
      const result = await owner.callBudget.acquire(subject);
      if (result.kind === 'in-flight-elsewhere') this.#calls += 1;
      if (result.kind !== 'granted') return;
      if (isShared(result.permit) && this.#isUnderWay(subject)) this.#overlaps += 1;
      const tripMs = tripsMs[this.#calls++ % tripsMs.length] ?? 100;
      this.#upstream.send(result.permit, owner, { now: this.#clock.now(), tripMs });
    }
  }

  #isUnderWay(subject: string): boolean {
    return [...this.#upstream.underWay].some(({ permit }) => permit.subject === subject && isShared(permit));
  }
}

/**
 * Returns whether a permit is from the shared budget. The ids of such permits are at least Redis's time, in
 * microseconds.
 */
function isShared({ id }: CallPermit): boolean {
  return id > 1e15;
}

async function askForPage({ callBudget }: Instance): Promise<void> {
  await Promise.all(Array.from({ length: PAGE }, (_, card) => callBudget.acquire(`src_${card}`)));
}
