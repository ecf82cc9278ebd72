import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { Redis } from 'ioredis';
import { describeWithRedis } from '../testing/instances.ts';
import { type RedisServer, startRedis } from '../testing/redis-server.ts';
import { TIMED_SCRIPT } from '../testing/shared-budget-run.ts';
import { createVirtualClock, type VirtualClock } from '../testing/virtual-clock.ts';
import { type BudgetCommand, BudgetScriptClient } from './budget-script-client.ts';
import { KeyNamespace } from './key-namespace.ts';

const WINDOW_MS = 60_000;

/** The script counts a window a little longer than it is. */
const GUARDED_MS = WINDOW_MS + 1_000;

const NOTHING = { limit: -1, remaining: -1, resetMs: -1, isLimited: 0, retryAfterMs: 0 };

describeWithRedis('the limit that the upstream reports, in Redis (T-28)', () => {
  const namespace = new KeyNamespace({ derive: (purpose) => Buffer.from(purpose) }, 'https://service.test');
  let redis: RedisServer;
  let client: Redis;
  let clock: VirtualClock;
  let scriptClient: BudgetScriptClient;

  before(async () => {
    redis = await startRedis();
    client = new Redis(redis.url, { protocol: 2 });
  });
  after(async () => {
    client.disconnect();
    await redis.close();
  });
  beforeEach(async () => {
    await client.flushall();
    clock = createVirtualClock(1_800_000_000_000);
    const scriptRunner = {
      runBudgetScript: (keys: readonly string[], args: readonly (string | number | Buffer)[]) =>
        client.eval(TIMED_SCRIPT, keys.length + 1, ...keys, String(Math.floor(clock.now())), ...args),
      forget: (...keys: string[]) => client.del(...keys),
      fault: undefined,
      isListening: true,
    };
    const budget = { limit: 60, reserve: 15, windowMs: WINDOW_MS, callMs: 5_000 };
    scriptClient = new BudgetScriptClient({ client: scriptRunner, clock, instance: 'instance-1', ...budget });
    await run(['join', 0, 0, 0]);
    await clock.advance(80_000);
  });

  async function run(command: BudgetCommand) {
    return scriptClient.run(command, {
      namespace,
      more: [namespace.key('answer', 's'), namespace.key('backoff', 's')],
    });
  }

  /** Makes a call whose answer says so. Returns how the account stands then. */
  async function call(said: Partial<typeof NOTHING>) {
    const granted = await run(['acquire', 's', 'known', 0]);
    assert.equal(granted.kind, 'granted', String(granted.one));
    const { limit, remaining, resetMs, isLimited, retryAfterMs } = { ...NOTHING, ...said };
    const facts = [limit, remaining, resetMs, isLimited, retryAfterMs];
    return (await run(['settle', String(granted.one), 's', 'answered', ...facts])).account;
  }

  async function account() {
    return (await run(['join', 0, 0, 0])).account;
  }

  async function put(field: string, value: number): Promise<void> {
    await client.hset(namespace.key('state'), field, String(value));
  }

  for (const [limit, capacity] of [
    [45, 30],
    [16, 1],
    [15, 1],
    [1, 1],
    [600, 45],
  ] as const)
    it(`leaves ${capacity} own calls of a limit of ${limit}`, async () => {
      assert.equal((await call({ limit })).capacity, capacity);
    });

  it('is forgotten after a window', async () => {
    await call({ limit: 1 });
    await clock.advance(GUARDED_MS - 1);
    assert.equal((await account()).capacity, 1);
    await clock.advance(1);
    assert.equal((await account()).capacity, 45);
  });

  it('lets calls leave one by one afterwards, until an answer says whether it still holds', async () => {
    await call({ limit: 1 });
    await clock.advance(GUARDED_MS + 1);
    const first = await run(['acquire', 's', 'known', 0]);
    assert.equal(first.kind, 'granted');
    assert.equal((await run(['acquire', 'other', 'known', 0])).kind, 'denied');
    await run(['settle', String(first.one), 's', 'answered', 60, 50, -1, 0, 0]);
    assert.equal((await run(['acquire', 'other', 'known', 0])).kind, 'granted');
  });

  it('does not outlive an earlier version that wrote no end to it', async () => {
    await put('limit', 1);
    assert.equal((await account()).capacity, 45);
    await call({});
    await call({});
  });

  it('counts calls of others for a whole window, and leaves one call at the least', async () => {
    assert.deepEqual(await call({ limit: 60, remaining: 1, resetMs: 1_000 }).then(({ capacity }) => capacity), 1);
    await clock.advance(GUARDED_MS - 1);
    assert.equal((await account()).capacity, 1);
    await clock.advance(1);
    assert.equal((await account()).capacity, 45);
  });

  it('pauses for a window at the most', async () => {
    assert.equal((await call({ isLimited: 1, retryAfterMs: 300_000 })).pausedForMs, GUARDED_MS);
    await run(['join', 0, 3_600_000, 0]);
    assert.equal((await account()).pausedForMs, GUARDED_MS);
  });

  for (const field of ['pausedUntil', 'othersUntil', 'limitUntil', 'holdUntil', 'warmUpUntil', 'probeUntil', 'at'])
    it(`holds calls back no longer than a start does where somebody wrote an absurd ${field}`, async () => {
      await call({ limit: 1, remaining: 0, resetMs: 1_000 });
      await put(field, clock.now() + 1e12);
      await account();
      await clock.advance(WINDOW_MS + 15_000);
      const { kind, one } = await run(['acquire', 's', 'known', 0]);
      assert.equal(kind, 'granted', String(one));
    });

  for (const log of ['calls', 'open', 'unknowns'])
    it(`holds calls back no longer than a start does where somebody wrote absurd calls into the log: ${log}`, async () => {
      await call({ limit: 1 });
      for (let entry = 0; entry < 60; entry += 1)
        await client.zadd(namespace.key(log), clock.now() + 1e12, `x${entry}`);
      await clock.advance(WINDOW_MS + 15_000);
      const { kind, one } = await run(['acquire', 's', 'unknown', 0]);
      assert.equal(kind, 'granted', String(one));
    });
});
