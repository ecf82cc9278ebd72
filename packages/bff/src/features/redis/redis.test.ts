import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { readConfig } from '../../config.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { Secret } from '../../lib/secret.ts';
import { type Entry, entryFormat } from '../../pulses/entry-format.ts';
import type { SharedStore } from '../../pulses/shared-store.ts';
import { pulseOf } from '../../testing/fake-service.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { redisProgram, startRedis } from '../../../../testkit/src/redis-server.ts';
import { until } from '../../../../testkit/src/until.ts';
import { createSelfSignedServer } from '../../testing/self-signed.ts';
import type { BudgetSettings } from '../../upstream/call-budget.ts';
import { Key } from '../../upstream/key.ts';
import { ApiKey } from '../../lib/api-key.ts';
import { RedisCallBudget } from './budget.ts';
import { RedisClient } from './client.ts';
import { openRedis } from './redis.ts';

type Server = Awaited<ReturnType<typeof startRedis>>;

const skip = redisProgram() === undefined && 'there is no Redis on this machine';

/** A second that represents a minute so that windows pass quickly. The longest call and its delay are added. */
const SETTINGS: BudgetSettings = { limit: 60, windowMs: 1_000, reserve: 15, callMs: 100 };
const SPAN_MS = 6_100;

/** A store's time limit for a command. */
const ANSWER_WITHIN_MS = 80;

/** On a busy machine, Redis may need more time for a command. */
const PATIENCE_MS = 30_000;

function portOf(server: { address(): unknown }): number {
  return (server.address() as AddressInfo).port;
}

const patientClock: Clock = {
  ...systemClock,
  schedule: (afterMs, run) => systemClock.schedule(afterMs === ANSWER_WITHIN_MS ? PATIENCE_MS : afterMs, run),
};

describe('Redis', { skip }, () => {
  let server: Server;
  let locked: Server;
  const secure = createSelfSignedServer();
  const agreeable = createServer((socket) => {
    const replyToAll = (sent: Buffer) => socket.write('+OK\r\n'.repeat(String(sent).match(/^\*/gm)?.length ?? 0));
    socket.on('error', () => {}).on('data', replyToAll);
  });
  let admin: Redis;
  const closers: (() => unknown)[] = [];
  before(async () => {
    server = await startRedis();
    locked = await startRedis(['--requirepass', 'secret']);
    const owner = new Redis(locked.url.replace('//', '//:secret@'));
    await owner.call('ACL', 'SETUSER', 'weak', 'on', '>secret', '~*', '+@all', '-@scripting');
    owner.disconnect();
    for (const other of [secure, agreeable])
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    admin = new Redis(server.url);
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    await admin.flushall();
  });
  after(async () => {
    admin.disconnect();
    secure.close();
    agreeable.close();
    await Promise.all([server.close(), locked.close()]);
  });

  async function openBudget(settings = SETTINGS): Promise<RedisCallBudget> {
    const client = new RedisClient(new Secret(server.url), patientClock);
    closers.push(() => client.close());
    await client.open();
    const budget = new RedisCallBudget(settings, { client, clock: systemClock, prefix: () => 'test' });
    await budget.look();
    return budget;
  }

  /** Makes the shared log look as if it had existed for a long time. */
  async function age(): Promise<void> {
    await admin.zadd('test:log', 1_000_000 - Date.now(), 'since');
  }

  async function openStore(
    more: Record<string, string> = {},
    apiKey = 'key-of-instances',
    clock = patientClock,
  ): Promise<SharedStore> {
    const config = readConfig({
      PULSE_API_KEY: apiKey,
      PULSE_BASE_URL: 'https://service.test',
      REDIS_URL: server.url,
      ...more,
    });
    const key = new Key(ApiKey.from(apiKey) ?? assert.fail(), { clock: systemClock, log: { warn: () => true } });
    const format = entryFormat({ clock: systemClock, exposed: config.expose, freshMs: config.freshMs });
    const store = await openRedis({ config, key, clock, format, budget: SETTINGS });
    if (store === undefined) throw new Error('not configured');
    closers.push(() => store.close());
    if (config.redisUrl?.reveal() === server.url)
      await until('the store has joined', () => store.status().state === 'joined');
    return store;
  }

  /** Takes calls until the budget requires a wait. */
  async function spend(budget: RedisCallBudget): Promise<number> {
    for (let calls = 0; ; calls += 1) if ((await budget.take(systemClock.now())) > 0) return calls;
  }

  /** The name under which Redis keeps a response. A store saves responses in the background. */
  const nameOf = (target: string) =>
    until(`${target} is stored`, async () => (await admin.keys(`*answer:${target}`))[0], { everyMs: 10 });

  const answer = (run: string, more: Partial<Entry> = {}): Entry => ({
    value: pulseOf('src_1', run),
    requestedAt: systemClock.now(),
    requestedAtMs: Date.now(),
    account: 'digest',
    keyName: 'name',
    listed: [],
    ...more,
  });

  it('gives three instances the same total limit as one and lets them make a third of a window’s calls immediately', async () => {
    await openBudget();
    await age();
    const budgets = await Promise.all([openBudget(), openBudget(), openBudget()]);
    await age();
    for (const budget of budgets) await budget.look();
    const calls = await Promise.all(budgets.map(spend));
    const total = calls.reduce((sum, each) => sum + each, 0);
    assert.equal(total, 15);
    let sent = 15;
    // The first calls must still be in the log at the end.
    for (const end = Date.now() + SPAN_MS - 2_000; Date.now() < end; await pause(100))
      for (const budget of budgets) sent += await spend(budget);
    assert.ok(sent > 30 && sent <= 45, String(sent));
    assert.equal(await admin.zcard('test:log'), sent + 1);
  });

  it('reports that it’s starting until an empty log is certain to be complete', async () => {
    const budget = await openBudget();
    assert.ok(budget.status(systemClock.now()).starting);
    assert.equal(await spend(budget), 0);
    await age();
    await budget.look();
    assert.ok(budget.waitMs(systemClock.now()) > 0);
  });

  it('doesn’t rely on the shared log if Redis has evicted only that', async () => {
    await openBudget();
    await age();
    const budget = await openBudget();
    assert.equal(await spend(budget), 15);
    for (const name of await admin.keys('test:*')) if ((await admin.type(name)) === 'zset') await admin.del(name);
    await budget.look();
    assert.ok(budget.status(systemClock.now()).starting);
    assert.equal(await spend(budget), 0);
  });

  // A shorter pause doesn't end a longer one, and none is longer than a window.
  for (const [what, answers] of [
    ['after a 429', [70_000, 1_000].map((retryAfterMs) => ({ isLimited: true, retryAfterMs }))],
    ['until the reset if no calls are left', [{ rate: { limit: 60, remaining: 0, resetInMs: 70_000 } }]],
  ] as const)
    it(`pauses all instances ${what}`, async () => {
      const settings = { ...SETTINGS, windowMs: 60_000 };
      const [one, other] = [await openBudget(settings), await openBudget(settings)];
      await age();
      for (const answer of answers) one.ended(systemClock.now(), answer);
      // The connection keeps the order of its commands, so the last pause has been recorded after this.
      await one.look();
      await other.look();
      const { pausedForMs } = other.status(systemClock.now());
      assert.ok(other.waitMs(systemClock.now()) > 30_000);
      assert.ok(pausedForMs > 30_000 && pausedForMs <= 60_000, String(pausedForMs));
      assert.equal(await spend(other), 0);
    });

  it('leaves room for the key’s other users', async () => {
    const budget = await openBudget({ ...SETTINGS, windowMs: 60_000 });
    await age();
    budget.ended(systemClock.now(), { rate: { limit: 60, remaining: 20, resetInMs: 500 } });
    // The connection keeps the order of its commands.
    await budget.look();
    assert.equal(budget.status(systemClock.now()).capacity, 5);
    assert.ok((await admin.pttl('test:capacity')) > 30_000, 'for one window');
    budget.ended(systemClock.now(), { rate: { limit: 60, remaining: 60, resetInMs: 500 } });
    await budget.look();
    assert.equal(budget.status(systemClock.now()).capacity, 45);
  });

  it('uses its own budget, which starts empty, while Redis is unreachable', async () => {
    const client = { fault: 'connection' as string | undefined, send: () => Promise.reject(new Error('lost')) };
    const clock = createVirtualClock();
    const budget = new RedisCallBudget(SETTINGS, { client, clock, prefix: () => 'test' });
    assert.ok(budget.waitMs(clock.now()) > 0 && budget.status(clock.now()).starting);
    assert.ok((await budget.take(clock.now())) > 0);
    await clock.advance(budget.waitMs(clock.now()));
    assert.equal(await budget.take(clock.now()), 0);
    assert.ok((await budget.take(clock.now())) > 0);
    budget.ended(clock.now(), { rate: { limit: 60, remaining: 59, resetInMs: undefined } });
    assert.equal(await budget.take(clock.now()), 0);
  });

  it('uses its own budget as soon as Redis is lost, until calls can no longer be missing from the log', async () => {
    const clock = createVirtualClock();
    let sent = 0;
    const joined = async () => ((sent += 1), [0, 1, 45, 0, SPAN_MS] as never);
    const client = { fault: undefined as string | undefined, send: joined };
    const budget = new RedisCallBudget(SETTINGS, { client, clock, prefix: () => 'test' });
    await budget.look();
    assert.equal(await budget.take(clock.now()), 0);
    Object.assign(client, { fault: 'connection', send: () => Promise.reject(new Error('lost')) });
    assert.ok((await budget.take(clock.now())) > 0);
    Object.assign(client, { fault: undefined, send: joined });
    await budget.look();
    assert.ok(budget.waitMs(clock.now()) > 0);
    sent = 0;
    assert.ok((await budget.take(clock.now())) > 0);
    assert.equal(sent, 0, 'the shared log doesn’t count a call that isn’t made');
    await clock.advance(SPAN_MS);
    assert.equal(budget.waitMs(clock.now()), 0);
    Object.assign(client, { send: async () => [500, 1, 45, 0, SPAN_MS] as never });
    await budget.look();
    await clock.advance(200);
    assert.equal(budget.waitMs(clock.now()), 300);
  });

  it('sends nothing while Redis is lost, and gives up on a command that takes too long', async () => {
    const limitsMs = new Set<number>();
    const schedule: Clock['schedule'] = (ms, run) => (limitsMs.add(ms), systemClock.schedule(ms, run));
    const client = new RedisClient(new Secret(server.url), { ...systemClock, schedule });
    closers.push(() => client.close());
    await client.open();
    await client.send((redis) => redis.ping(), { isTrial: true });
    assert.deepEqual([...limitsMs], [1_000, ANSWER_WITHIN_MS]);
    const hang = () => new Promise<never>(() => {});
    for (let times = 0; times < 2; times += 1) {
      await assert.rejects(client.send(hang), /timeout/);
      assert.equal(client.fault, undefined, 'once may be a coincidence');
      if (times === 0) await client.send((redis) => redis.ping());
    }
    for (const isTrial of [false, true]) await assert.rejects(client.send(hang, { isTrial }), /timeout/);
    assert.deepEqual([client.fault, client.status().losses], ['timeout', 1]);
    const unsent = client.send(() => assert.fail('it was sent'));
    await assert.rejects(unsent, /^Error: timeout$/);
  });

  it('reconnects if Redis doesn’t respond', async (t) => {
    let connections = 0;
    const silent = createServer((socket) => void ((connections += 1), socket.resume()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    t.after(() => silent.close());
    await openStore({ REDIS_URL: `redis://127.0.0.1:${portOf(silent)}` });
    await until('it has connected twice', () => connections > 1);
  });

  it('reads the shared log every second, and the eviction policy when it opens', async () => {
    const clock = createVirtualClock();
    const store = await openStore({}, 'key-of-instances', clock);
    await until('the policy is read', () => store.status().evictionPolicy === 'noeviction');
    const [log = ''] = await admin.keys('*:log');
    await admin.set(log.replace(/log$/, 'pause'), 1, 'PX', 600_000);
    await clock.advance(1_000);
    await until('it knows about the pause', () => store.budget.status(clock.now()).pausedForMs > 0);
  });

  it('keeps no timer and no connection once it is closed', async () => {
    const clock = createVirtualClock();
    const store = await openStore({}, 'key-of-instances', clock);
    await clock.advance(2_000);
    store.close();
    await until('all timers have ended', () => clock.pending() === 0);
    await until('the connection is closed', async () => !String(await admin.client('LIST')).includes('=pulse-bff'));
  });

  it('shares responses with their age and owner', async () => {
    const [one, other] = [await openStore(), await openStore()];
    const requestedAt = systemClock.now() - 5_000;
    one.save('src_1', answer('run_7', { requestedAt, listed: ['src_1'] }));
    const found = await until('the response is shared', () => other.load('src_1'));
    assert.equal(found.value && 'jobRunId' in found.value && found.value.jobRunId, 'run_7');
    const differenceMs = found.requestedAt - requestedAt;
    assert.ok(Math.abs(differenceMs) < 1_000, String(differenceMs));
    assert.deepEqual([found.account, found.listed], ['digest', ['src_1']]);
  });

  it('stores responses for as long as they can be served during an outage', async () => {
    const store = await openStore({ PULSE_FRESH_MS: '15000', PULSE_STALE_MS: '86400000' });
    store.save('src_1', answer('run_1', { requestedAt: systemClock.now() - 5_000 }));
    const leftMs = await admin.pttl(await nameOf('src_1'));
    assert.ok(leftMs > 86_400_000 && leftMs <= 86_410_000, String(leftMs));
  });

  it('keeps different keys’ responses separate and ignores damaged ones', async () => {
    const store = await openStore();
    store.save('src_1', answer('run_1'));
    const name = await nameOf('src_1');
    assert.equal(await (await openStore({}, 'key-of-another-account')).load('src_1'), undefined);
    assert.equal(await (await openStore({ PULSE_BASE_URL: 'https://another.test' })).load('src_1'), undefined);
    await admin.copy(name, name.replace('src_1', 'src_2'));
    assert.equal(await store.load('src_2'), undefined);
    await admin.set(name, ((await admin.get(name)) ?? '').replace('run_1', 'run_2'), 'KEEPTTL');
    assert.equal(await store.load('src_1'), undefined);
    assert.ok((await admin.keys('*')).every((each) => !each.includes('key-of')));
  });

  it('lets only one instance at a time call a given target', async () => {
    const [one, other] = [await openStore(), await openStore()];
    assert.equal(await one.lock('src_1', 600_000), true);
    assert.equal(await other.lock('src_1', 600_000), false);
    assert.equal(await other.lock('src_2', 600_000), true);
    other.unlock('src_1');
    assert.equal(await other.lock('src_1', 600_000), false, 'only its holder releases it');
    one.unlock('src_1');
    await until('the other instance can make the call', () => other.lock('src_1', 600_000));
  });

  it('shares named text between instances, but lets only one instance claim it', async () => {
    const [one, other] = [(await openStore()).text('alerts'), (await openStore()).text('alerts')];
    assert.equal(await one.load(), undefined);
    await one.save('sent');
    assert.equal(await other.load(), 'sent');
    const [name = ''] = await admin.keys('pulse:alerts:*');
    assert.ok((await admin.ttl(name)) > 399 * 86_400, 'it outlives a source’s longest pause');
    const elsewhere = await openStore({ PULSE_PUBLIC_URL: 'https://another.test' });
    assert.equal(await elsewhere.text('alerts').load(), undefined);
    assert.deepEqual([await one.claim(), await other.claim(), await one.claim()], [true, false, true]);
  });

  for (const [what, url, fault] of [
    ['nothing listens', () => 'redis://127.0.0.1:1', 'connection'],
    ['its name is unknown', () => 'redis://nowhere.invalid:6379', 'dns'],
    ['it requires a password', () => locked.url, 'redis_login'],
    ['the user isn’t allowed to run the script', () => locked.url.replace('//', '//weak:secret@'), 'redis_acl'],
    ['the database doesn’t exist', () => `${server.url}/99`, 'redis_database'],
    ['it replies OK to every command', () => `redis://127.0.0.1:${portOf(agreeable)}`, 'redis_other'],
    ['no one has signed its certificate', () => `rediss://localhost:${portOf(secure)}`, 'tls'],
  ] as const)
    it(`reports why it can’t be used, without stopping anything, if ${what}`, async () => {
      const store = await openStore({ REDIS_URL: url() });
      await until(`it reports ${fault}`, async () => {
        await store.load('src_1');
        await (store.budget as RedisCallBudget).look();
        return store.status().fault === fault;
      });
      assert.equal(store.status().state, 'lost');
      assert.equal(await store.load('src_1'), undefined);
      assert.equal(await store.lock('src_1', 5_000), true);
    });
});
