import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, beforeEach, describe, it } from 'node:test';
import { pulsesAnswerSchema } from '@pulse-card/contract';
import { fullPulse } from '@pulse-card/contract/examples';
import { cardWithoutPulse, cardWithPulse, hit, staleHit } from '../../testing/fake-cache.ts';
import { until } from '../../../../testkit/src/until.ts';
import { rawGet } from '../../testing/raw-request.ts';
import { serveApp } from '../../testing/served-app.ts';

const app = await serveApp({ PULSE_CLIENT_RATE: '0' });
beforeEach(() => app.cache.reset());
after(() => app[Symbol.asyncDispose]());

const get = (query: string, init?: RequestInit) => fetch(`${app.url}/v1/pulses${query}`, init);
const answerTo = async (query: string) => pulsesAnswerSchema.parse(await (await get(query)).json());
const idsOf = async (query: string) => (await answerTo(query)).pulses.map(({ sourceId }) => sourceId);
const idsUpTo = (count: number) => Array.from({ length: count }, (_, at) => `src_${at}`).join();

describe('GET /v1/pulses', () => {
  it('returns one result for each id, in the requested order (T-81)', async () => {
    app.cache.peeks.set('src_gone', { ok: false, code: 'source_unknown' });
    const { pulses } = await answerTo('?ids=src_bare,src_1,src_gone,src_1');
    const outcomes = pulses.map((outcome) => `${outcome.sourceId} ${outcome.ok ? 'ok' : outcome.code}`);
    assert.deepEqual(outcomes, ['src_bare pulse_not_found', 'src_1 ok', 'src_gone source_unknown']);
  });

  it('includes the source in the result if the source has no pulse', async () => {
    const { pulses } = await answerTo('?ids=src_bare');
    assert.deepEqual(pulses[0], {
      sourceId: 'src_bare',
      ok: false,
      error: 'No pulse found for this source',
      code: 'pulse_not_found',
      source: { status: 'PENDING', provider: 'GOOGLE', name: null },
    });
  });

  it('is as old as its oldest pulse, and stale if any pulse is', async () => {
    app.cache.peeks.set('src_old', staleHit({ ...cardWithPulse, sourceId: 'src_old', requestedAtMs: 0 }));
    const response = await get('?ids=src_1,src_old');
    const { meta } = pulsesAnswerSchema.parse(await response.json());
    assert.deepEqual(meta, { requestedAt: '1970-01-01T00:00:00.000Z', stale: true });
    assert.equal(response.headers.get('Age'), '42');
    assert.equal(response.headers.get('Cache-Status'), 'PulseCard;hit;ttl=-27;detail=upstream-unavailable');
  });

  it('waits for each source that isn’t cached, once per id', async () => {
    app.cache.reads.set('src_new', hit({ ...cardWithPulse, sourceId: 'src_new' }));
    const { pulses } = await answerTo('?ids=src_new,src_1,src_new');
    assert.ok(pulses.length === 2 && pulses.every(({ ok }) => ok));
    assert.deepEqual(app.cache.waited, ['src_new']);
  });

  it('returns an error result for a malformed id, with the id as it was requested', async () => {
    const ids = ['src_1', 'a!b', '<b>../"\\', 'My source/größe', '\u001b[2J\u0000\u202e', '😀', 'x'.repeat(500)];
    const query = `?ids=${ids.map(encodeURIComponent).join(',')}`;
    assert.deepEqual(await idsOf(query), ids);
    const [, ...malformed] = (await answerTo(query)).pulses;
    for (const outcome of malformed) assert.equal(!outcome.ok && outcome.code, 'invalid_source_id');
  });

  it('escapes a malformed id, so that it is safe in pages and terminals', async () => {
    const text = await (await get(`?ids=${encodeURIComponent('<script>&\u001b[2J\u009b\u202e\u2028')}`)).text();
    assert.match(text, /^[\x20-\x7e]+$/);
    assert.doesNotMatch(text, /[<>&]/);
  });

  it('counts one view for a source that is listed fifty times in one request (T-82)', async () => {
    await get(`?ids=${Array.from({ length: 50 }, () => 'src_1').join()}`);
    await fetch(`${app.url}/v1/sources/src_1/pulse`);
    assert.deepEqual(app.cache.viewers, ['127.0.0.1', '127.0.0.1']);
  });

  it('responds with 200 even if all results are errors', async () => {
    app.cache.peeks.set('src_1', { ok: false, code: 'upstream_unavailable' });
    const response = await get('?ids=src_1');
    assert.equal(response.status, 200);
    assert.equal(pulsesAnswerSchema.parse(await response.json()).meta.stale, false);
  });

  it('doesn’t let caches keep a batch with a failure that can end at any time', async () => {
    app.cache.peeks.set('src_2', { ok: false, code: 'upstream_unavailable' });
    const [passing, lasting] = [await get('?ids=src_1,src_2'), await get('?ids=src_1,src_bare')];
    for (const name of ['Cache-Control', 'CDN-Cache-Control']) {
      assert.equal(passing.headers.get(name), 'no-store');
      assert.match(lasting.headers.get(name) ?? '', /^public/);
    }
  });

  it('has a new tag if any of its results changes', async () => {
    const tag = (await get('?ids=src_1,src_bare')).headers.get('ETag') ?? '';
    const again = await get('?ids=src_1,src_bare', { headers: { 'If-None-Match': tag } });
    assert.equal(again.status, 304);
    app.cache.peeks.set('src_bare', hit({ ...cardWithoutPulse, source: null }));
    assert.notEqual((await get('?ids=src_1,src_bare')).headers.get('ETag'), tag);
  });

  for (const query of ['', '?ids=', '?ids=,,', '?id=src_1', `?ids=${idsUpTo(51)}`])
    it(`rejects ${JSON.stringify(query.slice(0, 30))}, naming the parameter`, async () => {
      const response = await get(query);
      assert.equal(response.status, 400);
      const { error, code } = (await response.json()) as { error: string; code: string };
      assert.equal(code, 'invalid_source_id');
      assert.match(error, /"ids"/);
    });

  it('reads ids from one or more parameters', async () => {
    for (const query of ['?ids=src_1%2Csrc_bare', '?x=1&ids=src_1&ids=src_bare', '?ids=src_1,,src_bare,'])
      assert.deepEqual(await idsOf(query), ['src_1', 'src_bare']);
  });

  it('accepts 50 ids', async () => assert.equal((await idsOf(`?ids=${idsUpTo(50)}`)).length, 50));
});

describe('A large batch (T-81)', () => {
  const LONG = '論'.repeat(60_000);
  const many = Array.from({ length: 50 }, (_, at) => `src_${at + 10}`);
  beforeEach(() => {
    for (const sourceId of many)
      app.cache.peeks.set(
        sourceId,
        hit({ ...cardWithPulse, sourceId, pulse: { ...fullPulse, sourceId, aiSummaryLong: LONG } }),
      );
  });

  it('contains at most 2 MiB, with a retriable failure for each other pulse', async () => {
    const response = await get(`?ids=${many.join(',')}`, { headers: { 'Accept-Encoding': 'identity' } });
    const bytes = await response.bytes();
    assert.ok(bytes.length <= 2 * 1024 * 1024);
    const { pulses } = pulsesAnswerSchema.parse(JSON.parse(Buffer.from(bytes).toString()));
    const left = pulses.filter(({ ok }) => !ok);
    assert.ok(pulses.length === 50 && left.length > 30 && left.length < 50);
    assert.ok(left.every((pulse) => !pulse.ok && pulse.code === 'rate_limited'));
    assert.equal(response.headers.get('Cache-Control'), 'no-store');
  });

  it('is compressed only if its ids are in the order that cards use', async () => {
    const encodingOf = async (query: string) =>
      (await get(query, { headers: { 'Accept-Encoding': 'br' } })).headers.get('Content-Encoding');
    assert.equal(await encodingOf('?ids=src_10,src_11'), 'br');
    assert.equal(await encodingOf('?ids=src_11,src_10'), null);
    const response = await get('?ids=src_11,src_10');
    const headers = { 'If-None-Match': response.headers.get('ETag') ?? '' };
    assert.equal((await get('?ids=src_11,src_10', { headers })).status, 304);
  });

  it('is cut off only for a reader who leaves more than 8 MiB unread', async () => {
    app.answered.length = 0;
    const request = rawGet(`/v1/pulses?ids=${many.join(',')}`);
    let bytes = 0;
    const socket = connect(app.port, '127.0.0.1', () => socket.write(request.repeat(30)))
      .on('data', (chunk) => (bytes += chunk.length))
      .on('error', () => {})
      .pause();
    await until('5 responses wait', () => app.answered.length >= 5);
    assert.equal((await get(`?ids=${many.join(',')}`)).status, 200);
    await once(socket.resume(), 'close');
    assert.ok(bytes < 10 * 1024 * 1024, String(bytes));
  });
});
