import { Redis } from 'ioredis';
import type { CallResult, CallPermit } from '../budget/call-budget.ts';
import { BUDGET_SCRIPT } from '../cluster/redis-client.ts';
import type { BudgetClient } from '../cluster/budget-script-client.ts';
import { RedisCallBudget } from '../cluster/redis-call-budget.ts';
import { RedisError } from '../cluster/redis-client.ts';
import { KeyNamespace } from '../cluster/key-namespace.ts';
import { type Counting, windowAfter } from './arrivals.ts';
import type { RedisServer } from './redis-server.ts';
import { createVirtualClock, settled, type VirtualClock } from './virtual-clock.ts';

/** How often the world moves on, in ms. */
const STEP_MS = 250;

/** Where Redis's clock starts, in ms. */
const REDIS_EPOCH_MS = 1_800_000_000_000;

/** The script with its clock in the test's hands: the last of its keys names the moment. */
export const TIMED_SCRIPT = BUDGET_SCRIPT.replace(
  /local time = [^\n]+\nlocal redis_now = [^\n]+/,
  'local redis_now = tonumber(KEYS[#KEYS])',
);

/** Something that happens to the instances or to Redis, between two moments of the run. */
export type InjectedFault =
  | { readonly kind: 'flush' | 'evict'; readonly atMs: number }
  /** Redis goes back to what it held `forMs` before: it was restored from a snapshot, or a replica took over. */
  | { readonly kind: 'rollback'; readonly atMs: number; readonly forMs: number }
  /** Somebody else writes into the account: a command about one of its keys, by its short name. */
  | { readonly kind: 'written'; readonly atMs: number; readonly command: readonly [string, string, ...string[]] }
  | { readonly kind: 'clock'; readonly atMs: number; readonly byMs: number }
  | { readonly kind: 'lost' | 'deaf'; readonly atMs: number; readonly forMs: number; readonly instance: number }
  | { readonly kind: 'lost-for-all'; readonly atMs: number; readonly forMs: number }
  | { readonly kind: 'killed'; readonly atMs: number; readonly instance: number };

export interface SharedRunOptions {
  readonly instances: number;
  readonly sources: number;
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
  readonly callMs: number;
  /** How long calls take, around and around; each arrives half-way. */
  readonly tripsMs: readonly number[];
  readonly counting: Counting;
  readonly hasHeaders: boolean;
  readonly injectedFaults: readonly InjectedFault[];
  readonly forMs: number;
}

/** What the upstream and the instances saw. */
export interface SharedRun {
  readonly arrivals: readonly number[];
  /** Subjects that two instances asked about at once. */
  readonly overlaps: number;
  /** Grants on one subject whose fencing token was no greater than one before. */
  readonly fencingTokensBack: number;
  /** Instances that were not joined at the end. */
  readonly lostAtEnd: number;
}

interface UnderWay {
  readonly permit: CallPermit;
  readonly arrivesAt: number;
  readonly endsAt: number;
  readonly owner: Instance;
  window?: CallResult['window'];
}

/** Runs instances that want far more calls than they may make, through injected faults, on a virtual clock and a real Redis. */
export async function runSharedBudgets(redis: RedisServer, options: SharedRunOptions): Promise<SharedRun> {
  const run = new Run(redis, options);
  try {
    return await run.play();
  } finally {
    await run.close();
  }
}

/** A connection whose clock, loss and missing replies are the test's. */
export class TestBudgetClient implements BudgetClient {
  readonly #client: Redis;
  readonly #now: () => number;
  readonly pending = new Set<Promise<unknown>>();
  isListening = true;
  isLost = false;
  /** What is said is heard and done, but no reply comes. */
  isDeaf = false;
  fault: BudgetClient['fault'];

  constructor(client: Redis, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  runBudgetScript(
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
    { isTrial = false } = {},
  ): Promise<unknown> {
    const asked = this.#ask(keys, args, isTrial);
    const done = asked.catch(() => {}).finally(() => this.pending.delete(done));
    this.pending.add(done);
    return asked;
  }

  forget(...keys: string[]): Promise<unknown> {
    return this.#client.del(...keys);
  }

  async #ask(keys: readonly string[], args: readonly (string | number | Buffer)[], isTrial: boolean): Promise<unknown> {
    if (this.fault !== undefined && !isTrial) throw new RedisError(this.fault);
    if (this.isLost) throw new RedisError((this.fault = 'timeout'));
    const reply = await this.#client.eval(TIMED_SCRIPT, keys.length + 1, ...keys, String(this.#now()), ...args);
    if (this.isDeaf) throw new RedisError((this.fault = 'timeout'));
    this.fault = undefined;
    return reply;
  }
}

interface Instance {
  readonly callBudget: RedisCallBudget;
  readonly client: TestBudgetClient;
  isDead: boolean;
}

class Run {
  readonly #options: SharedRunOptions;
  readonly #clock: VirtualClock = createVirtualClock(0);
  readonly #client: Redis;
  readonly #namespace = new KeyNamespace({ derive: (purpose) => Buffer.from(purpose) }, 'https://service.test');
  readonly #underWay = new Set<UnderWay>();
  readonly #arrivals: number[] = [];
  readonly #fencingTokens = new Map<string, number>();
  readonly #afflicted = new Map<InjectedFault, readonly Instance[]>();
  #instances: Instance[] = [];
  readonly #snapshots = new Map<InjectedFault, readonly (readonly [name: string, dump: Buffer, ttlMs: number])[]>();
  #redisAheadMs = REDIS_EPOCH_MS;
  #calls = 0;
  #started = 0;
  #overlaps = 0;
  #fencingTokensBack = 0;

  constructor(redis: RedisServer, options: SharedRunOptions) {
    this.#options = options;
    this.#client = new Redis(redis.url, { protocol: 2 });
  }

  async play(): Promise<SharedRun> {
    const { instances, forMs } = this.#options;
    await this.#client.flushall();
    for (let count = 0; count < instances; count += 1) await this.#start();
    for (let now = 0; now < forMs; now += STEP_MS) {
      await this.#clock.advance(STEP_MS);
      await this.#idle();
      await this.#injectedFaultsUntil(this.#clock.now());
      this.#letArrive();
      await this.#letReturn();
      for (const instance of this.#living()) await this.#spend(instance);
    }
    const lostAtEnd = this.#living().filter(({ callBudget }) => !callBudget.membership.isJoined).length;
    return {
      arrivals: this.#arrivals,
      overlaps: this.#overlaps,
      fencingTokensBack: this.#fencingTokensBack,
      lostAtEnd,
    };
  }

  async close(): Promise<void> {
    for (const { callBudget, isDead } of this.#instances) if (!isDead) await callBudget.membership.close();
    this.#client.disconnect();
  }

  async #start(): Promise<void> {
    const client = new TestBudgetClient(this.#client, () => Math.floor(this.#clock.now() + this.#redisAheadMs));
    this.#started += 1;
    const callBudget = new RedisCallBudget({
      ...this.#options,
      client,
      clock: this.#clock,
      instance: `instance-${this.#started}`,
      namespace: () => this.#namespace,
    });
    await callBudget.membership.open();
    this.#instances.push({ callBudget, client, isDead: false });
  }

  /** Waits for what Redis is doing; heartbeats that it leads to are had in the next step. */
  async #idle(): Promise<void> {
    for (;;) {
      const pending = this.#living().flatMap(({ client }) => [...client.pending]);
      if (pending.length === 0) return settled();
      await Promise.all(pending);
      await settled();
    }
  }

  #living(): Instance[] {
    return this.#instances.filter(({ isDead }) => !isDead);
  }

  async #injectedFaultsUntil(now: number): Promise<void> {
    const isNow = (atMs: number): boolean => atMs > now - STEP_MS && atMs <= now;
    for (const injectedFault of this.#options.injectedFaults) {
      if (isNow(injectedFault.atMs)) await this.#begins(injectedFault);
      if ('forMs' in injectedFault && isNow(injectedFault.atMs + injectedFault.forMs)) await this.#ends(injectedFault);
    }
  }

  async #begins(injectedFault: InjectedFault): Promise<void> {
    if (injectedFault.kind === 'flush') await this.#client.flushall();
    else if (injectedFault.kind === 'evict') await this.#client.del(this.#namespace.key('calls'));
    else if (injectedFault.kind === 'clock') this.#redisAheadMs += injectedFault.byMs;
    else if (injectedFault.kind === 'killed') await this.#kill(injectedFault.instance);
    else if (injectedFault.kind === 'written') {
      const [name, key, ...rest] = injectedFault.command;
      await this.#client.call(name, this.#namespace.key(key), ...rest);
    } else if (injectedFault.kind === 'rollback') this.#snapshots.set(injectedFault, await this.#snapshot());
    else {
      const concerned = this.#concerned(injectedFault);
      this.#afflicted.set(injectedFault, concerned);
      for (const { client } of concerned) client[injectedFault.kind === 'deaf' ? 'isDeaf' : 'isLost'] = true;
    }
  }

  async #snapshot(): Promise<[name: string, dump: Buffer, ttlMs: number][]> {
    const names = await this.#client.keys('*');
    return Promise.all(
      names.map(async (name) => [name, await this.#client.dumpBuffer(name), await this.#client.pttl(name)]),
    );
  }

  async #restore(snapshot: readonly (readonly [name: string, dump: Buffer, ttlMs: number])[]): Promise<void> {
    await this.#client.flushall();
    for (const [name, dump, ttlMs] of snapshot) await this.#client.restore(name, Math.max(0, ttlMs), dump);
  }

  async #ends(injectedFault: InjectedFault): Promise<void> {
    if (injectedFault.kind === 'rollback') return this.#restore(this.#snapshots.get(injectedFault) ?? []);
    for (const { client, isDead } of this.#afflicted.get(injectedFault) ?? [])
      if (!isDead) client.isLost = client.isDeaf = false;
  }

  #concerned(injectedFault: InjectedFault): Instance[] {
    const living = this.#living();
    return 'instance' in injectedFault
      ? living.filter((_, index) => index === injectedFault.instance % living.length)
      : living;
  }

  async #kill(index: number): Promise<void> {
    const living = this.#living();
    const victim = living[index % living.length];
    if (!victim) return;
    victim.isDead = true;
    // What is dead says nothing any more, no good-bye either.
    victim.client.isLost = true;
    await victim.callBudget.membership.close();
    await this.#start();
  }

  #letArrive(): void {
    const now = this.#clock.now();
    const due = [...this.#underWay].filter(({ arrivesAt, window }) => arrivesAt <= now && !window);
    for (const call of due.sort((a, b) => a.arrivesAt - b.arrivesAt)) {
      this.#arrivals.push(call.arrivesAt);
      const nothing = { limit: undefined, remaining: undefined, resetInMs: undefined };
      const { hasHeaders } = this.#options;
      call.window = hasHeaders ? windowAfter(this.#arrivals, { ...this.#options, now: call.arrivesAt }) : nothing;
    }
  }

  async #letReturn(): Promise<void> {
    const now = this.#clock.now();
    for (const call of [...this.#underWay].filter(({ endsAt }) => endsAt <= now)) {
      this.#underWay.delete(call);
      if (!call.owner.isDead) call.owner.callBudget.settle(call.permit, { fate: 'answered', window: call.window });
    }
    await this.#idle();
  }

  async #spend(instance: Instance): Promise<void> {
    const { tripsMs } = this.#options;
    for (;;) {
      const subject = `src_${this.#calls % this.#options.sources}`;
      const result = await instance.callBudget.acquire({ subject });
      if (result.kind === 'in-flight-elsewhere') this.#calls += 1;
      if (result.kind !== 'granted') return;
      this.#watch(subject, result.permit, instance);
      const [now, tripMs] = [this.#clock.now(), tripsMs[this.#calls++ % tripsMs.length] ?? 100];
      this.#underWay.add({
        permit: result.permit,
        arrivesAt: now + tripMs / 2,
        endsAt: now + tripMs,
        owner: instance,
      });
    }
  }

  #watch(subject: string, { fencingToken }: CallPermit, fetchRequest: Instance): void {
    const isAsked = [...this.#underWay].some(
      ({ permit, owner }) => permit.subject === subject && owner !== fetchRequest,
    );
    if (isAsked) this.#overlaps += 1;
    if (fencingToken <= (this.#fencingTokens.get(subject) ?? 0)) this.#fencingTokensBack += 1;
    this.#fencingTokens.set(subject, fencingToken);
  }
}
