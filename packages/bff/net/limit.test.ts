import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { BffProcess } from '../../testkit/src/bff-process.ts';
import { clockControl } from '../../testkit/src/clock-control.ts';
import { redisProgram, startRedis } from '../../testkit/src/redis-server.ts';
import { startFakeService } from '../../testkit/src/service/fake-service.ts';
import { worstWindow } from '../src/testing/budget-run.ts';
import { ask, folder } from './kit.ts';

/** The spec's limit: calls per window, and the window's length. */
const [LIMIT, WINDOW_MS, RESERVE] = [60, 60_000, 15];

/** Time runs eight times as fast as usual for both the BFF and the service. */
const SPEED = 8;

const IDS = Array.from({ length: 25 }, (_, at) => `src_${String(at + 1).padStart(3, '0')}`);

/** Instances with the default limit and 25 sources that readers request continuously. */
async function start({ count = 1, speed = SPEED, env = {}, limit = LIMIT, hasAlt = false } = {}) {
  const clock = clockControl(folder().path, speed);
  const service = await startFakeService({ sources: IDS.length, limit, now: clock.now });
  const alt = hasAlt && { PULSE_ALT_BASE_URL: service.urls.B };
  const variables = { PULSE_SOURCES: IDS.join(','), PULSE_FRESH_MS: '1000', ...clock.env, ...alt, ...env };
  const options = { upstream: service, from: 'source', env: variables, isQuiet: true } as const;
  const instances = await Promise.all(Array.from({ length: count }, () => BffProcess.start(options)));
  const statuses = new Set<number>();
  return {
    service,
    instances,
    statuses,
    /** Makes readers request everything from every instance ten times a second, for `realMs`. */
    async read(realMs: number): Promise<void> {
      for (const end = performance.now() + realMs; performance.now() < end; await pause(100))
        for (const { url } of instances)
          void ask(`${url}/v1/pulses?ids=${IDS.join(',')}`).then(
            ({ status }) => statuses.add(status),
            () => undefined,
          );
    },
    /** Checks that at most this many calls arrived within any window. */
    staysWithin(most: number): void {
      const arrivals = service.calls.map(({ atNs }) => atNs);
      const worst = worstWindow(arrivals, (WINDOW_MS * 1e6) / speed);
      assert.ok(worst <= most, String(worst));
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(instances.map((bff) => bff.kill()));
      await service.close();
    },
  };
}

/** Two and a half windows, in real time. */
const LONG_MS = (2.5 * WINDOW_MS) / SPEED;

describe('Never more than 60 calls arrive in any minute', { concurrency: 3 }, () => {
  it('with steady readers: between 30 and 45 calls per window', async () => {
    await using run = await start();
    await run.read(LONG_MS);
    run.staysWithin(LIMIT - RESERVE);
    assert.ok(run.service.calls.length >= 60, String(run.service.calls.length));
    assert.deepEqual([...run.statuses], [200]);
  });

  it('with two hosts, when the first one hangs', async () => {
    await using run = await start({ hasAlt: true });
    await run.service.fail({ kind: 'hang' }, { host: 'A' });
    await run.read(LONG_MS);
    run.staysWithin(LIMIT - RESERVE);
    assert.ok(run.service.calls.some(({ host }) => host === 'B'));
  });

  it('in a crash loop without stored data', async () => {
    const limit = 20;
    const env = { PULSE_RATE_LIMIT: String(limit), PULSE_RATE_RESERVE: '5' };
    await using run = await start({ speed: 1, env, limit: 1_000 });
    run.service.hasRateHeaders = false;
    const end = performance.now() + 45_000;
    for (let life = 0; performance.now() < end; life += 1) {
      const [bff] = run.instances;
      await run.read(life % 2 === 0 ? 300 : 1_500);
      await bff?.kill();
      await bff?.restart();
    }
    run.staysWithin(limit);
    assert.ok(run.service.calls.length >= 1, String(run.service.calls.length));
  });

  it('from three instances without Redis', async () => {
    await using run = await start({ count: 3 });
    await run.read(LONG_MS);
    run.staysWithin(LIMIT);
  });

  it('from three instances with Redis, even while Redis is down', { skip: redisProgram() === undefined }, async () => {
    await using redis = await startRedis();
    await using run = await start({ count: 3, env: { REDIS_URL: redis.url } });
    await run.read(LONG_MS / 2);
    await redis.kill();
    await run.read(LONG_MS / 2);
    await redis.restart();
    await run.read(LONG_MS / 2);
    run.staysWithin(LIMIT);
  });
});
