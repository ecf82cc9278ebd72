import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fullPulse } from '@pulse-card/contract/examples';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { checkedJson, withChecksum } from '../../lib/checksum.ts';
import type { SharedEntry } from './shared-cache.ts';
import { systemClock } from '../../lib/clock.ts';
import { startBffAndService, startBffProcess } from '../../testing/bff-process.ts';
import { startFakeService } from '../../testing/fake-service.ts';
import { describeWithRedis } from '../../testing/instances.ts';
import { until } from '../../../../testkit/src/until.ts';
import { type RedisServer, startRedis } from '../../../../testkit/src/redis-server.ts';
import { Secret } from '../../lib/secret.ts';
import { ApiKey } from '../../lib/api-key.ts';
import { type Cluster, openCluster } from './cluster.ts';

/** The key of all instances, unless a test uses a different one. */
const CLUSTER_KEY = keyOf('a-key-of-the-service');

const CONFIG = {
  baseUrl: 'https://service.test',
  rateLimit: 60,
  rateWindowMs: 60_000,
  rateReserve: 15,
  expose: new Set<never>(),
  publicUrl: 'https://pulse.example.com',
  upstreamTimeoutMs: 5_000,
  freshForMs: 15_000,
  staleForMs: 60_000,
};

/** Opens a cluster that uses the Redis at `url`. */
async function joinCluster(url: string, { current = () => CLUSTER_KEY, rateReserve = CONFIG.rateReserve } = {}) {
  // The timeout is long, because Redis can be slow on a busy machine.
  const options = { clock: systemClock, key: { current }, redisAnswersWithinMs: 5_000 };
  const cluster = await openCluster(new Secret(url), { ...CONFIG, rateReserve }, options);
  return { cluster, [Symbol.asyncDispose]: async () => cluster.close() };
}

function keyOf(text: string): ApiKey {
  return ApiKey.from(text) ?? assert.fail();
}

const isJoined = ({ cluster }: { cluster: Cluster }): boolean => cluster.clusterStatus().state === 'joined';

async function namesIn(redis: RedisServer): Promise<string[]> {
  return (await redis.command('KEYS', '*')).match(/pulse:\S+/g) ?? [];
}

describeWithRedis('openCluster()', () => {
  it('stops using a full Redis until it has space again', async () => {
    await using redis = await startRedis();
    await using one = await joinCluster(redis.url);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    await until('it is lost because it is full', () => one.cluster.clusterStatus().fault === 'full');
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await until('it has joined again', () => isJoined(one));
  });

  it('reads the eviction policy of Redis, and also works without access to it', async () => {
    await using redis = await startRedis(['--maxmemory-policy', 'allkeys-lru']);
    await using one = await joinCluster(redis.url);
    assert.equal(one.cluster.clusterStatus().evictionPolicy, 'allkeys-lru');
    await redis.command('ACL', 'SETUSER', 'default', '-info');
    await using other = await joinCluster(redis.url);
    assert.deepEqual([other.cluster.clusterStatus().evictionPolicy, isJoined(other)], [null, true]);
  });

  it('can make a sixth of the reserve’s calls without Redis, but none at first', async () => {
    await using lonely = await joinCluster('redis://127.0.0.1:9');
    const { state, fault, share } = lonely.cluster.clusterStatus();
    assert.deepEqual([state, fault, share], ['lost', 'disconnected', 2]);
    assert.equal(lonely.cluster.callBudget.status().capacity, 2);
    assert.equal((await lonely.cluster.callBudget.acquire('src_1')).kind, 'denied');
  });

  it('makes no calls without Redis if the reserve is less than six calls', async () => {
    await using lonely = await joinCluster('redis://127.0.0.1:9', { rateReserve: 5 });
    assert.equal(lonely.cluster.clusterStatus().share, 0);
    const acquired = await lonely.cluster.callBudget.acquire('src_1');
    assert.deepEqual(acquired, { kind: 'denied', reason: 'budget-store-lost', retryInMs: 1_000 });
  });

  it('doesn’t use another database if Redis lacks the one in the address', async () => {
    await using redis = await startRedis(['--databases', '2']);
    await using one = await joinCluster(`${redis.url}/7`);
    await until('it has tried', () => one.cluster.clusterStatus().fault === 'refused');
    assert.deepEqual(await namesIn(redis), []);
    await using other = await joinCluster(`${redis.url}/1`);
    assert.ok(isJoined(other));
  });

  it('says that Redis refuses the user if the user isn’t allowed to run the commands of a script', async () => {
    await using redis = await startRedis();
    await redis.command('ACL', 'SETUSER', 'default', '-time');
    await using one = await joinCluster(redis.url);
    await until('it has tried', () => one.cluster.clusterStatus().fault === 'refused');
  });

  it('connects with the password and the database of the address', async () => {
    await using redis = await startRedis(['--requirepass', 'right']);
    await using one = await joinCluster(`${redis.url.replace('redis://', 'redis://:right@')}/3`);
    assert.ok(isJoined(one));
  });

  it('stores budgets and answers separately for different keys (T-31)', async () => {
    await using redis = await startRedis();
    let current = CLUSTER_KEY;
    await using one = await joinCluster(redis.url, { current: () => current });
    const ledgers = async () => (await namesIn(redis)).filter((name) => name.endsWith(':state')).length;
    await until('the ledger is known', async () => (await ledgers()) === 1);
    const stored = async () => (await one.cluster.shared.get('src_1')).answer !== undefined;
    const [requestedAt, requestedAtMs] = [systemClock.now(), Date.now()];
    one.cluster.shared.store('src_1', { value: null, requestedAt, requestedAtMs, fencingToken: 1 });
    await until('the answer has arrived', stored);
    current = keyOf('another-key-of-the-service');
    await until('the other ledger is known', async () => (await ledgers()) === 2);
    assert.deepEqual([await stored(), isJoined(one)], [false, true]);
  });
});

describeWithRedis('RedisSharedCache', () => {
  const NOW = Date.now();
  const answer = (jobRunId: string, fencingToken: number) => ({
    value: { ...fullPulse, sourceId: 'src_1', jobRunId },
    requestedAt: systemClock.now(),
    requestedAtMs: NOW,
    fencingToken,
  });

  const runOf = (stored: SharedEntry['answer']) =>
    stored?.value && 'jobRunId' in stored.value ? stored.value.jobRunId : undefined;

  it('returns an answer that another instance stored, with its age', async () => {
    await using redis = await startRedis();
    await using one = await joinCluster(redis.url);
    await using other = await joinCluster(redis.url);
    const received: string[] = [];
    await other.cluster.shared.listen((subject) => void received.push(subject));
    const requestedAt = systemClock.now() - 60_000;
    one.cluster.shared.store('src_1', { ...answer('run_1', 7), requestedAt });
    await until('it is received', () => received.includes('src_1'));
    const stored = (await other.cluster.shared.get('src_1')).answer;
    assert.equal(runOf(stored), 'run_1');
    const ageMs = systemClock.now() - (stored?.requestedAt ?? 0);
    assert.ok(ageMs >= 60_000 && ageMs < 90_000, `${ageMs}`);
  });

  it('returns the real age of an answer that a frozen Redis stored late', async () => {
    await using redis = await startRedis();
    await using one = await joinCluster(redis.url);
    const requestedAt = systemClock.now() - 60_000;
    redis.freeze();
    one.cluster.shared.store('src_1', { ...answer('run_1', 7), requestedAt });
    await pause(2_000);
    redis.resume();
    await until('it is stored', async () => (await one.cluster.shared.get('src_1')).answer !== undefined);
    const { answer: stored } = await one.cluster.shared.get('src_1');
    const offMs = (stored?.requestedAt ?? Infinity) - requestedAt;
    assert.ok(Math.abs(offMs) < 1_000, `off by ${offMs} ms`);
  });

  it('doesn’t replace an answer with the answer to an earlier call', async () => {
    await using redis = await startRedis();
    await using one = await joinCluster(redis.url);
    for (const [run, token] of [['run_2', 9] as const, ['run_1', 8] as const])
      one.cluster.shared.store('src_1', answer(run, token));
    one.cluster.shared.store('src_2', { ...answer('run_3', 10), value: null });
    await until('the last one is stored', async () => (await one.cluster.shared.get('src_2')).answer !== undefined);
    assert.equal(runOf((await one.cluster.shared.get('src_1')).answer), 'run_2');
  });

  it('keeps a failure until the source can be requested again', async () => {
    await using redis = await startRedis();
    await using one = await joinCluster(redis.url);
    const failed = { ok: false, code: 'upstream_unavailable', detail: 'upstream-error', attempted: true } as const;
    const failure = { ...failed, status: 503, retryInMs: 1_000 };
    one.cluster.shared.storeFailure('src_1', failure);
    const found = await one.cluster.shared.get('src_1');
    assert.deepEqual({ ...found.failure, retryInMs: 1_000 }, failure);
    await until('it has been removed', async () => (await one.cluster.shared.get('src_1')).failure === undefined);
  });

  describe('with damaged values (T-30)', () => {
    /**
     * An instance that has stored an answer for `src_1` and a failure for `src_2`, and the Redis keys of both values.
     */
    async function withStored() {
      const redis = await startRedis();
      const one = await joinCluster(redis.url);
      const { shared } = one.cluster;
      shared.store('src_1', answer('run_1', 7));
      shared.storeFailure('src_2', {
        ok: false,
        code: 'upstream_unavailable',
        detail: 'upstream-error',
        attempted: true,
        retryInMs: 300_000,
      });
      await until('the answer is stored', async () => (await shared.get('src_1')).answer !== undefined);
      await until('the failure is stored', async () => (await shared.get('src_2')).failure !== undefined);
      const names = await namesIn(redis);
      const client = new Redis(redis.url);
      return {
        shared,
        client,
        stored: names.find((each) => each.endsWith(':answer:src_1')) ?? assert.fail(),
        failure: names.find((each) => each.endsWith(':failure:src_2')) ?? assert.fail(),
        async [Symbol.asyncDispose]() {
          client.disconnect();
          await one[Symbol.asyncDispose]();
          await redis[Symbol.asyncDispose]();
        },
      };
    }

    it('ignores stored answers from the far future or about another source', async () => {
      await using one = await withStored();
      const body = JSON.parse(checkedJson((await one.client.hget(one.stored, 'body')) ?? '')) as { value: object };
      const ofAnother = JSON.stringify({ ...body, value: { ...body.value, sourceId: 'src_2' } });
      const ofFuture = JSON.stringify({ ...body, requestedAtMs: 9e15 });
      await one.client.hset(one.stored, 'body', withChecksum(JSON.stringify(body)));
      assert.notEqual((await one.shared.get('src_1')).answer, undefined);
      for (const text of ['no JSON', '{}', withChecksum('{}'), withChecksum(ofAnother), withChecksum(ofFuture)]) {
        await one.client.hset(one.stored, 'body', text);
        assert.equal((await one.shared.get('src_1')).answer, undefined, text);
      }
    });

    it('ignores a stored value with a flipped bit, or returns the original', async () => {
      await using one = await withStored();
      const { shared, client, stored, failure } = one;
      const [fields, failed] = [await client.hgetallBuffer(stored), (await client.getBuffer(failure)) ?? assert.fail()];
      const before = (await shared.get('src_1')).answer;
      const damage = fc.record({
        field: fc.constantFrom('body', 'fencingToken', 'requestedAt', ''),
        at: fc.nat(),
        bit: fc.nat(7),
      });
      const property = fc.asyncProperty(damage, async ({ field, at, bit }) => {
        const bytes = field === '' ? failed : (fields[field] ?? assert.fail());
        const flipped = Buffer.from(bytes);
        flipped[at % bytes.length]! ^= 1 << bit;
        if (field === '') await client.set(failure, flipped, 'KEEPTTL');
        else await client.hset(stored, field, flipped);
        const found = await shared.get(field === '' ? 'src_2' : 'src_1');
        if (field === '') await client.set(failure, failed, 'KEEPTTL');
        else await client.hset(stored, field, bytes);
        assert.equal(field === '' ? found.failure : undefined, undefined);
        if (found.answer) assert.deepEqual({ ...found.answer, requestedAt: 0 }, { ...before, requestedAt: 0 });
        if (found.answer) assert.ok(Math.abs(found.answer.requestedAt - (before?.requestedAt ?? 0)) < 1_000);
      });
      await fc.assert(property, { numRuns: 500 });
    });
  });
});

describeWithRedis('pulse-bff with a REDIS_URL', () => {
  it('says what is wrong with the address without quoting the address (T-01)', async () => {
    await using redis = await startRedis(['--requirepass', 'right']);
    await using service = await startFakeService();
    await using bff = await startBffProcess({
      PULSE_API_KEY: 'canary-key-0123456789',
      PULSE_BASE_URL: service.url,
      REDIS_URL: redis.url.replace('redis://', 'redis://:canary-password@'),
      LOG_LEVEL: 'debug',
    });
    await until('it is logged', () => bff.output().includes('(REDIS_URL: refused)'));
    const pages = await Promise.all(
      ['/status', '/metrics', '/'].map(async (path) => (await fetch(bff.adminUrl + path)).text()),
    );
    const ready = await fetch(`${bff.url}/readyz`);
    assert.doesNotMatch([bff.output(), ...pages, await ready.text()].join('\n'), /canary/);
    assert.match(pages[0] ?? '', /"state": ?"lost",\s+"fault": ?"refused"/);
    assert.match(pages[1] ?? '', /pulse_bff_redis_joined 0/);
  });

  it('starts while Redis accepts connections but doesn’t respond, and joins once it responds', async () => {
    await using redis = await startRedis();
    redis.freeze();
    await using bff = await startBffAndService({ REDIS_URL: redis.url, PULSE_RATE_RESERVE: '30' });
    assert.equal((await fetch(`${bff.url}/healthz`)).status, 200);
    await until('it is logged', () => bff.output().includes('Redis has been unavailable'));
    await until('a call left', () => bff.service.arrivals.length > 0);
    redis.resume();
    const isJoined = async () =>
      (await (await fetch(`${bff.adminUrl}/metrics`)).text()).includes('pulse_bff_redis_joined 1');
    await until('it has joined', isJoined);
  });

  it('can be stopped while Redis accepts connections but doesn’t respond', async () => {
    await using unresponsive = await serveSilence();
    await using bff = await startBffAndService({ REDIS_URL: unresponsive.url });
    await until('its connection was opened anew', () => unresponsive.connections() > 1);
    bff.signal('SIGTERM');
    assert.equal((await bff.ended).code, 0);
  });
});

/** A server that accepts connections and never responds. */
async function serveSilence() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => sockets.length,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}
