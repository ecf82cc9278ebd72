import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { BffProcess } from '../../testkit/src/bff-process.ts';
import { clockControl } from '../../testkit/src/clock-control.ts';
import { redisProgram, startRedis } from '../../testkit/src/redis-server.ts';
import { type FakeService, startFakeService } from '../../testkit/src/service/fake-service.ts';
import { worstWindow } from '../src/testing/budget-run.ts';
import { ask, folder } from './kit.ts';

/** The spec's limit: calls per window, and the window's length. */
const [LIMIT, WINDOW_MS, RESERVE] = [60, 60_000, 15];

/** Time runs eight times as fast as usual for both the BFF and the service. */
const SPEED = 8;

const IDS = Array.from({ length: 25 }, (_, at) => `src_${String(at + 1).padStart(3, '0')}`);

/** Instances with the default limit and 25 sources that readers request continuously. */
class Run implements AsyncDisposable {
  readonly service: FakeService;
  readonly instances: BffProcess[] = [];
  readonly #env: Record<string, string>;
  readonly #reading = new AbortController();
  readonly statuses = new Map<number, number>();

  private constructor(service: FakeService, env: Record<string, string>) {
    this.service = service;
    this.#env = env;
  }

  static async start({ count = 1, speed = SPEED, env = {}, limit = LIMIT, hasAlt = false } = {}): Promise<Run> {
    const clock = clockControl(folder(), speed);
    const service = await startFakeService({ sources: IDS.length, limit, now: clock.now });
    const alt = hasAlt && { PULSE_ALT_BASE_URL: service.urls.B };
    const run = new Run(service, {
      PULSE_SOURCES: IDS.join(','),
      PULSE_FRESH_MS: '1000',
      ...clock.env,
      ...alt,
      ...env,
    });
    await Promise.all(Array.from({ length: count }, () => run.add()));
    return run;
  }

  async add(): Promise<void> {
    const options = { upstream: this.service, from: 'source', env: this.#env, isQuiet: true } as const;
    this.instances.push(await BffProcess.start(options));
  }

  /** Makes readers request everything from every instance ten times a second, for `realMs`. */
  async read(realMs: number): Promise<void> {
    const end = performance.now() + realMs;
    while (performance.now() < end && !this.#reading.signal.aborted) {
      for (const { url } of this.instances)
        void ask(`${url}/v1/pulses?ids=${IDS.join(',')}`).then(
          ({ status }) => this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1),
          () => undefined,
        );
      await pause(100);
    }
  }

  /** Checks that at most this many calls arrived within any window at this speed. */
  staysWithin(limit: number, speed = SPEED): void {
    const arrivals = this.service.calls.map(({ atNs }) => atNs);
    const worst = worstWindow(arrivals, (WINDOW_MS * 1e6) / speed);
    assert.ok(worst <= limit, String(worst));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reading.abort();
    await Promise.all(this.instances.map((bff) => bff.kill()));
    await this.service.close();
  }
}

/** Two and a half windows, in real time. */
const LONG_MS = (2.5 * WINDOW_MS) / SPEED;

describe('Never more than 60 calls arrive in any minute', { concurrency: 3 }, () => {
  it('with steady readers: between 30 and 45 calls per window', async () => {
    await using run = await Run.start();
    await run.read(LONG_MS);
    run.staysWithin(LIMIT - RESERVE);
    assert.ok(run.service.calls.length >= 60, String(run.service.calls.length));
    assert.deepEqual([...run.statuses.keys()], [200]);
  });

  it('with two hosts, when the first one hangs', async () => {
    await using run = await Run.start({ hasAlt: true });
    await run.service.fail({ kind: 'hang' }, { host: 'A' });
    await run.read(LONG_MS);
    run.staysWithin(LIMIT - RESERVE);
    assert.ok(run.service.calls.some(({ host }) => host === 'B'));
  });

  it('after a 429: only a probe arrives until the pause ends', async () => {
    await using run = await Run.start();
    await run.read(1_000);
    await run.service.fail({ kind: 'limited', retryAfterSeconds: 30 });
    await run.read(3_000);
    const refused = run.service.calls.filter(({ status }) => status === 429).map(({ atNs }) => atNs);
    const late = refused.filter((atNs) => atNs > (refused[0] ?? 0) + 500e6).length;
    assert.ok(refused.length > 0 && late <= 2, String(late));
    await run.service.recover();
    const before = run.service.calls.length;
    await run.read(WINDOW_MS / SPEED);
    assert.ok(run.service.calls.length > before, 'calls resume');
    run.staysWithin(LIMIT - RESERVE);
  });

  it('in a crash loop without stored data', async () => {
    const limit = 20;
    const env = { PULSE_RATE_LIMIT: String(limit), PULSE_RATE_RESERVE: '5' };
    await using run = await Run.start({ speed: 1, env, limit: 1_000 });
    run.service.hasRateHeaders = false;
    const end = performance.now() + 45_000;
    for (let life = 0; performance.now() < end; life += 1) {
      const [bff] = run.instances;
      await run.read(life % 2 === 0 ? 300 : 1_500);
      await bff?.kill();
      await bff?.restart();
    }
    run.staysWithin(limit, 1);
    assert.ok(run.service.calls.length >= 1, String(run.service.calls.length));
  });

  it('from three instances without Redis', async () => {
    await using run = await Run.start({ count: 3 });
    await run.read(LONG_MS);
    run.staysWithin(LIMIT);
  });

  it('from three instances with Redis, even while Redis is down', { skip: redisProgram() === undefined }, async () => {
    await using redis = await startRedis();
    await using run = await Run.start({ count: 3, env: { REDIS_URL: redis.url } });
    await run.read(LONG_MS / 2);
    await redis.kill();
    await run.read(LONG_MS / 2);
    await redis.restart();
    await run.read(LONG_MS / 2);
    run.staysWithin(LIMIT);
  });
});
