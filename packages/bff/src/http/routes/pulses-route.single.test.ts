import assert from 'node:assert/strict';
import { after, beforeEach, describe, it, mock } from 'node:test';
import { pulseAnswerSchema } from '@pulse-card/contract';
import { fullPulse } from '@pulse-card/contract/examples';
import { cardWithPulse, hit, staleHit } from '../../testing/fake-cache.ts';
import { serveApp } from '../../testing/served-app.ts';

const PULSE = '/v1/sources/src_1/pulse';

const app = await serveApp({ PULSE_CLIENT_RATE: '0' });
beforeEach(() => app.cache.reset());
after(() => app[Symbol.asyncDispose]());

const get = (headers = {}, path = PULSE) => fetch(app.url + path, { headers });
const answerTo = async (response: Promise<Response>) => pulseAnswerSchema.parse(await (await response).json());

describe('GET /v1/sources/{sourceId}/pulse', () => {
  it('T-07, T-08: responds with only the public fields', async () => {
    const { meta, pulse, source } = await answerTo(get());
    assert.deepEqual(meta, { requestedAt: '2026-05-08T09:05:00.000Z', stale: false });
    assert.equal(
      Object.keys(pulse).join(),
      'jobRunId,sourceId,sourceName,status,completedAt,imageUrl,aiSummaryShort,aiSummaryLong',
    );
    assert.deepEqual(source, { status: 'ACTIVE', provider: 'GOOGLE', name: 'Q2 revenue' });
  });

  it('adds the fields that PULSE_EXPOSE names', async () => {
    await using exposing = await serveApp({ PULSE_EXPOSE: 'link,deliveryLink,organization,connectionCount' });
    const { pulse, source } = await answerTo(fetch(exposing.url + PULSE));
    assert.equal(pulse.deliveryLink, 'https://chat.acme.test/archives/C1/p1');
    assert.equal(pulse.organizationSlug, 'acme');
    assert.equal(source.link, 'https://app.acme.test/admin/sources/src_1');
    assert.equal(source.connectionCount, 2);
    assert.equal(source.organizationId, 'org_1');
  });

  it('omits a public service’s chart address on loopback or in a private network (T-84)', async () => {
    const pulse = { ...fullPulse, imageUrl: 'http://127.0.0.1:4010/charts/a.png' };
    app.cache.peeks.set('src_1', hit({ ...cardWithPulse, pulse }));
    assert.equal((await answerTo(get())).pulse.imageUrl, null);
  });

  it('marks a stale response, and includes the reason', async () => {
    app.cache.peeks.set('src_1', staleHit(cardWithPulse));
    const response = await get();
    assert.equal(response.headers.get('Cache-Status'), 'PulseCard;hit;ttl=-27;detail=upstream-unavailable');
    assert.match(response.headers.get('Cache-Control') ?? '', /max-age=5,/);
    assert.equal((await answerTo(Promise.resolve(response))).meta.stale, true);
  });

  it('uses the name in the pulse if the source isn’t on the list', async () => {
    app.cache.peeks.set('src_1', hit({ ...cardWithPulse, source: null }));
    assert.deepEqual((await answerTo(get())).source, { status: null, provider: null, name: 'Q2 revenue' });
  });

  it('waits for an answer if nothing is cached', async () => {
    const facts = { hit: false, fwd: 'miss', fwdStatus: 200, stored: true, collapsed: true, ttlSeconds: 15 } as const;
    app.cache.reads.set('src_new', { ok: true, value: cardWithPulse, isEarlierVersion: false, ageMs: 0, facts });
    const { status, headers } = await get({}, '/v1/sources/src_new/pulse');
    assert.equal(status, 200);
    assert.equal(headers.get('Cache-Status'), 'PulseCard;fwd=miss;fwd-status=200;ttl=15;stored;collapsed');
  });

  it('accepts an id that was percent-encoded unnecessarily', async () => {
    assert.equal((await get({}, '/v1/sources/%73rc_1/pulse')).status, 200);
  });

  it('lets caches keep the 404 for a source without a pulse for at most 30 seconds', async () => {
    const response = await get({}, '/v1/sources/src_bare/pulse');
    assert.equal(response.status, 404);
    const error = 'No pulse found for this source';
    assert.deepEqual(await response.json(), { success: false, error, code: 'pulse_not_found' });
    assert.equal(response.headers.get('Cache-Control'), 'public, max-age=15');
    await using slow = await serveApp({ PULSE_FRESH_MS: '60000' });
    const { headers } = await fetch(`${slow.url}/v1/sources/src_bare/pulse`);
    assert.equal(headers.get('Cache-Control'), 'public, max-age=30');
  });

  for (const [code, retryInMs, status, retryAfter] of [
    ['source_unknown', undefined, 404, null],
    ['upstream_auth', undefined, 503, '60'],
    ['upstream_rate_limited', undefined, 503, '30'],
    ['upstream_unavailable', undefined, 503, '5'],
    ['upstream_invalid', undefined, 502, '10'],
    ['upstream_unavailable', -1, 503, '1'],
    ['upstream_unavailable', 1_000, 503, '1'],
    ['upstream_unavailable', 7_001, 503, '8'],
    ['upstream_unavailable', Infinity, 503, '300'],
  ] as const)
    it(`responds to ${code} with ${status} and Retry-After ${retryAfter} (next try: ${retryInMs ?? 'unknown'} ms)`, async () => {
      app.cache.peeks.set('src_1', { ok: false, code, ...(retryInMs !== undefined && { retryInMs }) });
      const response = await get();
      assert.equal(response.status, status);
      assert.equal(((await response.json()) as { code: string }).code, code);
      assert.equal(response.headers.get('Retry-After'), retryAfter);
    });

  it('T-02: responds with 500 without internal details', async () => {
    await using faulty = await serveApp();
    faulty.cache.read = () => {
      throw new Error('canary-secret');
    };
    const response = await fetch(faulty.url + PULSE);
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /canary|at /);
    assert.equal(faulty.faults.length, 1);
  });

  it('responds with 304 to a matching tag, list of tags, or *, even with no-cache', async () => {
    const tag = (await get()).headers.get('ETag') ?? '';
    for (const listed of [`W/${tag}`, `"x", ${tag}`, '*'])
      assert.equal(
        (await get({ 'If-None-Match': listed, 'Cache-Control': 'no-cache', Pragma: 'no-cache' })).status,
        304,
      );
  });

  it('responds with the whole pulse if the tag differs', async () => {
    const response = await get({ 'If-None-Match': '"other"' });
    assert.deepEqual([response.status, response.headers.get('Content-Type')], [200, 'application/json; charset=utf-8']);
  });

  it('responds to HEAD like GET, without the body', async () => {
    const [full, head] = [await get(), await fetch(app.url + PULSE, { method: 'HEAD' })];
    const without = ({ headers }: Response) =>
      [...headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));
    assert.deepEqual(without(head), without(full));
    assert.equal(await head.text(), '');
  });

  it('uses a different tag for each encoding', async () => {
    const tags = new Set<string | null>();
    for (const encoding of ['br', 'gzip', 'identity']) {
      const response = await get({ 'Accept-Encoding': encoding });
      assert.equal(response.headers.get('Content-Encoding') ?? 'identity', encoding);
      tags.add(response.headers.get('ETag'));
      await answerTo(Promise.resolve(response));
    }
    assert.equal(tags.size, 3);
  });
});

describe('A cache hit', () => {
  for (const path of [PULSE, '/v1/pulses?ids=src_1', '/v1/sources'])
    it(`serializes no JSON after the first response: ${path}`, async () => {
      await (await get({}, path)).arrayBuffer();
      app.cache.peeks.set('src_1', { ...hit(cardWithPulse), ageMs: 9_000 });
      const stringify = mock.method(JSON, 'stringify');
      await (await get({ 'Accept-Encoding': 'br' }, path)).arrayBuffer();
      stringify.mock.restore();
      assert.equal(stringify.mock.callCount(), 0);
    });
});
