import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPulseBff } from '@pulse-card/bff';
import { startFakeService } from '../../testkit/src/service/fake-service.ts';
import { ask, mount, Net, pulsePath } from './kit.ts';

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
    for (const path of ['/v1/sources', '/v1/sources/src_001/fragment', '/embed/src_001', '/oembed', '/readyz']) {
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

describe('A mounted router', { concurrency: 2 }, () => {
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
      assert.match(`${headers.get('cache-control')} ${headers.get('www-authenticate')}`, /no-store.* Bearer/);
      if (!/embed|fragment/.test(path)) assert.match(text, /signed_out/);
    }
    const outcome = await app.router.pulse('src_001', {} as never);
    assert.deepEqual(outcome, { ...outcome, ok: false, code: 'signed_out' });
  });

  it('can be created without secrets; its first use reports what is missing', async () => {
    const [router, unused] = [createPulseBff({ LOG_LEVEL: 'silent' }), createPulseBff({ LOG_LEVEL: 'silent' })];
    await assert.rejects(router.ready, /PULSE_API_KEY/);
    // A build that never awaits `ready` must not end because of an unhandled rejection.
    await new Promise((resolve) => void setImmediate(resolve));
    await unused.close();
    assert.throws(() => createPulseBff({ PULSE_FRESH_MS: 'x' }));
  });
});
