import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { runToEnd } from './testing/bff-process.ts';
import { type FakeService, startFakeService } from './testing/fake-service.ts';
import { rawGet, sendRaw } from './testing/raw-request.ts';
import { serveRouter } from './testing/served-router.ts';

const PULSE = '/v1/sources/src_1/pulse';
const ROUTES = [PULSE, '/v1/pulses?ids=src_1', '/v1/sources', '/v1/openapi.yaml', '/healthz'];
const UNUSED = 'http://evil.test';

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

/** Runs `act`, and says how many calls it cost. */
async function callsOf(act: () => Promise<unknown>): Promise<number> {
  const before = service.arrivals.length;
  await act();
  return service.arrivals.length - before;
}

describe('Whatever a visitor asks for', () => {
  it('T-06: the description is the BFF’s own, and the service’s is on no path', async () => {
    const paths = [
      '/v1/openapi.yaml',
      '/api/openapi.yaml',
      '/api/..%2fopenapi.yaml',
      '/api/v1/sources',
      '/openapi.json',
    ];
    const calls = await callsOf(async () => {
      assert.match(await textOf(paths[0] ?? ''), /https:\/\/pulse\.test/);
      for (const path of paths.slice(1)) assert.equal((await fetch(bff.url + path)).status, 404);
    });
    assert.equal(calls, 0);
  });

  it('T-11: five hundred ids that nobody knows cost one look at the list at most', async () => {
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

  it('T-12, T-14: known answers cost no call, two hundred times over, by any way round the cache', async () => {
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

  it('T-19: nothing that one visitor sends is in the answer of the next', async () => {
    const clean = await Promise.all(ROUTES.map((path) => textOf(path)));
    const names = ['X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-Port', 'X-Forwarded-Prefix', 'Forwarded'];
    const more = ['X-Original-URL', 'X-Rewrite-URL', 'X-Host', 'X-HTTP-Method-Override', 'X-Request-Id', 'Referer'];
    for (const path of ROUTES) {
      for (const name of [...names, ...more]) {
        const [poisoned] = await sendRaw(port, rawGet(path, [`${name}: evil.test`, 'Connection: close']));
        assert.doesNotMatch(`${poisoned?.head}${poisoned?.body}`, /evil/);
      }
      await sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n`);
      await sendRaw(port, `GET ${UNUSED}${path} HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n`);
    }
    for (const [at, path] of ROUTES.entries()) assert.equal(await textOf(path), clean[at]);
  });

  it('T-20, T-21: eight thousand letters of nearly a path are not found, in JSON, and cost no call', async () => {
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

  it('T-22, T-43: parameters and names leave no trace in objects', async () => {
    const own = Object.getOwnPropertyNames(Object.prototype).join();
    const calls = await callsOf(async () => {
      for (const query of [
        '?__proto__[polluted]=1&constructor[prototype][polluted]=1',
        `?${Array.from({ length: 1_000 }, (_, at) => `p${at}=1`).join('&')}`.slice(0, 7_000),
        '?ids=__proto__,constructor,toString,hasOwnProperty,src_1',
      ])
        for (const path of [PULSE, '/v1/sources', '/v1/pulses']) await textOf(path + query);
      for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])
        assert.equal((await fetch(`${bff.url}/v1/sources/${id}/pulse`)).status, 404);
    });
    assert.equal(calls, 0);
    assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), own);
  });

  it('T-48: no answer sets a cookie, and none tells another host of the reader', async () => {
    for (const path of [...ROUTES, '/nothing', '/pulse-card.js', '/v1/sources/none/pulse']) {
      const { headers } = await fetch(bff.url + path);
      for (const name of ['Set-Cookie', 'Clear-Site-Data', 'Report-To', 'NEL', 'Server', 'X-Powered-By', 'Via'])
        assert.equal(headers.get(name), null, `${name} of ${path}`);
    }
  });

  it('T-12, T-18: headers of any name and value change neither the answer nor what the service hears', async () => {
    const plain = await textOf(PULSE);
    const token = fc.stringMatching(/^x-[a-z0-9!#$%&'*+.^_|~-]{1,20}$/);
    const value = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,40}[\x21-\x7e])?$/);
    const calls = await callsOf(() =>
      fc.assert(
        fc.asyncProperty(fc.dictionary(token, value, { maxKeys: 8 }), async (headers) => {
          assert.equal(await textOf(PULSE, headers), plain);
        }),
        { numRuns: 60 },
      ),
    );
    assert.equal(calls, 0);
    const sent = service.arrivals.map(({ rawHeaders }) => rawHeaders.join('\n'));
    assert.equal(new Set(sent).size, 1);
  });
});

describe('The key', () => {
  it('T-09: is taken from no argument, and none is repeated', async () => {
    const canary = 'CANARYk3y_0123456789';
    for (const words of [[canary], ['--key', canary], [`--api-key=${canary}`], ['serve', canary], ['check', canary]]) {
      const { code, stdout, stderr } = await runToEnd({}, words);
      assert.equal(code, 2);
      assert.doesNotMatch(stdout + stderr, new RegExp(canary));
    }
  });
});
