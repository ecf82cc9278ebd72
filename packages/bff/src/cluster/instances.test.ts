import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sendJson } from '../testing/fake-service.ts';
import { describeWithRedis, startInstances, until } from '../testing/instances.ts';

/** As users run it: Redis gets 80 ms. */
const asUsual = { variables: { PULSE_FRESH_MS: '300' }, redisAnswersWithinMs: 80 };

/** A source that failed is left alone for at least this long. */
const MIN_BACKOFF_MS = 1_000;

const demandTracker = [0, 1, 2].flatMap((instance) => Array.from({ length: 20 }, () => instance));

describeWithRedis('three instances on one Redis', () => {
  it('make one call for all readers of an id that nobody knew', async () => {
    await using instances = await startInstances(3);
    const answers = await Promise.all(demandTracker.map((instance) => instances.read(instance, 'src_a')));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(instances.callsAbout('src_a'), 1);
  });

  it('make one call for all of them where the service fails, and tell the same failure', async () => {
    await using instances = await startInstances(3);
    const { answer } = instances.service;
    instances.service.answer = (request, response) =>
      request.url?.includes('src_a') ? sendJson(response, 500, {}) : answer(request, response);
    const startedAt = performance.now();
    const answers = await Promise.all(demandTracker.map((instance) => instances.read(instance, 'src_a')));
    assert.deepEqual(
      new Set(answers.map(({ status, body }) => `${status} ${body['code'] as string}`)),
      new Set(['503 upstream_unavailable']),
    );
    const backoffs = Math.floor((performance.now() - startedAt) / MIN_BACKOFF_MS);
    assert.ok(instances.callsAbout('src_a') <= 1 + backoffs);
  });

  it('serve what one of them was answered', async () => {
    await using instances = await startInstances(3);
    assert.equal((await instances.read(0, 'src_b')).status, 200);
    for (const instance of [1, 2]) assert.equal((await instances.read(instance, 'src_b')).status, 200);
    assert.equal(instances.callsAbout('src_b'), 1);
  });
});

describeWithRedis('a Redis that is lost (T-32)', () => {
  for (const [how, lose] of Object.entries({
    killed: (redis) => redis.kill(),
    frozen: (redis) => redis.freeze(),
    flushed: (redis) => redis.command('FLUSHALL'),
    full: (redis) => redis.command('CONFIG', 'SET', 'maxmemory', '1'),
    'read-only': (redis) => redis.command('REPLICAOF', '127.0.0.1', '9'),
  } satisfies Record<string, (redis: Awaited<ReturnType<typeof startInstances>>['redis']) => unknown>)) {
    it(`is not noticed by readers of what is known where it is ${how}`, async () => {
      await using instances = await startInstances(3, asUsual);
      for (const instance of [0, 1, 2])
        await until('it is known', async () => (await instances.read(instance, 'src_a')).status === 200);
      await lose(instances.redis);
      for (let round = 0; round < 10; round += 1) {
        for (const instance of [0, 1, 2]) assert.equal((await instances.read(instance, 'src_a')).status, 200);
        await pause(50);
      }
    });
  }

  it('comes back by itself: pulses reach all instances again', async () => {
    await using instances = await startInstances(2, asUsual);
    for (const instance of [0, 1])
      await until('it is known', async () => (await instances.read(instance, 'src_a')).status === 200);
    await instances.redis.kill();
    assert.equal((await instances.read(1, 'src_a')).status, 200);
    await instances.redis.restart();
    instances.change('src_a', 'run_2');
    for (const instance of [0, 1])
      await until('the new pulse', async () => {
        const { body } = await instances.read(instance, 'src_a');
        return (body['pulse'] as { jobRunId: string }).jobRunId === 'run_2';
      });
  });
});
