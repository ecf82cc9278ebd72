import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeService, startFakeService } from './testing/fake-service.ts';
import { rawGet, sendRaw } from './testing/raw-request.ts';
import { serveRouter } from './testing/served-router.ts';

const PULSE = '/v1/sources/src_1/pulse';
const ROUTES = [PULSE, '/v1/pulses?ids=src_1', '/v1/sources', '/v1/openapi.yaml', '/healthz'];

let service: FakeService;
let bff: Awaited<ReturnType<typeof serveRouter>>;
let port: number;
before(async () => {
  service = await startFakeService();
  bff = await serveRouter({
    PULSE_API_KEY: 'a-key-that-is-one',
    PULSE_BASE_URL: service.url,
    PULSE_PUBLIC_URL: 'https://pulse.test',
    PULSE_FRESH_MS: '86400000',
  });
  port = Number(new URL(bff.url).port);
  for (const path of ROUTES) await (await fetch(bff.url + path)).arrayBuffer();
});
after(async () => {
  await bff[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const PLAIN = { 'Accept-Encoding': 'identity' };
const textOf = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(bff.url + path, { headers: { ...PLAIN, ...headers } })).text();

/** Runs `act`, and returns how many calls it made. */
async function callsOf(act: () => Promise<unknown>): Promise<number> {
  const before = service.arrivals.length;
  await act();
  return service.arrivals.length - before;
}

describe('A visitor’s request', () => {
  it('T-06: gets the BFF’s own OpenAPI description, but never the service’s', async () => {
    assert.match(await textOf('/v1/openapi.yaml'), /https:\/\/pulse\.test/);
    const calls = await callsOf(async () => {
      for (const path of ['/api/openapi.yaml', '/api/..%2fopenapi.yaml', '/api/v1/sources', '/openapi.json'])
        assert.equal((await fetch(bff.url + path)).status, 404);
    });
    assert.equal(calls, 0);
  });

  it('T-11: causes at most one list call for five hundred unknown ids', async () => {
    const ids = Array.from({ length: 500 }, (_, at) => `x_${at.toString(36)}`);
    const calls = await callsOf(async () => {
      for (const id of ids) {
        const { status, headers } = await fetch(`${bff.url}/v1/sources/${id}/pulse`, { method: 'HEAD' });
        assert.deepEqual([status, headers.get('Cache-Control')], [404, 'no-store']);
      }
      for (let at = 0; at < ids.length; at += 50) await textOf(`/v1/pulses?ids=${ids.slice(at, at + 50).join(',')}`);
    });
    assert.ok(calls <= 1);
    assert.ok(service.arrivals.every(({ url }) => !url.includes('x_')));
  });

  it('T-12, T-14: causes no call for a cached answer, even with no-cache or a new query', async () => {
    const tag = (await fetch(bff.url + PULSE, { headers: PLAIN })).headers.get('ETag');
    const ways: [query: string, headers: Record<string, string>][] = [
      ['?_=', {}],
      ['?a[]=', {}],
      ['', { 'Cache-Control': 'no-cache, no-store, max-age=0', Pragma: 'no-cache' }],
      ['', { 'If-None-Match': '"other"', Accept: 'text/html', 'Accept-Language': 'xx' }],
      ['', { Cookie: 'a=b', 'User-Agent': 'x', Range: 'bytes=0-0,2-3,5-' }],
      ['', { 'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT', 'X-API-Key': 'evil', Authorization: 'Bearer evil' }],
    ];
    const calls = await callsOf(async () => {
      for (let at = 0; at < 200; at += 1) {
        const [query, headers] = ways[at % ways.length] ?? ['', {}];
        const path = PULSE + (query === '' ? '' : query + String(at));
        const response = await fetch(bff.url + path, { headers: { ...PLAIN, ...headers } });
        await response.arrayBuffer();
        assert.equal(response.headers.get('ETag'), tag);
      }
    });
    assert.equal(calls, 0);
  });

  it('T-19: doesn’t affect the response to the next visitor', async () => {
    const clean = await Promise.all(ROUTES.map((path) => textOf(path)));
    const names = `X-Forwarded-Host X-Forwarded-Proto X-Forwarded-Port X-Forwarded-Prefix Forwarded X-Original-URL
      X-Rewrite-URL X-Host X-HTTP-Method-Override X-Request-Id Referer`.split(/\s+/);
    for (const path of ROUTES) {
      for (const name of names) {
        const [poisoned] = await sendRaw(port, rawGet(path, [`${name}: evil.test`, 'Connection: close']));
        assert.doesNotMatch(`${poisoned?.head}${poisoned?.body}`, /evil/);
      }
      for (const target of [path, `http://evil.test${path}`])
        await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n`);
    }
    for (const [at, path] of ROUTES.entries()) assert.equal(await textOf(path), clean[at]);
  });

  it('T-20, T-21: gets a JSON error for a path of 7,500 characters, without a call', async () => {
    const calls = await callsOf(async () => {
      for (const piece of ['a/', '-', '%41', '/v1/sources/', 'src_1/pulse', '%2f', '.'])
        for (const begin of ['/', '/v1/sources/', '/pulse-card-', '/pulse-card-lang/']) {
          const path = (begin + piece.repeat(8_000)).slice(0, 7_500);
          const [answer] = await sendRaw(port, rawGet(path, ['Connection: close']));
          assert.ok([400, 404].includes(answer?.status ?? 0), path.slice(0, 40));
          assert.equal(typeof JSON.parse(answer?.body ?? ''), 'object');
        }
    });
    assert.equal(calls, 0);
  });

  it('T-22, T-43: can’t change the prototype of objects with parameters or ids', async () => {
    const own = Object.getOwnPropertyNames(Object.prototype).join();
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    const calls = await callsOf(async () => {
      for (const query of ['?__proto__[polluted]=1&constructor[prototype][polluted]=1', `?ids=${names.join()},src_1`])
        for (const path of [PULSE, '/v1/sources', '/v1/pulses']) await textOf(path + query);
      for (const id of names) assert.equal((await fetch(`${bff.url}/v1/sources/${id}/pulse`)).status, 404);
    });
    assert.equal(calls, 0);
    assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), own);
  });

  it('T-48: doesn’t get a cookie, and doesn’t reveal the reader to other hosts', async () => {
    for (const path of [...ROUTES, '/nothing', '/pulse-card.js', '/v1/sources/none/pulse']) {
      const { headers } = await fetch(bff.url + path);
      for (const name of ['Set-Cookie', 'Clear-Site-Data', 'Report-To', 'NEL', 'Server', 'X-Powered-By', 'Via'])
        assert.equal(headers.get(name), null, `${name} of ${path}`);
    }
  });
});
