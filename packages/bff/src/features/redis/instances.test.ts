import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { maxInAnyWindow } from '../../testing/arrivals.ts';
import { account, sendJson } from '../../testing/fake-service.ts';
import { describeWithRedis, type Instances, startInstances } from '../../testing/instances.ts';
import { until } from '../../../../testkit/src/until.ts';

/** The default: Redis must respond within 80 ms. */
const AS_USUAL = { variables: { PULSE_FRESH_MS: '300' }, redisAnswersWithinMs: 80 };

const WINDOW_MS = 2_000;
const LIMIT = 60;

/** A failed source isn't requested again for at least this long. */
const MIN_BACKOFF_MS = 1_000;

const KEY = 'a-key-that-all-instances-share';

/** Twenty readers on each of three instances. */
const READERS = [0, 1, 2].flatMap((instance) => Array.from({ length: 20 }, () => instance));

describeWithRedis('three instances on one Redis', () => {
  it('make one call for all readers of a new id', async () => {
    await using instances = await startInstances(3);
    const answers = await Promise.all(READERS.map((instance) => instances.read(instance, 'src_a')));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(instances.callsAbout('src_a'), 1);
    for (const instance of [0, 1, 2]) assert.equal((await instances.read(instance, 'src_a')).status, 200);
  });

  it('make only one call if the service fails, and all return the same failure', async () => {
    await using instances = await startInstances(3);
    const { answer } = instances.service;
    instances.service.answer = (request, response) =>
      request.url?.includes('src_a') ? sendJson(response, 500, {}) : answer(request, response);
    const startedAt = performance.now();
    const answers = await Promise.all(READERS.map((instance) => instances.read(instance, 'src_a')));
    assert.deepEqual(
      new Set(answers.map(({ status, body }) => `${status} ${body.code}`)),
      new Set(['503 upstream_unavailable']),
    );
    const backoffs = Math.floor((performance.now() - startedAt) / MIN_BACKOFF_MS);
    assert.ok(instances.callsAbout('src_a') <= 1 + backoffs);
  });

  it('tell readers without an answer how long the pause after a 429 lasts', async () => {
    await using instances = await startInstances(2, { variables: { PULSE_RATE_WINDOW_MS: '6000' } });
    instances.service.answer = (_request, response) =>
      sendJson(response, 429, { success: false, error: 'Too many requests' }, { 'Retry-After': '6' });
    for (const url of instances.urls) {
      const { headers } = await fetch(`${url}/v1/sources/src_a/pulse`);
      const seconds = Number(headers.get('Retry-After'));
      assert.ok(seconds >= 4 && seconds <= 6, `Retry-After: ${seconds}`);
    }
  });

  it('share an answer that one instance received, even if no reader requested it', async () => {
    await using instances = await startInstances(3, { variables: { PULSE_FRESH_MS: '300' } });
    for (const instance of [0, 1, 2]) await instances.read(instance, 'src_a');
    const calls = instances.callsAbout('src_a');
    instances.change('src_a', 'run_2');
    await until('an instance refreshes', () => instances.callsAbout('src_a') > calls);
    for (const instance of [0, 1, 2]) await until('the new pulse', () => shows(instances, instance, 'run_2'));
  });

  it('continue to refresh after a restart if Redis and the state folder have the same answers', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'pulse-'));
    const variables = { PULSE_FRESH_MS: '300', PULSE_UPSTREAM_TIMEOUT_MS: '500', PULSE_STATE_DIR: folder.path };
    await using instances = await startInstances(1, { variables });
    const ids = ['src_a', 'src_b', 'src_c'];
    for (const id of ids) await instances.read(0, id);
    await until('the answers are in Redis', async () =>
      (await instances.redis.command('KEYS', 'pulse:*:answer:src_*')).startsWith('*3'),
    );
    await instances.restart(0);
    for (const id of ids) instances.change(id, 'run_2');
    for (const id of ids)
      await until(`a new answer for ${id}`, async () => {
        const { body } = await instances.read(0, id);
        return body.pulse?.jobRunId === 'run_2';
      });
  });

  it('store neither the API key nor the account in Redis (T-01)', async () => {
    await using instances = await startInstances(1);
    await instances.read(0, 'src_b');
    const namesNow = async () => (await instances.redis.command('KEYS', 'pulse:*')).match(/pulse:\S+/g) ?? [];
    await until('an answer in Redis', async () => (await namesNow()).some((name) => name.endsWith(':answer:src_b')));
    const texts = await Promise.all((await namesNow()).map(async (name) => name + (await dumpOf(instances, name))));
    for (const secret of [KEY, account.email, account.id, Buffer.from(KEY).toString('base64').slice(0, 20)])
      assert.ok(!texts.join().includes(secret), secret);
  });
});

describeWithRedis('six instances whose Redis is lost (T-32)', () => {
  for (const [how, { lose, back }] of Object.entries({
    restarted: { lose: ({ redis }) => redis.kill(), back: ({ redis }) => redis.restart() },
    frozen: { lose: ({ redis }) => redis.freeze(), back: ({ redis }) => redis.resume() },
    full: {
      lose: ({ redis }) => redis.command('CONFIG', 'SET', 'maxmemory', '1'),
      back: ({ redis }) => redis.command('CONFIG', 'SET', 'maxmemory', '0'),
    },
    'failed over to an empty one': {
      lose: ({ redis }) => redis.command('REPLICAOF', '127.0.0.1', '9'),
      back: async ({ redis }) => {
        await redis.command('REPLICAOF', 'NO', 'ONE');
        await redis.command('FLUSHALL');
      },
    },
  } satisfies Record<string, Record<'lose' | 'back', (instances: Instances) => unknown>>))
    it(`serve every reader, stay within the limit, and refresh again within one window: Redis is ${how}`, async (context) => {
      await using instances = await startInstances(6, AS_USUAL);
      const all = instances.urls.map((_, instance) => instance);
      const arrivals: number[] = [];
      const { answer } = instances.service;
      instances.service.answer = (request, response) => {
        arrivals.push(performance.now());
        answer(request, response);
      };
      for (const instance of all)
        for (const id of ['src_a', 'src_b', 'src_c'])
          await until('it is known', async () => (await instances.read(instance, id)).status === 200);
      const readAll = async (): Promise<void> => {
        for (const id of ['src_a', 'src_b', 'src_c'])
          for (const instance of all) assert.equal((await instances.read(instance, id)).status, 200);
        await pause(50);
      };
      const lostAt = performance.now();
      await lose(instances);
      while (performance.now() < lostAt + WINDOW_MS) await readAll();
      await back(instances);
      const backAt = performance.now();
      instances.change('src_a', 'run_2');
      while (!(await Promise.all(all.map((instance) => shows(instances, instance, 'run_2')))).every(Boolean))
        await readAll();
      const max = maxInAnyWindow(arrivals, WINDOW_MS);
      const seconds = ((performance.now() - backAt) / 1_000).toFixed(1);
      context.diagnostic(`${max} calls in a window, all new ${seconds} s after its return`);
      assert.ok(max <= LIMIT, `${max} calls in a window`);
    });
});

async function shows(instances: Instances, instance: number, run: string): Promise<boolean> {
  const { body } = await instances.read(instance, 'src_a');
  return body.pulse?.jobRunId === run;
}

function dumpOf({ redis }: Instances, name: string): Promise<string> {
  return redis.command('DUMP', name);
}
