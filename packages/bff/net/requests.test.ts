import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPulseBff } from '@pulse-card/bff';
import { startFakeService } from '../../testkit/src/service/fake-service.ts';
import { ask, mount, Net, pulsePath, tokenVariables, withToken } from './kit.ts';

const PULSE = pulsePath('src_001');

describe('Requests', { concurrency: 2 }, () => {
  let net: Net;
  before(async () => {
    net = await Net.start();
    await net.eventually(PULSE);
  });
  after(() => net[Symbol.asyncDispose]());

  it('can have 32 kB of headers', async () => {
    for (const headers of [
      { Cookie: `a=${'b'.repeat(30_000)}` },
      Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`X-Login-${at}`, 'c'.repeat(400)])),
    ])
      for (const path of [PULSE, '/embed/src_001', '/pulse-card.js'])
        assert.equal((await net.get(path, headers)).status, 200, path);
  });

  it('get the same response to OPTIONS on every route', async () => {
    for (const path of [
      '/v1/sources',
      '/v1/sources/src_001/fragment',
      '/embed/src_001',
      '/oembed',
      '/healthz',
      '/readyz',
    ]) {
      const { status, headers } = await net.get(path, { Origin: 'https://site.test' }, { method: 'OPTIONS' });
      assert.deepEqual([status, headers.get('allow')], [204, 'GET, HEAD, OPTIONS'], path);
    }
  });

  it('get a readable reason if their origin is rejected, even with a preflight for the token', async () => {
    const headers = { Origin: 'https://other.test', 'Access-Control-Request-Headers': 'authorization' };
    const preflight = await net.get('/v1/pulses?ids=src_001', headers, { method: 'OPTIONS' });
    const response = await net.get('/v1/pulses?ids=src_001', headers);
    assert.deepEqual([preflight.status, response.status], [204, 403]);
    for (const { headers: sent } of [preflight, response])
      assert.equal(sent.get('access-control-allow-origin'), 'https://other.test');
  });
});

describe('Readers', { concurrency: 2 }, () => {
  it('authorize may return null: 401 signed_out and no-store on every data route', async () => {
    await using service = await startFakeService({ limit: 1_000_000 });
    await using app = await mount(service, { authorize: (() => null) as never });
    for (const path of [
      PULSE,
      '/v1/pulses?ids=src_001',
      '/v1/sources',
      '/v1/sources/src_001/image',
      '/embed/src_001',
      '/v1/sources/src_001/fragment',
    ]) {
      const { status, text, headers } = await ask(app.url + path);
      assert.equal(status, 401, path);
      assert.match(headers.get('cache-control') ?? '', /no-store/);
      if (!/embed|fragment/.test(path)) assert.match(text, /signed_out/);
    }
    const outcome = await app.router.pulse('src_001', {} as never);
    assert.deepEqual(outcome, { ...outcome, ok: false, code: 'signed_out' });
  });

  it('a token’s sub is returned in Pulse-Reader for 200, 304, and error responses', async () => {
    await using net = await Net.start({ env: { ...tokenVariables(), PULSE_FRESH_MS: '60000' } });
    const token = await withToken(['src_001'], 'user ü');
    const first = await net.eventually(PULSE, 200, token);
    assert.equal(first.headers.get('pulse-reader'), encodeURIComponent('user ü'));
    const again = await net.get(PULSE, { ...token, 'If-None-Match': first.headers.get('etag') ?? '' });
    assert.equal(again.headers.get('pulse-reader'), encodeURIComponent('user ü'));
    assert.equal(
      (await net.get(pulsePath('src_002'), token)).headers.get('pulse-reader'),
      encodeURIComponent('user ü'),
    );
    assert.equal(
      (await net.get(PULSE, { ...(await withToken(['src_001'], 'x'.repeat(257))) })).headers.get('pulse-reader'),
      null,
    );
  });

  it('IDs in a token are known to its reader but aren’t in anyone else’s list', async () => {
    await using net = await Net.start({ env: { ...tokenVariables(), PULSE_SOURCES: 'listed' } });
    net.service.account.deliver('src_private', { aiSummaryShort: 'only for one' });
    const [one, all] = [await withToken(['src_private', 'src_001'], 'one'), await withToken('*', 'all')];
    assert.match((await net.eventually(pulsePath('src_private'), 200, one)).text, /only for one/);
    const list = await net.eventually('/v1/sources', 200, all);
    assert.ok(list.json.sources.length > 0);
    assert.doesNotMatch(list.text, /src_private/);
    const other = await net.get(pulsePath('src_private'), all);
    assert.ok([403, 404].includes(other.status) && !other.text.includes('only for one'));
  });
});

describe('A mounted router', { concurrency: 2 }, () => {
  it('can be created without secrets; its first use reports what is missing', async () => {
    const [router, unused] = [createPulseBff({ LOG_LEVEL: 'silent' }), createPulseBff({ LOG_LEVEL: 'silent' })];
    await assert.rejects(router.ready, /PULSE_API_KEY/);
    // A build that never awaits `ready` must not end because of an unhandled rejection.
    await new Promise((resolve) => void setImmediate(resolve));
    await unused.close();
    assert.throws(() => createPulseBff({ PULSE_FRESH_MS: 'x' }));
  });
});
