import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { Secret } from '../../lib/secret.ts';
import { describeWithRedis } from '../../testing/instances.ts';
import { type RedisServer, startRedis } from '../../../../testkit/src/redis-server.ts';

import { RedisClient } from './client.ts';
import { redisText } from './redis-text.ts';

describeWithRedis('redisText()', () => {
  let redis: RedisServer;
  let client: RedisClient;
  before(async () => {
    redis = await startRedis();
    // The timeout is long, because Redis can be slow on a busy machine.
    client = new RedisClient(new Secret(redis.url), systemClock, 5_000);
    await client.open();
    await client.send((connection) => connection.ping(), { isTrial: true });
  });
  after(async () => {
    client.close();
    await redis.close();
  });

  /** The text of an instance with this public address. */
  const open = (publicUrl: string) => redisText(client, publicUrl, 'alerts');

  it('lets one instance per public address send alerts until its lease expires', async () => {
    const [one, other] = [open('https://pulse.example.com'), open('https://pulse.example.com')];
    assert.deepEqual([await one.claim(), await other.claim(), await one.claim()], [true, false, true]);
    const [lease = ''] = /\S+:sender/.exec(await redis.command('KEYS', '*:sender')) ?? [];
    assert.match(await redis.command('TTL', lease), /^:(5\d|60)/);
    assert.equal(await open('https://other.example.com').claim(), true);
    await redis.command('DEL', lease);
    assert.deepEqual([await other.claim(), await one.claim()], [true, false]);
  });

  it('shares text only with instances that use the same name', async () => {
    await open('https://shared.example.com').save('a text');
    assert.equal(await open('https://shared.example.com').load(), 'a text');
    assert.equal(await redisText(client, 'https://shared.example.com', 'other').load(), undefined);
  });

  it('rejects while Redis is down', async () => {
    await redis.kill();
    await assert.rejects(open('https://pulse.example.com').claim());
    await assert.rejects(open('https://pulse.example.com').load());
  });
});
