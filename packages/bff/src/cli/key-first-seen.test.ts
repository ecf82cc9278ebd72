import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freePort } from '../../../../scripts/free-port.ts';
import { systemClock } from '../lib/clock.ts';
import { keyFirstSeen } from './key-first-seen.ts';
import { alertStore } from '../features/alerts/alert-store.ts';
import { redisText } from '../features/redis/redis-text.ts';
import { RedisClient } from '../features/redis/client.ts';
import { Secret } from '../lib/secret.ts';
import { until } from '../../../testkit/src/until.ts';
import { startRedis } from '../../../testkit/src/redis-server.ts';

describe('keyFirstSeen()', () => {
  it('reads what the BFF wrote to Redis, and creates nothing', async () => {
    await using redis = await startRedis();
    const settings = { REDIS_URL_FILE: undefined, PULSE_STATE_DIR: undefined, publicUrl: 'https://pulse.test' };
    const address = new Secret(redis.url);
    const warnings: string[] = [];
    const seen = () => keyFirstSeen({ ...settings, REDIS_URL: address }, 'name', (message) => warnings.push(message));
    assert.equal(await seen(), undefined);
    const client = new RedisClient(address, systemClock, 5_000);
    void client.open();
    const store = alertStore(
      redisText({ send: (command) => client.send(command, { isTrial: true }) }, settings.publicUrl, 'alerts'),
    );
    await until('it is saved', async () =>
      store.save({ firstSeen: { name: 1_000 }, sent: {} }).then(
        () => true,
        () => false,
      ),
    );
    client.close();
    assert.deepEqual([await seen(), warnings], [1_000, []]);
  });

  it('warns within seconds if Redis can’t be read', async () => {
    const REDIS_URL = new Secret(`redis://127.0.0.1:${await freePort()}`);
    const warnings: string[] = [];
    const settings = {
      REDIS_URL,
      REDIS_URL_FILE: undefined,
      PULSE_STATE_DIR: undefined,
      publicUrl: 'https://pulse.test',
    };
    assert.equal(await keyFirstSeen(settings, 'name', (message) => warnings.push(message)), undefined);
    assert.match(warnings.join(), /^Cannot read from Redis \(REDIS_URL\)/);
  });
});
