import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, it } from 'node:test';
import { spawnUpstream } from './control.ts';
import {
  BENCH_KEY,
  type HostName,
  keyHashOf,
  type RecordingUpstream,
  startUpstream,
  type UpstreamOptions,
} from './recording-upstream.ts';

let upstream: RecordingUpstream;
const play = async (options: UpstreamOptions = {}) => {
  upstream = await startUpstream({ latencyMs: [1, 1], ...options });
};
interface AskOptions {
  readonly host?: HostName;
  /** Null for no key at all. */
  readonly key?: string | null;
  readonly signal?: AbortSignal;
}
const ask = (path: string, { host = 'A', key = BENCH_KEY, ...init }: AskOptions = {}) =>
  fetch(upstream.urls[host] + path, {
    headers: key === null ? {} : { 'X-API-Key': key },
    redirect: 'manual',
    ...init,
  });

afterEach(() => upstream.close());

describe('startUpstream()', () => {
  describe('while all is well', () => {
    it('counts both hosts in one window, and refuses what is beyond it', async () => {
      await play({ limit: 3 });
      const seen: [status: number, remaining: string | null][] = [];
      for (const host of ['A', 'B', 'A', 'B'] as const) {
        const { status, headers } = await ask('/v1/sources', { host });
        seen.push([status, headers.get('x-ratelimit-remaining')]);
      }
      assert.deepEqual(seen, [
        [200, '2'],
        [200, '1'],
        [200, '0'],
        [429, '0'],
      ]);
    });

    it('records who asked for what, and never the key', async () => {
      await play();
      await ask('/v1/sources', { host: 'B' });
      const { atNs, answeredAtNs = 0, ...arrival } = (await upstream.arrivals())[0]!;
      const expected = { host: 'B', path: '/v1/sources', keyHash: keyHashOf(BENCH_KEY), status: 200 };
      assert.deepEqual(arrival, expected);
      assert.ok(atNs > 0 && answeredAtNs >= atNs);
    });
  });

  describe('when it is told to fail', () => {
    it('refuses connections, and takes them again on the same port', async () => {
      await play();
      await upstream.fail('A', { kind: 'refuse' });
      await assert.rejects(ask('/v1/sources'));
      assert.equal((await ask('/v1/sources', { host: 'B' })).status, 200);
      await upstream.fail('A', { kind: 'none' });
      assert.equal((await ask('/v1/sources')).status, 200);
    });

    it('counts the connections that it cuts', async () => {
      await play();
      await upstream.fail('both', { kind: 'reset' });
      const { port } = new URL(upstream.urls.A);
      await new Promise((resolve) => connect(Number(port), '127.0.0.1').on('error', resolve).on('close', resolve));
      assert.deepEqual(
        (await upstream.arrivals()).map(({ path, status }) => [path, status]),
        [[undefined, undefined]],
      );
    });

    it('takes a call and never answers it', async () => {
      await play();
      await upstream.fail('A', { kind: 'hang' });
      const controller = new AbortController();
      const answer = ask('/v1/sources', { signal: controller.signal });
      while ((await upstream.arrivals()).length === 0) await nextTurn();
      assert.equal(await Promise.race([answer, nextTurn('no answer')]), 'no answer');
      controller.abort();
      await assert.rejects(answer, { name: 'AbortError' });
    });
  });
});

describe('spawnUpstream()', () => {
  it('fails and records as commanded from another process', async () => {
    upstream = await spawnUpstream({ latencyMs: [1, 1] });
    await upstream.fail('A', { kind: 'status', status: 500 });
    assert.equal((await ask('/v1/sources')).status, 500);
    assert.deepEqual(
      (await upstream.arrivals()).map(({ status }) => status),
      [500],
    );
  });
});
