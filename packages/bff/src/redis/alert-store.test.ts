import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemClock } from '../clock.ts';
import { Secret } from '../secret.ts';
import { describeWithRedis } from '../testing/instances.ts';
import { startRedis } from '../testing/redis-server.ts';
import { redisAlertStore } from './alert-store.ts';
import { RedisClient } from './client.ts';

const RECORD = { firstSeen: { 'key 1': 1_000 }, sent: { key_ends: { stage: '15', headline: 'It is over.' } } };

async function open(url: string, publicUrl = 'https://pulse.example.com') {
  // Long: a busy machine is no lost Redis.
  const client = new RedisClient(new Secret(url), systemClock, 5_000);
  await client.open();
  await client.send((redis) => redis.ping(), { isTrial: true });
  return { ...redisAlertStore(client, publicUrl), [Symbol.dispose]: () => client.close() };
}

describeWithRedis('redisAlertStore()', () => {
  it('lets one instance of those with one public address send', async () => {
    await using redis = await startRedis();
    using one = await open(redis.url);
    using other = await open(redis.url);
    using elsewhere = await open(redis.url, 'https://other.example.com');
    assert.deepEqual([await one.claim(), await other.claim(), await one.claim()], [true, false, true]);
    assert.equal(await elsewhere.claim(), true);
  });

  it('lets another instance send once the lease of the first has ended', async () => {
    await using redis = await startRedis();
    using one = await open(redis.url);
    using other = await open(redis.url);
    await one.claim();
    const lease =
      (await redis.command('KEYS', '*:sender')).split('\r\n').find((line) => line.endsWith(':sender')) ?? '';
    assert.match(await redis.command('TTL', lease), /^:(5\d|60)/);
    await redis.command('DEL', lease);
    assert.deepEqual([await other.claim(), await one.claim()], [true, false]);
  });

  it('shares the record', async () => {
    await using redis = await startRedis();
    using one = await open(redis.url);
    using other = await open(redis.url);
    await one.save(RECORD);
    assert.deepEqual(await other.load(), RECORD);
  });

  it('rejects while Redis is gone', async () => {
    await using redis = await startRedis();
    using one = await open(redis.url);
    await redis.kill();
    await assert.rejects(one.claim());
    await assert.rejects(one.load());
  });
});
