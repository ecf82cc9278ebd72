import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, it } from 'node:test';
import { errorBodySchema, pulseBodySchema, sourcesBodySchema } from '@pulse-card/contract';
import { type HostName, keyHashOf } from './arrival.ts';
import { commandUpstream, openControl } from './control.ts';
import { BENCH_KEY, type RecordingUpstream, startUpstream, type UpstreamOptions } from './recording-upstream.ts';

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
    it('lists ten of its sources', async () => {
      await play({ sources: 30 });
      const body = sourcesBodySchema.parse(await (await ask('/v1/sources')).json());
      assert.equal(body.sources.length, 10);
    });

    it('answers with the latest pulse of a source', async () => {
      await play({ sources: 30 });
      const body = pulseBodySchema.parse(await (await ask('/v1/sources/src_029/pulse')).json());
      assert.equal(body.pulse.sourceId, 'src_029');
    });

    it('knows no other source and no other key', async () => {
      await play();
      const answers = [
        await ask('/v1/sources/src_x/pulse'),
        await ask('/v1/sources', { key: 'k' }),
        await ask('/v1/sources', { key: null }),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [404, 401, 401],
      );
      for (const answer of answers) errorBodySchema.parse(await answer.json());
    });

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

    it('answers with the status it was told', async () => {
      await play();
      for (const [fault, status] of [
        [{ kind: 'status', status: 503 }, 503],
        [{ kind: 'limited' }, 429],
        [{ kind: 'unauthorized' }, 401],
        [{ kind: 'redirect', to: 'http://127.0.0.1:9/trap' }, 302],
      ] as const) {
        await upstream.fail('A', fault);
        assert.equal((await ask('/v1/sources')).status, status);
      }
    });

    it('says when a storm of 429 ends, or keeps it to itself', async () => {
      await play();
      await upstream.fail('A', { kind: 'limited', untilMs: 1_800_000_000_000 });
      assert.equal((await ask('/v1/sources')).headers.get('x-ratelimit-reset'), '1800000000');
      await upstream.fail('A', { kind: 'limited' });
      assert.equal((await ask('/v1/sources')).headers.get('x-ratelimit-reset'), null);
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

    it('sends a body that does not end in time', async () => {
      await play();
      await upstream.fail('A', { kind: 'slow-body', msPerByte: 1_000 });
      const controller = new AbortController();
      const answer = await ask('/v1/sources', { signal: controller.signal });
      assert.equal(answer.status, 200);
      const text = answer.text();
      assert.equal(await Promise.race([text, nextTurn('no end')]), 'no end');
      controller.abort();
      await assert.rejects(text, { name: 'AbortError' });
    });

    it('sends JSON that is cut short', async () => {
      await play();
      await upstream.fail('A', { kind: 'broken-json' });
      await assert.rejects((await ask('/v1/sources')).json(), SyntaxError);
    });
  });

  describe('when keys are exchanged', () => {
    it('accepts the new key and no longer the old', async () => {
      await play();
      await upstream.acceptKeys(['pk_bench_new']);
      assert.equal((await ask('/v1/sources')).status, 401);
      assert.equal((await ask('/v1/sources', { key: 'pk_bench_new' })).status, 200);
    });
  });
});

describe('openControl()', () => {
  it('lets another process fail the hosts, exchange keys and read the record', async () => {
    await play();
    const { url, server } = await openControl(upstream, 0);
    const remote = await commandUpstream(url, async () => void server.close());
    assert.deepEqual(remote.urls, upstream.urls);
    await remote.fail('A', { kind: 'status', status: 500 });
    assert.equal((await ask('/v1/sources')).status, 500);
    await remote.acceptKeys([]);
    assert.equal((await ask('/v1/sources', { host: 'B' })).status, 401);
    assert.deepEqual(
      (await remote.arrivals()).map(({ status }) => status),
      [500, 401],
    );
    server.closeAllConnections();
    await remote.close();
  });
});
