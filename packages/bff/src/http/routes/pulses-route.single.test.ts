import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pulseAnswerSchema } from '@pulse-card/contract';
import { fullPulse } from '@pulse-card/contract/examples';
import { FakeCache, cardWithPulse, hit, staleHit } from '../../testing/fake-cache.ts';
import { type ServedApp, serveApp } from '../../testing/served-app.ts';

let app: ServedApp;
before(async () => {
  app = await serveApp({ PULSE_CLIENT_RATE: '0' });
});
beforeEach(() => {
  app.cache.peeks.clear();
  for (const [id, lookup] of new FakeCache().peeks) app.cache.peeks.set(id, lookup);
});
after(() => app[Symbol.asyncDispose]());

const get = (path = '/v1/sources/src_1/pulse', init?: RequestInit) => fetch(app.url + path, init);

describe('GET /v1/sources/{sourceId}/pulse', () => {
  it('T-07, T-08: answers with the public fields alone', async () => {
    const answer = pulseAnswerSchema.parse(await (await get()).json());
    assert.deepEqual(answer.meta, { requestedAt: '2026-05-08T09:05:00.000Z', stale: false });
    assert.deepEqual(Object.keys(answer.pulse), [
      'jobRunId',
      'sourceId',
      'sourceName',
      'status',
      'completedAt',
      'imageUrl',
      'aiSummaryShort',
      'aiSummaryLong',
    ]);
    assert.deepEqual(answer.source, { status: 'ACTIVE', provider: 'GOOGLE', name: 'Q2 revenue' });
  });

  it('names no address of a chart on loopback or in a private network, where the service has none there (T-84)', async () => {
    for (const imageUrl of [
      'http://127.0.0.1:4010/charts/a.png',
      'https://10.0.0.1/a.png',
      'https://[::7f00:1]/a.png',
    ]) {
      const pulse = { ...fullPulse, imageUrl };
      app.cache.peeks.set('src_1', hit({ ...cardWithPulse, pulse }));
      assert.equal(pulseAnswerSchema.parse(await (await get()).json()).pulse.imageUrl, null, imageUrl);
    }
  });

  it('carries its tag, its age, its lifetime and what the cache did', async () => {
    const { headers } = await get();
    assert.match(headers.get('ETag') ?? '', /^"[\w-]+"$/);
    assert.equal(headers.get('Age'), '2');
    assert.equal(headers.get('Cache-Control'), 'public, max-age=7, stale-while-revalidate=30, stale-if-error=86400');
    assert.equal(headers.get('Cache-Status'), 'PulseCard;hit;ttl=12');
    assert.equal(headers.get('Vary'), 'Accept-Encoding, Origin');
    assert.equal(headers.get('Content-Type'), 'application/json; charset=utf-8');
    assert.equal(headers.get('X-Powered-By'), null);
  });

  it('says of a stale answer that it is stale, and why', async () => {
    app.cache.peeks.set('src_1', staleHit(cardWithPulse));
    const response = await get();
    const { meta } = pulseAnswerSchema.parse(await response.json());
    assert.equal(meta.stale, true);
    assert.equal(response.headers.get('Cache-Status'), 'PulseCard;hit;ttl=-27;detail=upstream-unavailable');
    assert.match(response.headers.get('Cache-Control') ?? '', /max-age=5,/);
  });

  it('falls back to the name that the pulse remembers where the list does not show the source', async () => {
    app.cache.peeks.set('src_1', hit({ ...cardWithPulse, source: null }));
    const { source } = pulseAnswerSchema.parse(await (await get()).json());
    assert.deepEqual(source, { status: null, provider: null, name: 'Q2 revenue' });
  });

  it('waits where nothing is known yet', async () => {
    app.cache.peeks.clear();
    const facts = { hit: false, fwd: 'miss', fwdStatus: 200, stored: true, ttlSeconds: 15 } as const;
    app.cache.reads.set('src_1', { ok: true, value: cardWithPulse, stale: false, ageMs: 0, facts });
    const response = await get();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Cache-Status'), 'PulseCard;fwd=miss;fwd-status=200;ttl=15;stored');
  });

  it('knows a source whose id was percent-encoded for no reason', async () => {
    assert.equal((await get('/v1/sources/%73rc_1/pulse')).status, 200);
  });

  it('answers 404 for a source without a pulse, kept for no longer than a pulse would be', async () => {
    const response = await get('/v1/sources/src_bare/pulse');
    assert.equal(response.status, 404);
    assert.deepEqual(await response.json(), {
      success: false,
      error: 'No pulse found for this source',
      code: 'pulse_not_found',
    });
    assert.equal(response.headers.get('Cache-Control'), 'public, max-age=15');
  });

  const failures = [
    ['source_unknown', 404, null],
    ['upstream_auth', 503, '60'],
    ['upstream_rate_limited', 503, '30'],
    ['upstream_unavailable', 503, '5'],
    ['upstream_invalid', 502, '10'],
    ['internal', 500, null],
  ] as const;
  for (const [code, status, retryAfter] of failures) {
    it(`answers ${status} for ${code}${retryAfter === null ? '' : ', with the time of the next try'}`, async () => {
      app.cache.peeks.set('src_1', { ok: false, code });
      const response = await get();
      assert.equal(response.status, status);
      assert.equal(((await response.json()) as { code: string }).code, code);
      assert.equal(response.headers.get('Retry-After'), retryAfter);
      assert.equal(response.headers.get('Vary'), 'Accept-Encoding, Origin');
    });
  }

  for (const [asked, said] of [
    [0, '1'],
    [1, '1'],
    [1_000, '1'],
    [7_001, '8'],
    [299_001, '300'],
    [86_400_000, '300'],
    [Infinity, '300'],
    [-1, '1'],
  ] as const) {
    it(`asks for a wait of ${said} s where the next try is in ${asked} ms`, async () => {
      app.cache.peeks.set('src_1', { ok: false, code: 'upstream_unavailable', retryInMs: asked });
      assert.equal((await get()).headers.get('Retry-After'), said);
    });
  }

  it('T-02: answers 500 without a word of what went wrong inside', async () => {
    await using faulty = await serveApp();
    faulty.cache.getIfCached = () => {
      throw new Error('canary-secret');
    };
    const response = await fetch(`${faulty.url}/v1/sources/src_1/pulse`);
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /canary|at /);
    assert.equal(faulty.faults.length, 1);
  });

  describe('when the reader has an answer already', () => {
    it('answers 304 without a body, with the same tag and lifetime', async () => {
      const { headers } = await get();
      const again = await get(undefined, { headers: { 'If-None-Match': headers.get('ETag') ?? '' } });
      assert.equal(again.status, 304);
      for (const name of ['ETag', 'Cache-Control', 'Vary', 'Age']) {
        assert.equal(again.headers.get(name), headers.get(name));
      }
      assert.equal(await again.text(), '');
    });

    it('does so although fetch asks for no-cache by itself, for weak tags, lists and the star', async () => {
      const tag = (await get()).headers.get('ETag') ?? '';
      for (const header of [`W/${tag}`, `"x", ${tag}`, '*']) {
        const init = { headers: { 'If-None-Match': header, 'Cache-Control': 'no-cache', Pragma: 'no-cache' } };
        assert.equal((await get(undefined, init)).status, 304);
      }
    });

    it('answers whole where the tag is another', async () => {
      assert.equal((await get(undefined, { headers: { 'If-None-Match': '"other"' } })).status, 200);
    });
  });

  describe('HEAD', () => {
    it('answers as GET would, without the body', async () => {
      const [full, head] = [await get(), await get(undefined, { method: 'HEAD' })];
      const without = ({ headers }: Response) =>
        [...headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));
      assert.deepEqual(without(head), without(full));
      assert.equal(await head.text(), '');
    });
  });

  describe('when the reader accepts compression', () => {
    it('gives each form its own tag, made once', async () => {
      const tags = new Set<string | null>();
      for (const encoding of ['br', 'gzip', 'identity']) {
        const response = await get(undefined, { headers: { 'Accept-Encoding': encoding } });
        assert.equal(response.headers.get('Content-Encoding') ?? 'identity', encoding);
        tags.add(response.headers.get('ETag'));
        assert.equal(((await response.json()) as { meta: { stale: boolean } }).meta.stale, false);
      }
      assert.equal(tags.size, 3);
    });
  });

  describe('when the operator exposes fields', () => {
    it('adds those and no others', async () => {
      await using exposing = await serveApp({ PULSE_EXPOSE: 'link,deliveryLink,organization,connectionCount' });
      const response = await fetch(`${exposing.url}/v1/sources/src_1/pulse`);
      const { pulse, source } = pulseAnswerSchema.parse(await response.json());
      assert.equal(pulse.deliveryLink, 'https://chat.acme.test/archives/C1/p1');
      assert.equal(pulse.organizationSlug, 'acme');
      assert.equal(source.link, 'https://app.acme.test/admin/sources/src_1');
      assert.equal(source.connectionCount, 2);
      assert.equal(source.organizationId, 'org_1');
    });
  });
});
