import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPulseStudio } from '@pulse-card/bff';
import express from 'express';
import { type FakeService, SERVICE_KEY, startFakeService } from '../../testkit/src/service/fake-service.ts';
import { serve } from '../src/testing/serve.ts';
import { ask, mount, PUBLIC_URL, pulsePath, tokenVariables, withToken } from './kit.ts';

let service: FakeService;
before(async () => {
  service = await startFakeService({ sources: 3, limit: 1_000_000 });
});
after(() => service.close());

const byUser = (request: { get(name: string): string | undefined }) =>
  request.get('X-User') === 'admin' ? '*' : [`src_of_${request.get('X-User')}`, 'src_001'];

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
    await using app = await mount(service, { authorize: byUser });
    const of = (user: string) => ({ get: () => user, headers: { 'x-user': user } }) as never;
    const own = await app.router.pulse('src_001', of('alice'));
    assert.ok(own.ok && own.pulse.sourceId === 'src_001');
    const other = await app.router.pulse('src_002', of('alice'));
    assert.deepEqual([other.ok, !other.ok && other.code], [false, 'token_forbidden']);
    await assert.rejects(app.router.pulse('src_001'));
  });

  it('pulse(id) returns only the public fields and then keeps no timer', async (t) => {
    await using app = await mount(service);
    const started = t.mock.method(globalThis, 'setInterval');
    const cleared = t.mock.method(globalThis, 'clearInterval');
    const outcome = await app.router.pulse('src_001');
    assert.ok(started.mock.callCount() > 0);
    for (const { result } of started.mock.calls)
      assert.ok(cleared.mock.calls.some(({ arguments: [timer] }) => timer === result));
    assert.ok(outcome.ok);
    const names = 'aiSummaryLong aiSummaryShort completedAt imageUrl jobRunId sourceId sourceName status';
    assert.deepEqual(Object.keys(outcome.pulse).toSorted().join(' '), names);
    const missing = await app.router.pulse('no_such');
    assert.deepEqual([missing.ok, !missing.ok && missing.code], [false, 'source_unknown']);
  });

  it('pulse(id) without authorize finds sources in the list or in PULSE_SOURCES, but not those from a token', async () => {
    service.account.deliver('src_of_token', { aiSummaryShort: 'only for a token' });
    await using app = await mount(service, {}, tokenVariables());
    const answer = await ask(app.url + pulsePath('src_of_token'), { headers: await withToken(['src_of_token']) });
    assert.match(answer.text, /only for a token/);
    const unlisted = await app.router.pulse('src_of_token');
    assert.deepEqual([unlisted.ok, !unlisted.ok && unlisted.code], [false, 'source_unknown']);
    assert.ok((await app.router.pulse('src_001')).ok);
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
    const script = await app.router.fetch(new Request('https://site.test/pulse-card.js'));
    assert.match(script.headers.get('cache-control') ?? '', /^private, max-age/);
    assert.equal((await app.router.fetch(new Request('https://site.test/pulse/v1/nothing'))).status, 404);
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

  it('IDs returned by authorize are known only to that reader', async () => {
    service.account.deliver('src_of_alice', { aiSummaryShort: 'only for alice' });
    await using app = await mount(service, { authorize: byUser });
    const as = (user: string, path: string) => ask(app.url + path, { headers: { 'X-User': user } });
    assert.match((await as('alice', pulsePath('src_of_alice'))).text, /only for alice/);
    for (const user of ['admin', 'bob']) {
      const list = await as(user, '/v1/sources');
      assert.doesNotMatch(list.text, /src_of_alice/, user);
      const answer = await as(user, pulsePath('src_of_alice'));
      assert.ok([403, 404].includes(answer.status) && !answer.text.includes('only for alice'), user);
    }
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

  it('ready resolves once the router can respond; close() ends the router’s calls', async () => {
    const app = await mount(service);
    await app.router.ready;
    await ask(app.url + pulsePath('src_001'));
    assert.equal(app.router.close(), app.router.close());
    await app[Symbol.asyncDispose]();
    const calls = service.calls.length;
    await new Promise((resolve) => void setTimeout(resolve, 700));
    assert.equal(service.calls.length, calls);
  });

  it('calls authorize exactly once for each data request and never for other requests', async () => {
    let calls = 0;
    await using app = await mount(service, { authorize: () => ((calls += 1), '*') });
    for (const path of [pulsePath('src_001'), '/v1/pulses?ids=src_001,src_002', '/v1/sources', '/embed/src_001']) {
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
