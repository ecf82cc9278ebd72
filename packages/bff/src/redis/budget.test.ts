import { after, before } from 'node:test';
import { Redis } from 'ioredis';
import { describeBudgetRule } from '../testing/budget-rule.ts';
import { describeWithRedis } from '../testing/instances.ts';
import { type RedisServer, startRedis } from '../testing/redis-server.ts';
import { TimedRedis, timedBudget } from '../testing/timed-redis.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';

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
});
