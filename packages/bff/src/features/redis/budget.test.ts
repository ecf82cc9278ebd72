import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { describeBudgetRule } from '../../testing/budget-rule.ts';
import { describeWithRedis } from '../../testing/instances.ts';
import { type RedisServer, startRedis } from '../../../../testkit/src/redis-server.ts';
import { TimedRedis, timedBudget } from '../../testing/timed-redis.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';

describeWithRedis('RedisCallBudget', () => {
  let server: RedisServer;
  let redis: Redis;
  before(async () => {
    server = await startRedis();
    redis = new Redis(server.url, { protocol: 2 });
  });
  after(async () => {
    redis.disconnect();
    await server.close();
  });

  describeBudgetRule(async () => {
    await redis.flushall();
    const clock = createVirtualClock();
    const client = new TimedRedis(redis, () => clock.now());
    const callBudget = timedBudget(client, { clock, limit: 60, windowMs: 60_000, reserve: 15, callMs: 5_000 });
    await callBudget.look();
    await clock.advance(600_000);
    await callBudget.look();
    return {
      clock,
      callBudget,
      status: async () => {
        await callBudget.look();
        return callBudget.status();
      },
    };
  });

  describe('doesn’t report calls by other users', () => {
    for (const [circumstance, disturb] of [
      ['after the key was replaced', async ({ key }) => void (key.name = 'pulse:new')],
      [
        'after the connection to Redis was lost',
        async ({ client, callBudget }) => {
          client.isLost = true;
          await callBudget.look();
          client.isLost = false;
        },
      ],
      ['after Redis was emptied', async () => void (await redis.flushall())],
    ] as const satisfies readonly (readonly [string, (parts: Parts) => Promise<void>])[])
      it(circumstance, async () => {
        const parts = await openParts();
        const { clock, callBudget } = parts;
        assert.equal((await readingOf(parts)).others, 40);
        await disturb(parts);
        await callBudget.look();
        // A Redis server that doesn't know the key yet grants no calls for one window.
        await clock.advance(62_000);
        const { others, earlier } = await readingOf(parts);
        assert.deepEqual([others, earlier > 30], [0, true]);
        await clock.advance(130_000);
        assert.equal((await readingOf(parts)).others, 40);
      });
  });

  /** Each call is about a different source, because call leases expire by Redis's clock. */
  let calls = 0;

  type Parts = Awaited<ReturnType<typeof openParts>>;

  async function openParts() {
    await redis.flushall();
    const clock = createVirtualClock();
    const client = new TimedRedis(redis, () => clock.now());
    const key = { name: 'pulse:old' };
    const options = { clock, limit: 60, windowMs: 60_000, reserve: 15, callMs: 5_000 };
    const callBudget = timedBudget(client, options, () => key.name);
    await callBudget.look();
    await clock.advance(600_000);
    await callBudget.look();
    return { clock, client, callBudget, key };
  }

  /** The status after a call whose answer reports that 41 calls in the window have been used. */
  async function readingOf({ client, callBudget }: Parts) {
    await callBudget.look();
    const acquired = await callBudget.acquire(`src_${(calls += 1)}`);
    assert.ok(acquired.kind === 'granted', JSON.stringify(acquired));
    callBudget.settle(acquired.permit, { fate: 'answered', window: { limit: 60, remaining: 19, resetInMs: 60_000 } });
    await client.idle();
    await callBudget.look();
    return callBudget.status();
  }
});
