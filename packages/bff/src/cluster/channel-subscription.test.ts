import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Redis } from 'ioredis';
import { openRelay } from '../testing/relay.ts';
import { describeWithRedis, until } from '../testing/instances.ts';
import { type RedisServer, startRedis } from '../testing/redis-server.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { ChannelSubscription } from './channel-subscription.ts';

const CHECK_EVERY_MS = 5_000;

function open(port: number) {
  const clock = createVirtualClock();
  const client = new Redis(port, '127.0.0.1', {
    protocol: 2,
    autoResubscribe: false,
    enableOfflineQueue: false,
    commandTimeout: 1_000,
    retryStrategy: () => 20,
  });
  client.on('error', () => {});
  const listener: string[] = [];
  const counts = { missed: 0, failures: 0 };
  const subscription = new ChannelSubscription(client, clock, () => (counts.failures += 1));
  subscription.start('news', {
    onMessage: (message) => void listener.push(message),
    onMissed: () => (counts.missed += 1),
  });
  return {
    clock,
    subscription,
    listener,
    counts,
    [Symbol.asyncDispose]: async () => {
      subscription.stop();
      client.disconnect();
    },
  };
}

const untilActive = ({ subscription }: ReturnType<typeof open>) => until('it is heard', () => subscription.isActive);

async function receives(redis: RedisServer, { listener }: ReturnType<typeof open>, message: string): Promise<void> {
  await redis.command('PUBLISH', 'news', message);
  await until(message, () => listener.includes(message));
}

describeWithRedis('ChannelSubscription', () => {
  it('hears its channel, and says once that messages may have been missed before', async () => {
    await using redis = await startRedis();
    await using opened = open(redis.port);
    await untilActive(opened);
    await receives(redis, opened, 'hello');
    assert.deepEqual(opened.counts, { missed: 1, failures: 0 });
  });

  it('tries again where it was refused, and says at each check that messages are missed', async () => {
    await using redis = await startRedis();
    await redis.command('ACL', 'SETUSER', 'default', 'resetchannels');
    await using opened = open(redis.port);
    await until('it was refused', () => opened.counts.failures === 1 && opened.counts.missed === 1);
    await opened.clock.advance(CHECK_EVERY_MS);
    await until('it was refused again', () => opened.counts.failures === 2 && opened.counts.missed === 2);
    assert.ok(!opened.subscription.isActive);
    await redis.command('ACL', 'SETUSER', 'default', 'allchannels');
    await opened.clock.advance(CHECK_EVERY_MS);
    await untilActive(opened);
    await receives(redis, opened, 'hello');
  });

  it('leaves a connection that works alone', async () => {
    await using redis = await startRedis();
    await using opened = open(redis.port);
    await untilActive(opened);
    for (let check = 0; check < 3; check += 1) await opened.clock.advance(CHECK_EVERY_MS);
    await receives(redis, opened, 'hello');
    assert.equal(opened.counts.missed, 1);
  });

  it('leaves a connection that nothing comes over any more for a new one', async () => {
    await using redis = await startRedis();
    await using relay = await openRelay(redis.port);
    await using opened = open(relay.port);
    await untilActive(opened);
    relay.block();
    await opened.clock.advance(CHECK_EVERY_MS);
    await until('it has gone', () => !opened.subscription.isActive);
    relay.unblock();
    await untilActive(opened);
    await receives(redis, opened, 'hello');
    assert.equal(opened.counts.missed, 2);
  });
});
