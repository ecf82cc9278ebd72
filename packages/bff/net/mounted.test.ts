import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPulseBff, createPulseStudio } from '@pulse-card/bff';
import express from 'express';
import { type FakeService, SERVICE_KEY, startFakeService } from '../../testkit/src/service/fake-service.ts';
import { serve } from '../src/testing/serve.ts';
import { ask, mount, PUBLIC_URL, pulsePath, tokenVariables, withToken } from './kit.ts';

let service: FakeService;
before(async () => {
  service = await startFakeService({ sources: 3, limit: 1_000_000 });
});
after(() => service.close());

describe('createPulseBff()', () => {
  it('clientKey identifies the client for the limit; without clientKey, the IP address does', async () => {
    const clientKey = (request: { get(name: string): string | undefined }) => request.get('X-User') ?? '';
    await using app = await mount(service, { authorize: '*', clientKey }, { PULSE_CLIENT_RATE: '5' });
    const statuses = async (user: string) => {
      const all = Array.from({ length: 8 }, () => ask(app.url + pulsePath('src_001'), { headers: { 'X-User': user } }));
      return (await Promise.all(all)).map(({ status }) => status).filter((status) => status === 429).length;
    };
    assert.equal(await statuses('alice'), 3);
    assert.equal(await statuses('bob'), 3);
  });

  it('pulse(id, request) uses the request’s permissions and requires a request if authorize is set', async () => {
    await using app = await mount(service, { authorize: () => ['src_001'] });
    const own = await app.router.pulse('src_001', {} as never);
    assert.ok(own.ok && own.pulse.sourceId === 'src_001');
    const other = await app.router.pulse('src_002', {} as never);
    assert.deepEqual([other.ok, !other.ok && other.code], [false, 'token_forbidden']);
    await assert.rejects(app.router.pulse('src_001'));
  });

  it('pulse(id) returns only public fields and then keeps no timer', async (t) => {
    await using app = await mount(service);
    const started = t.mock.method(globalThis, 'setInterval');
    const cleared = t.mock.method(globalThis, 'clearInterval');
    const outcome = await app.router.pulse('src_001');
    assert.ok(started.mock.callCount() > 0);
    for (const { result } of started.mock.calls)
      assert.ok(cleared.mock.calls.some(({ arguments: [timer] }) => timer === result));
    assert.ok(outcome.ok && !('deliveryLink' in outcome.pulse));
  });

  it('fetch(Request) responds like the router, including under PULSE_PUBLIC_URL’s path', async () => {
    await using app = await mount(
      service,
      { authorize: '*' },
      { PULSE_PUBLIC_URL: 'https://site.test/pulse', PULSE_CLIENT_RATE: '0', PULSE_FRESH_MS: '60000' },
    );
    for (const path of ['/pulse/v1/sources/src_001/pulse', '/v1/sources/src_001/pulse']) {
      // Bodies are never compressed.
      const request = new Request(`https://site.test${path}`, { headers: { 'accept-encoding': 'br' } });
      const answer = await app.router.fetch(request);
      assert.equal(answer.status, 200, path);
      assert.equal(((await answer.json()) as { pulse: { sourceId: string } }).pulse.sourceId, 'src_001');
      assert.match(answer.headers.get('cache-control') ?? '', /private, no-cache/);
      // A `Response` has no connection.
      assert.equal(answer.headers.get('connection'), null);
      const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
      assert.equal((await app.router.fetch(new Request(`https://site.test${path}`, { headers }))).status, 304);
    }
    const posted = (await app.router.fetch(new Request('https://site.test/pulse/v1/sources', { method: 'POST' })))
      .status;
    assert.equal(posted, 405);
  });

  it('fetch(Request) accepts tokens, but only for the sources that they list', async () => {
    await using app = await mount(service, {}, tokenVariables());
    const url = `${PUBLIC_URL}${pulsePath('src_001')}`;
    const statusWith = async (headers: Record<string, string>) =>
      (await app.router.fetch(new Request(url, { headers }))).status;
    assert.equal(await statusWith({}), 401);
    assert.equal(await statusWith(await withToken(['src_001'])), 200);
    assert.equal(await statusWith(await withToken(['src_002'])), 403);
    const { Authorization = '' } = await withToken(['src_001']);
    assert.equal(await statusWith({ Authorization: `${Authorization}, ${Authorization}` }), 401);
  });

  it('keeps the application’s headers and extends its Vary header', async () => {
    await using app = await mount(service);
    const host = express().use((_request, response, next) => {
      response.set({
        'X-Frame-Options': 'DENY',
        'X-Request-Id': 'theirs',
        'Cache-Control': 'no-transform',
        Vary: 'X-Tenant',
      });
      next();
    }, app.router);
    await using server = await serve(host);
    const { headers } = await ask(server.url + pulsePath('src_001'));
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('x-request-id'), 'theirs');
    assert.equal(headers.get('cache-control'), 'no-transform, private, no-cache');
    assert.match(headers.get('vary') ?? '', /X-Tenant.*Cookie|Cookie.*X-Tenant/i);
    const script = await ask(`${server.url}/pulse-card.js`);
    assert.match(script.headers.get('vary') ?? '', /X-Tenant.*Accept-Encoding/i);
    // The application may require a login.
    assert.match(script.headers.get('cache-control') ?? '', /^no-transform, private, /);
  });

  it('authorize may return null: 401 signed_out, which no cache stores', async () => {
    await using app = await mount(service, { authorize: (() => null) as never });
    for (const path of [pulsePath('src_001'), '/embed/src_001']) {
      const { status, headers } = await ask(app.url + path);
      assert.equal(status, 401, path);
      assert.match(`${headers.get('cache-control')} ${headers.get('www-authenticate')}`, /no-store.* Bearer/);
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

  it('close() ends the router’s calls', async () => {
    service.account.deliver('src_later', {});
    await using app = await mount(service, { authorize: () => ['src_later'] });
    await Promise.all([app.router.close(), app.router.close()]);
    assert.ok(!(await app.router.pulse('src_later', {} as never)).ok);
  });

  it('calls authorize exactly once for each data request and never for other requests', async () => {
    let calls = 0;
    await using app = await mount(service, { authorize: () => ((calls += 1), '*') });
    const ofSource = ['pulse', 'image', 'runs', 'fragment'].map((route) => `/v1/sources/src_001/${route}`);
    for (const path of [...ofSource, '/v1/pulses?ids=src_001,src_002', '/v1/sources', '/embed/src_001', '/oembed']) {
      calls = 0;
      await ask(app.url + path);
      assert.equal(calls, 1, path);
    }
    calls = 0;
    for (const path of ['/healthz', '/pulse-card.js', '/v1/openapi.yaml', '/nothing']) await ask(app.url + path);
    assert.equal(calls, 0);
  });
});

describe('createPulseStudio()', () => {
  it('serves the Studio and the status page as a router', async () => {
    await using app = await mount(service);
    await using server = await serve(express().use('/ops', createPulseStudio(app.router)));
    for (const path of ['/ops/', '/ops/studio/']) {
      const { status, text } = await ask(server.url + path, { redirect: 'follow' });
      assert.equal(status, 200, path);
      assert.ok(!text.includes(SERVICE_KEY));
    }
  });
});
