import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestDatabases } from '../databases.ts';
import { type AskOptions, TestService } from '../test-service.ts';

/** The service's guarantees for the rate limit. */
export function rateLimitPromises(service: () => TestService): void {
  const calls = (count: number, key: string | undefined, { alt = false } = {}) =>
    statusesOf(service(), count, key === undefined ? { alt } : { key, alt });

  describe('The rate limit (T-62, T-63)', () => {
    it('sends the limit, the remaining calls, and the reset time in Unix seconds with a response', async () => {
      const { key } = await service().account();
      const resetAt = Math.ceil((service().clock.nowMs() + 60_000) / 1_000);
      assert.deepEqual(windowOf(await service().ask('/v1/sources', { key })), [60, 59, resetAt]);
      assert.deepEqual(windowOf(await service().ask('/v1/sources', { key })), [60, 58, resetAt]);
    });

    it('also sends these headers with every kind of rejection', async () => {
      const { id, key } = await service().account();
      const narrow = await service().key(id, { scopes: ['pulses:read'] });
      const cases: [path: string, key: string | undefined, method: string, status: number][] = [
        ['/v1/sources', undefined, 'GET', 401],
        ['/v1/sources', 'wrong', 'GET', 401],
        ['/v1/sources', narrow, 'GET', 403],
        ['/v1/sources/none/pulse', key, 'GET', 404],
        ['/v1/nothing', key, 'GET', 404],
        ['/v1/sources', key, 'DELETE', 405],
        ['/v1/sources/%E0%A4%A/pulse', key, 'GET', 400],
        ['/v1/openapi.yaml', undefined, 'GET', 200],
      ];
      for (const [path, key, method, status] of cases) {
        const answer = await service().ask(path, { method, ...(key === undefined ? {} : { key }) });
        assert.equal(answer.status, status, `${method} ${path}`);
        assert.equal(windowOf(answer)[0], 60, `${method} ${path}`);
      }
      await calls(60, key);
      const refused = await service().ask('/v1/sources', { key });
      assert.deepEqual([refused.status, windowOf(refused)[0]], [429, 60]);
    });

    it('allows 60 calls and responds to the 61st with 429 and the time to wait', async () => {
      const { key } = await service().account();
      assert.equal(granted(await calls(60, key)), 60);
      service().clock.push(20_000);
      const refused = await service().ask('/v1/sources', { key });
      assert.equal(refused.status, 429);
      assert.deepEqual(refused.json, { success: false, error: 'Rate limit exceeded' });
      assert.equal(refused.headers.get('retry-after'), '40');
      assert.equal(windowOf(refused)[1], 0);
    });

    it('slides: the next call is allowed exactly when the oldest call is a minute old', async () => {
      const { key } = await service().account();
      await calls(30, key);
      service().clock.push(30_000);
      await calls(30, key);
      service().clock.push(29_999);
      assert.deepEqual(await calls(1, key), [429]);
      service().clock.push(1);
      assert.equal(granted(await calls(31, key)), 30);
    });

    it('doesn’t count rejected calls', async () => {
      const { key } = await service().account();
      await calls(60, key);
      service().clock.push(59_999);
      assert.equal(granted(await calls(5, key)), 0);
      service().clock.push(1);
      assert.equal(granted(await calls(61, key)), 60);
    });

    it('sends the time at which the oldest counted call leaves the window', async () => {
      const { key } = await service().account();
      await calls(1, key);
      const firstLeavesAt = Math.ceil((service().clock.nowMs() + 60_000) / 1_000);
      service().clock.push(30_000);
      assert.equal(windowOf(await service().ask('/v1/sources', { key }))[2], firstLeavesAt);
      service().clock.push(30_000);
      assert.equal(windowOf(await service().ask('/v1/sources', { key }))[2], firstLeavesAt + 30);
    });

    it('is shared by both hosts', async () => {
      const { key } = await service().account();
      await calls(30, key);
      assert.equal(granted(await calls(31, key, { alt: true })), 30);
      assert.deepEqual(await calls(1, key), [429]);
    });

    it('holds if all calls arrive at the same time', async () => {
      const { key } = await service().account();
      const answers = await Promise.all(Array.from({ length: 80 }, () => service().ask('/v1/sources', { key })));
      assert.equal(granted(answers.map(({ status }) => status)), 60);
    });

    it('counts each key separately, even keys for the same account', async () => {
      const { id, key } = await service().account();
      await calls(60, key);
      assert.deepEqual(await calls(1, key), [429]);
      assert.deepEqual(await calls(1, await service().key(id)), [200]);
    });

    it('counts calls without a working key by client IP address, regardless of the key they send', async () => {
      assert.deepEqual(new Set(await calls(30, undefined)), new Set([401]));
      for (let call = 0; call < 30; call += 1) await service().ask('/v1/sources', { key: `guess${call}` });
      assert.deepEqual(await calls(1, undefined), [429]);
      assert.deepEqual(await calls(1, 'another guess'), [429]);
      assert.deepEqual(await calls(1, (await service().account()).key), [200]);
    });

    it('doesn’t trust a client’s forwarding headers', async () => {
      for (let call = 0; call < 60; call += 1) {
        await service().ask('/v1/sources', { headers: { 'X-Forwarded-For': `10.0.0.${call}` } });
      }
      const { status } = await service().ask('/v1/sources', { headers: { 'X-Forwarded-For': '10.9.9.9' } });
      assert.equal(status, 429);
    });

    it('applies to the description too, with and without a key', async () => {
      const { key } = await service().account();
      for (let call = 0; call < 60; call += 1) await service().ask('/v1/openapi.yaml', { key });
      assert.equal((await service().ask('/v1/openapi.yaml', { key })).status, 429);
      assert.equal((await service().ask('/v1/openapi.yaml')).status, 200);
    });
  });
}

/** The service's guarantees for routes that don't need a key. */
export function keylessLimitPromises(databases: () => TestDatabases): void {
  describe('The limit for routes without a key', () => {
    it('counts charts, source pages, and the health check by client IP address, separately from calls', async () => {
      const limited = await TestService.start(await databases().fresh(), { PULSE_RATE_LIMIT: '2' });
      const { key } = await limited.account();
      for (const path of [`/charts/${'0'.repeat(32)}.png`, '/admin/sources/a', '/healthz']) {
        for (let request = 0; request < 20; request += 1) assert.notEqual((await limited.ask(path)).status, 429, path);
        const refused = await limited.ask(path);
        assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'], path);
        assert.deepEqual(refused.json, { success: false, error: 'Rate limit exceeded' });
      }
      assert.equal((await limited.ask('/v1/sources', { key })).status, 200);
      assert.equal((await limited.ask('/v1/sources')).status, 401);
      limited.clock.push(60_000);
      assert.equal((await limited.ask('/healthz')).status, 200);
      await limited.close();
    });
  });
}

/** The service's guarantees for the rate limit across instances that use the same database. */
export function sharedLimitPromises(service: () => TestService, twin: () => TestService): void {
  describe('The rate limit across instances', () => {
    it('is shared by all instances', async () => {
      const { key } = await service().account();
      await statusesOf(service(), 30, { key });
      assert.equal(granted(await statusesOf(twin(), 31, { key })), 30);
      assert.deepEqual(await statusesOf(service(), 1, { key }), [429]);
    });

    it('holds if calls reach all instances at the same time', async () => {
      const { key } = await service().account();
      const calls = Array.from({ length: 80 }, (_, call) => (call % 2 === 0 ? service() : twin()).ask(PATH, { key }));
      assert.equal(granted((await Promise.all(calls)).map(({ status }) => status)), 60);
    });
  });
}

const PATH = '/v1/sources';

async function statusesOf(service: TestService, count: number, options: AskOptions): Promise<number[]> {
  const statuses: number[] = [];
  for (let call = 0; call < count; call += 1) statuses.push((await service.ask(PATH, options)).status);
  return statuses;
}

function windowOf({ headers }: { headers: Headers }): number[] {
  return ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
}

function granted(statuses: readonly number[]): number {
  return statuses.filter((status) => status === 200).length;
}
