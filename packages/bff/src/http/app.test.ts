import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { appFor, cardWithoutPulse, cardWithPulse, hit, staleHit, tokenVariables } from '../testing/served-app.ts';

const PULSE = '/v1/sources/src_1/pulse';
const SITE = 'https://site.test';

const serve = (t: TestContext, variables: Readonly<Record<string, string>> = {}) =>
  appFor(t, { PULSE_ALLOWED_ORIGINS: SITE, PULSE_FRESH_MS: '600000', ...variables });

describe('The list', () => {
  for (const [query, count] of [
    ['?provider=', 2],
    ['?provider=google', 2],
    ['?provider=HUBSPOT', 0],
  ] as const)
    it(`has ${count} sources with "${query}"`, async (t) => {
      const { ask } = await serve(t);
      const { sources } = JSON.parse((await ask(`/v1/sources${query}`)).text) as { sources: unknown[] };
      assert.equal(sources.length, count);
    });
});

describe('Every response', () => {
  it('is never sniffed as another type', async (t) => {
    const { ask } = await serve(t);
    for (const path of [PULSE, '/v1/sources', '/healthz', '/nothing', '/embed/src_1', '/oembed'])
      assert.equal((await ask(path)).of('x-content-type-options'), 'nosniff', path);
  });

  it('has the same headers for HEAD as for GET, but no body', async (t) => {
    const { ask } = await serve(t);
    for (const path of [PULSE, '/healthz']) {
      const [get, head] = [await ask(path), await ask(path, {}, 'HEAD')];
      assert.deepEqual([head.status, head.text], [200, '']);
      for (const name of ['etag', 'content-type', 'content-length', 'cache-control'])
        assert.equal(head.of(name), get.of(name), name);
    }
  });

  it('can’t be changed by parameters that it doesn’t know, and no parameter pollutes an object (T-22)', async (t) => {
    const { ask } = await serve(t);
    const many = Array.from({ length: 500 }, (_, at) => `p${at}=1`).join('&');
    const { text } = await ask('/v1/pulses?ids=src_1');
    for (const query of ['__proto__[x]=1', '__proto__=x', 'constructor.prototype.x=1', many])
      assert.equal((await ask(`/v1/pulses?ids=src_1&${query}`)).text, text);
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
  });

  it('is a 405 for any method that could write (T-13)', async (t) => {
    const { ask } = await serve(t);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, of } = await ask(PULSE, {}, method);
      assert.deepEqual([status, of('allow'), of('connection')], [405, 'GET, HEAD, OPTIONS', 'close'], method);
    }
  });
});

describe('The record of a request', () => {
  it('contains the source and the error, but not the query, which can contain a signature', async (t) => {
    const { ask, records, pulses } = await serve(t);
    for (const path of [PULSE, '/nothing']) await ask(`${path}?sig=canary`);
    assert.deepEqual(pulses.viewers, [records[0]?.client]);
    const seen = records.map(({ path, sourceIds, code }) => [path, sourceIds, code]);
    assert.deepEqual(seen, [
      [PULSE, ['src_1'], undefined],
      ['/nothing', [], 'not_found'],
    ]);
    assert.doesNotMatch(JSON.stringify(records), /canary/);
    await ask(PULSE, { origin: 'https://elsewhere.test' });
    assert.equal(records.at(-1)?.detail, 'https://elsewhere.test');
  });
});

describe('An unexpected error', () => {
  it('is sent without details and reported to the operator', async (t) => {
    const { ask, pulses, faults } = await serve(t);
    const fault = new Error('canary');
    pulses.read = () => Promise.reject(fault);
    const { status, text, of } = await ask(PULSE);
    assert.deepEqual([status, of('retry-after')], [500, '']);
    assert.doesNotMatch(text, /canary/);
    assert.deepEqual(faults, [fault]);
  });

  it('isn’t reported for a malformed URL, which is a bad request', async (t) => {
    const { ask, faults } = await serve(t);
    const { status, text } = await ask('/v1/sources/%zz/pulse');
    assert.deepEqual([status, (JSON.parse(text) as { code: string }).code], [400, 'bad_request']);
    assert.deepEqual(faults, []);
  });
});

describe('A page on another origin', () => {
  it('can read data only if its origin is allowed (T-47)', async (t) => {
    const { ask } = await serve(t);
    const allowed = await ask(PULSE, { origin: SITE });
    assert.deepEqual([allowed.status, allowed.of('access-control-allow-origin')], [200, SITE]);
    assert.deepEqual([allowed.of('access-control-allow-credentials'), allowed.of('pulse-reader')], ['', '']);
    const exposed = 'ETag, Age, Retry-After, Cache-Status, X-Request-Id, Pulse-Reader';
    assert.equal(allowed.of('access-control-expose-headers'), exposed);
    assert.equal((await ask(PULSE, { origin: 'http://127.0.0.1:4020' })).status, 200, 'its own pages');
    assert.equal((await ask(PULSE, { origin: 'not an origin' })).of('access-control-allow-origin'), '');
    for (const origin of [
      'https://site.test.evil.test',
      'http://site.test',
      'https://site.test:444',
      'http://localhost:40200',
      'null',
    ]) {
      const { status, text, of } = await ask(PULSE, { origin });
      assert.deepEqual([status, of('access-control-allow-origin')], [403, origin], 'it can read why');
      assert.doesNotMatch(text, /"pulse"/);
      const preflight = await ask(PULSE, { origin }, 'OPTIONS');
      assert.deepEqual([preflight.status, preflight.of('access-control-allow-origin')], [204, origin]);
    }
  });

  for (const [what, variables, headers] of [
    ['its ETag', {}, 'If-None-Match'],
    ['its token, if tokens are required', tokenVariables, 'Authorization, If-None-Match'],
  ] as const)
    it(`can send ${what}`, async (t) => {
      const { ask } = await serve(t, variables);
      for (const path of [PULSE, '/v1/sources', '/v1/pulses', '/embed/src_1', '/oembed', '/readyz']) {
        const { status, of } = await ask(path, { origin: SITE }, 'OPTIONS');
        const sent = [status, of('access-control-allow-headers'), of('access-control-max-age'), of('allow')];
        assert.deepEqual(sent, [204, headers, '7200', 'GET, HEAD, OPTIONS'], path);
      }
    });

  it('can read everything if every origin is allowed', async (t) => {
    const { ask } = await serve(t, { PULSE_ALLOWED_ORIGINS: '*' });
    for (const path of [PULSE, '/v1/sources/src_unknown/pulse'])
      assert.equal((await ask(path, { origin: 'https://elsewhere.test' })).of('access-control-allow-origin'), '*');
  });

  it('gets responses that vary with the encoding and the origin', async (t) => {
    const { ask } = await serve(t);
    for (const headers of [{}, { origin: SITE }, { origin: 'https://elsewhere.test' }] as Record<string, string>[])
      for (const path of [PULSE, '/v1/sources', '/v1/pulses?ids=src_1', '/v1/sources/src_1/image', '/oembed'])
        assert.match(
          (await ask(path, { 'If-None-Match': '*', ...headers })).of('vary'),
          /\bAccept-Encoding\b.*\bOrigin\b/,
        );
  });
});

describe('Caches', () => {
  for (const [what, variables, policy, cdn] of [
    ['public data', {}, /^public, /, /^public, /],
    ['data with PULSE_CACHE=private', { PULSE_CACHE: 'private' }, /^private, /, /^no-store$/],
  ] as const)
    it(`keep ${what} as ${policy.source}`, async (t) => {
      const { ask } = await serve(t, variables);
      for (const path of [PULSE, '/v1/sources', '/v1/pulses?ids=src_1', '/embed/src_1']) {
        const { of } = await ask(path);
        assert.match(of('cache-control'), policy, path);
        assert.match(of('cdn-cache-control'), cdn, path);
      }
    });

  it('don’t store errors for requests that need a token, and see that responses vary with the token', async (t) => {
    const { ask } = await serve(t, tokenVariables);
    const { status, of } = await ask(PULSE);
    assert.deepEqual([status, of('cache-control')], [401, 'no-store']);
    assert.match(of('vary'), /\bAuthorization\b/);
    assert.match(of('www-authenticate'), /^Bearer realm="pulse"/);
  });

  it('store a 404 for a source without a pulse for at most 30 s, and only if they may store data', async (t) => {
    const { ask } = await serve(t);
    for (const id of ['src_bare', 'src_unknown'])
      assert.equal((await ask(`/v1/sources/${id}/pulse`)).of('cache-control'), 'public, max-age=30', id);
    const browser = await serve(t, { PULSE_CACHE: 'private' });
    assert.equal((await browser.ask('/v1/sources/src_bare/pulse')).of('cache-control'), 'no-store');
  });

  it('don’t store any other error', async (t) => {
    const { ask, pulses } = await serve(t);
    pulses.found.set('src_1', { ok: false, code: 'upstream_unavailable' });
    pulses.list = { ok: false, code: 'upstream_auth' };
    for (const path of [PULSE, '/v1/sources', '/embed/src_1', '/v1/sources/a%2Fb/pulse', '/nothing']) {
      const { status, of } = await ask(path);
      assert.ok(status >= 400, path);
      assert.equal(of('cache-control'), 'no-store', path);
    }
  });
});

describe('A stale pulse or list', () => {
  it('is marked as stale, even if the same data was sent before it became stale, and is built again if it changes', async (t) => {
    const { ask, pulses } = await serve(t);
    const { list } = pulses;
    assert.ok(list.ok);
    for (const [found, without, foundList, mark] of [
      [hit(cardWithPulse), hit(cardWithoutPulse), hit(list.value), '"stale":false'],
      [staleHit(cardWithPulse), staleHit(cardWithoutPulse), staleHit(list.value), '"stale":true'],
    ] as const) {
      pulses.found.set('src_1', found).set('src_bare', without);
      pulses.list = foundList;
      for (const path of [PULSE, '/v1/pulses?ids=src_1', '/v1/pulses?ids=src_bare', '/v1/sources']) {
        const { text, of } = await ask(path);
        assert.ok(text.includes(mark), path);
        assert.equal(of('age'), String(Math.floor(found.ageMs / 1_000)), path);
      }
    }
    for (const [changed, mark] of [
      [{ source: null }, '"provider":null'],
      [{ source: null, requestedAtMs: 0 }, '"1970-01-01'],
    ] as const) {
      pulses.found.set('src_1', staleHit({ ...cardWithPulse, ...changed }));
      assert.ok((await ask(PULSE)).text.includes(mark), mark);
    }
    pulses.list = staleHit({ ...list.value, requestedAtMs: 0 });
    assert.ok((await ask('/v1/sources')).text.includes('"1970-01-01'));
  });
});

describe('Retry-After', () => {
  for (const [retryInMs, seconds] of [
    [undefined, '5'],
    [4_200, '5'],
    [0, '1'],
    [86_400_000, '300'],
  ] as const)
    it(`is ${seconds} if a retry might succeed in ${retryInMs} ms`, async (t) => {
      const { ask, pulses } = await serve(t);
      pulses.list = { ok: false, code: 'upstream_unavailable', retryInMs };
      pulses.found.set('src_1', pulses.list);
      for (const path of [PULSE, '/v1/sources', '/embed/src_1'])
        assert.equal((await ask(path)).of('retry-after'), seconds, path);
    });

  it('isn’t sent if a retry can’t help', async (t) => {
    const { ask } = await serve(t);
    assert.equal((await ask('/v1/sources/src_unknown/pulse')).of('retry-after'), '');
  });
});

describe('The client limit', () => {
  for (const TRUST_PROXY of ['off', '1'])
    it(`allows exactly PULSE_CLIENT_RATE requests, and says when to retry, with TRUST_PROXY=${TRUST_PROXY}`, async (t) => {
      const { ask } = await serve(t, { PULSE_CLIENT_RATE: '3', TRUST_PROXY });
      const statuses = [];
      for (let count = 0; count < 3; count += 1) statuses.push((await ask(PULSE)).status);
      assert.deepEqual(statuses, [200, 200, 200]);
      const { status, text, of } = await ask(PULSE);
      assert.deepEqual([status, (JSON.parse(text) as { code: string }).code], [429, 'rate_limited']);
      assert.deepEqual([of('x-ratelimit-limit'), of('x-ratelimit-remaining')], ['3', '0']);
      // A proxy’s connection also carries requests from other clients.
      assert.equal(of('connection'), TRUST_PROXY === 'off' ? 'close' : 'keep-alive');
      const resetInSeconds = Number(of('x-ratelimit-reset')) - Date.now() / 1_000;
      assert.ok(resetInSeconds > 30 && resetInSeconds < 61, String(resetInSeconds));
      assert.match(of('retry-after'), /^(?:[3-5]\d|60)$/);
      const elsewhere = { 'x-forwarded-for': '"203.0.113.9:54321"' };
      assert.equal((await ask(PULSE, elsewhere)).status, TRUST_PROXY === 'off' ? 429 : 200);
      assert.equal((await ask('/embed/src_1')).status, 429);
      assert.equal((await ask('/healthz')).status, 200);
    });
});
