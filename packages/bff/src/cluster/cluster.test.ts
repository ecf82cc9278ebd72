import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startBffProcess } from '../testing/bff-process.ts';
import { startFakeService } from '../testing/fake-service.ts';
import { describeWithRedis, until } from '../testing/instances.ts';
import { CLUSTER_KEY, type JoinedCluster, joinCluster, keyOf } from '../testing/joined-cluster.ts';
import { type RedisServer, startRedis } from '../testing/redis-server.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { type ClusterStatus, logClusterChanges } from './cluster.ts';

async function joinMany(url: string, count: number): Promise<AsyncDisposable> {
  const joined = await Promise.all(Array.from({ length: count }, () => joinCluster(url)));
  return { [Symbol.asyncDispose]: async () => void (await Promise.all(joined.map(({ cluster }) => cluster.close()))) };
}

const isJoined = ({ cluster }: JoinedCluster) => cluster.status().state === 'joined';

async function keysOf(redis: RedisServer): Promise<string[]> {
  return (await redis.command('KEYS', 'pulse:*')).split('\r\n').filter((line) => line.startsWith('pulse:'));
}

describeWithRedis('openCluster()', () => {
  it('counts the instances that are there, of which one leads', async () => {
    await using redis = await startRedis();
    await using one = await joinCluster(redis.url);
    await using other = await joinCluster(redis.url);
    await until('two know of two', () => [one, other].every(({ cluster }) => cluster.status().instances === 2));
    await until('one leads', () => [one, other].filter(({ cluster }) => cluster.status().isLeader).length === 1);
  });

  it('never lets an instance lead that does not refresh by plan', async () => {
    await using redis = await startRedis();
    await using exporting = await joinCluster(redis.url, { canBeLeader: false });
    await using serving = await joinCluster(redis.url);
    await until(
      'the other leads alone',
      () => serving.cluster.status().isLeader && !exporting.cluster.status().isLeader,
    );
  });

  it('leaves a fifth of the reserve to each instance without Redis, and nothing where there are more than five', async () => {
    await using redis = await startRedis();
    await using one = await joinCluster(redis.url);
    assert.equal(one.cluster.status().share, 3);
    await using _others = await joinMany(redis.url, 5);
    await until('it knows of six', () => one.cluster.status().share === 0);
  });

  it('says good-bye, so that another leads at once', async () => {
    await using redis = await startRedis();
    await using one = await joinCluster(redis.url);
    await using other = await joinCluster(redis.url);
    await until('one leads', () => one.cluster.status().isLeader !== other.cluster.status().isLeader);
    const [leader, follower] = one.cluster.status().isLeader ? [one, other] : [other, one];
    await leader.cluster.close();
    await until(
      'the other leads alone',
      () => follower.cluster.status().isLeader && follower.cluster.status().instances === 1,
    );
  });

  it('joins again by itself, and tells an operator of both', async () => {
    await using redis = await startRedis();
    await using one = await joinCluster(redis.url);
    assert.ok(isJoined(one));
    await redis.kill();
    await until('it is lost, and said', () => one.warnings.some((sentence) => sentence.startsWith('Redis is lost')));
    assert.ok(!isJoined(one));
    await redis.restart();
    await until(
      'it is back, and said',
      () => isJoined(one) && one.warnings.some((sentence) => sentence.startsWith('Redis is back')),
    );
  });

  it('joins a Redis that is there only later', async () => {
    await using redis = await startRedis();
    await redis.kill();
    await using one = await joinCluster(redis.url);
    assert.ok(!isJoined(one));
    await redis.restart();
    await until('it has joined', () => isJoined(one));
  });

  it('leaves a Redis that has no room, and joins again once it has', async () => {
    await using redis = await startRedis();
    await using one = await joinCluster(redis.url);
    assert.ok(isJoined(one));
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    await until('it is lost for want of room', () => one.cluster.status().fault === 'full' && !isJoined(one));
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await until('it has joined again', () => isJoined(one));
  });

  it('lives without a Redis that was never there, on its quota', async () => {
    await using lonely = await joinCluster('redis://127.0.0.1:9');
    const { state, fault, share } = lonely.cluster.status();
    assert.deepEqual([state, fault, share], ['lost', 'disconnected', 3]);
    assert.equal(lonely.cluster.callBudget.status().capacity, 3);
    const freshness = await lonely.cluster.callBudget.acquire({ subject: 'src_1' });
    assert.equal(freshness.kind, 'denied');
  });

  it('writes into no other database where Redis does not have the one that was named', async () => {
    await using redis = await startRedis(['--databases', '2']);
    await using one = await joinCluster(`${redis.url}/7`);
    await until('it has tried', () => one.cluster.status().fault === 'refused');
    assert.ok(!isJoined(one));
    assert.deepEqual(await keysOf(redis), []);
    await using other = await joinCluster(`${redis.url}/1`);
    assert.ok(isJoined(other));
  });

  it('begins the account anew where somebody has corrupted it', async () => {
    await using redis = await startRedis();
    await using one = await joinCluster(redis.url);
    for (const corrupt of [
      (name: string) => ['SET', name, 'random bytes'],
      (name: string) => ['LPUSH', name, 'a', 'b'],
      (name: string) => ['HSET', name, 'epoch', 'x', 'level', 'much', 'fencingToken', '-1'],
    ]) {
      const names = (await keysOf(redis)).filter((name) => /:(state|calls|alive)$/.test(name));
      assert.ok(names.length >= 2);
      for (const name of names) {
        await redis.command('DEL', name);
        await redis.command(...corrupt(name));
      }
      await until('the account is whole again', async () => {
        const freshness = await one.cluster.callBudget.acquire({ subject: 'src_1' });

        if (freshness.kind === 'granted') one.cluster.callBudget.settle(freshness.permit, { fate: 'unsent' });
        return (
          isJoined(one) &&
          freshness.kind === 'granted' &&
          (await keysOf(redis)).some((name) => name.endsWith(':calls') || name.endsWith(':state'))
        );
      });
    }
  });

  it('keeps the account of another key apart', async () => {
    await using redis = await startRedis();
    let current = CLUSTER_KEY;
    await using one = await joinCluster(redis.url, { current: () => current });
    const before = await keysOf(redis);
    current = keyOf('another-key-of-the-service');
    await until(
      'the other account is there',
      async () => isJoined(one) && (await keysOf(redis)).length > before.length,
    );
    const tags = new Set((await keysOf(redis)).map((name) => name.slice(0, name.indexOf('}'))));
    assert.equal(tags.size, 2);
  });
});

describeWithRedis('pulse-bff with a REDIS_URL', () => {
  it('says what is wrong with it, and never what it is', async () => {
    await using redis = await startRedis(['--requirepass', 'right']);
    await using service = await startFakeService();
    await using bff = await startBffProcess({
      PULSE_API_KEY: 'canary-key-0123456789',
      PULSE_BASE_URL: service.url,
      REDIS_URL: redis.url.replace('redis://', 'redis://:canary-password@'),
      LOG_LEVEL: 'debug',
    });
    await until('it is said', () => bff.output().includes('Redis is lost (REDIS_URL: refused)'));
    const pages = await Promise.all(
      ['/status', '/metrics', '/'].map(async (path) => (await fetch(bff.adminUrl + path)).text()),
    );
    const ready = await fetch(`${bff.url}/readyz`);
    assert.doesNotMatch([bff.output(), ...pages, await ready.text()].join('\n'), /canary/);
    assert.match(pages[0] ?? '', /"state": ?"lost",\s+"fault": ?"refused"/);
    assert.match(pages[1] ?? '', /pulse_bff_redis_joined 0/);
  });

  it('takes password and database out of it', async () => {
    await using redis = await startRedis(['--requirepass', 'right']);
    await using service = await startFakeService();
    await using bff = await startBffProcess({
      PULSE_API_KEY: 'canary-key-0123456789',
      PULSE_BASE_URL: service.url,
      REDIS_URL: `${redis.url.replace('redis://', 'redis://:right@')}/3`,
    });
    await until('it has joined', async () =>
      (await (await fetch(`${bff.adminUrl}/metrics`)).text()).includes('pulse_bff_redis_joined 1'),
    );
  });
});

const joined: ClusterStatus = {
  state: 'joined',
  fault: undefined,
  instances: 2,
  isLeader: true,
  share: 3,
  lostForMs: 0,
  losses: 0,
};

describe('logClusterChanges()', () => {
  for (const [fault, advice] of [
    ['disconnected', 'check that it runs and lets this server in (bind, protected mode, firewall)'],
    ['refused', 'check the user, the password and the database of the address'],
    ['timeout', 'check its load and the network to it'],
    ['read-only', 'check that it is the primary and can write to its disk'],
    ['full', 'raise its maxmemory'],
    ['loading', 'wait until it has loaded its data'],
    ['invalid-reply', 'check that a Redis or Valkey server is at the address'],
  ] as const) {
    it(`says what to do where Redis is lost: ${fault}`, () => {
      const said: string[] = [];
      const stop = logClusterChanges(
        createVirtualClock(),
        () => ({ ...joined, state: 'lost', fault }),
        (sentence) => said.push(sentence),
      );
      stop();
      assert.deepEqual(said, [
        `Redis is lost (REDIS_URL: ${fault}): ${advice}. What is known is served, and this instance makes 3 calls a window by itself`,
      ]);
    });
  }
});
