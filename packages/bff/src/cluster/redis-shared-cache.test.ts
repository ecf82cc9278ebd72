import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DemandMessage } from '../cache/port.ts';
import { systemClock } from '../clock.ts';
import { describeWithRedis, until } from '../testing/instances.ts';
import { startRedis } from '../testing/redis-server.ts';
import { ApiKey } from '../upstream/api-key.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { Secret } from '../secret.ts';

const CONFIG = {
  baseUrl: 'https://service.test',
  rateLimit: 60,
  rateWindowMs: 60_000,
  rateReserve: 15,
  upstreamTimeoutMs: 5_000,
  freshForMs: 15_000,
  staleForMs: 60_000,
};

const key = ApiKey.from('a-key-of-the-service') ?? assert.fail('no key');

async function open(url: string) {
  const [warnings, demands]: [string[], DemandMessage[]] = [[], []];
  const cluster: Cluster = await openCluster(new Secret(url), CONFIG, {
    clock: systemClock,
    warn: (sentence) => void warnings.push(sentence),
    key: { current: () => key },
    redisAnswersWithinMs: 5_000,
  });
  cluster.shared.listen({
    onInvalidated: () => {},
    onDemand: (demand) => void demands.push(demand),
    onJoined: () => {},
  });
  return { cluster, warnings, demands, [Symbol.asyncDispose]: () => cluster.close() };
}

describeWithRedis('RedisSharedCache', () => {
  it('tells what readers look at, however many sources there are and however long their ids', async () => {
    await using redis = await startRedis();
    await using one = await open(redis.url);
    await using other = await open(redis.url);
    const ids = Array.from({ length: 1_500 }, (_, index) => String(index).padStart(128, 'x'));
    const counts = Object.fromEntries(ids.map((id) => [id, 1_000_000]));
    const listener = (kind: 'views' | 'readers') =>
      new Set(other.demands.flatMap(({ [kind]: logged }) => Object.keys(logged))).size;
    await until('all of it is heard', async () => {
      one.cluster.shared.publishDemand({ views: counts, readers: counts });
      await new Promise((resolve) => void setTimeout(resolve, 50));
      return listener('views') === ids.length && listener('readers') === ids.length;
    });
    assert.deepEqual(other.warnings, []);
  });

  it('says that a message is not one of ours', async () => {
    await using redis = await startRedis();
    await using one = await open(redis.url);
    const channel = async () =>
      (await redis.command('PUBSUB', 'CHANNELS')).split('\r\n').find((line) => line.startsWith('pulse'));
    await until('it listens', async () => (await channel()) !== undefined);
    await redis.command('PUBLISH', (await channel()) ?? '', 'x'.repeat(70_000));
    await until('it is said', () => one.warnings.some((sentence) => sentence.includes('not one of ours')));
  });
});
