import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DemandMessage } from '../cache/port.ts';
import { describeWithRedis, until } from '../testing/instances.ts';
import { joinCluster } from '../testing/joined-cluster.ts';
import { startRedis } from '../testing/redis-server.ts';

async function open(url: string) {
  const demands: DemandMessage[] = [];
  const joined = await joinCluster(url);
  joined.cluster.shared.listen({
    onInvalidated: () => {},
    onDemand: (demand) => void demands.push(demand),
    onJoined: () => {},
  });
  return { ...joined, demands };
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
