import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Diagnosis } from '@pulse-card/doctor';
import express from 'express';
import { AUDIENCE, KEYS_FILE } from '../../../../token/src/testing/forged-tokens.ts';
import { packageVersion } from '../../lib/package-version.ts';
import { openBff } from '../../bff.ts';
import { readConfig } from '../../config/config.ts';
import { FEATURE_VARIABLES } from '../../features.ts';
import { checkInputSchema } from './check-page.ts';
import { createStudioRouter } from './studio.ts';
import { createPulseBff, createPulseStudio } from '../../index.ts';
import { startFakeService } from '../../testing/fake-service.ts';
import { rawGet, sendRaw } from '../../testing/raw-request.ts';
import { serve, type Served } from '../../testing/serve.ts';
import { widget } from '../../testing/served-app.ts';
import { DIRECT } from '../../http/public-fields.ts';
import { adminListener } from '../private-port/admin-listener.ts';
import type { PrivatePortSettings } from '../private-port/private-port.ts';
import { statusOf } from '../../testing/served-bff.ts';
import { serveRouter } from '../../testing/served-router.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const KEY = 'CANARYk3y_Zm9vYmFyQmF6UXV4';

/** The headers that Studio pages send with each request for data. */
const OWN = { 'X-Pulse-Studio': '1' };

const API = '/studio/api';

/** A file that is worth compressing. */
const BIG = 'export {};'.repeat(100);

const parts = {
  config: readConfig(
    {
      PULSE_API_KEY: KEY,
      PULSE_BASE_URL: 'https://pulses.test',
      PULSE_PUBLIC_URL: 'https://cards.example.com',
      PULSE_ALLOWED_ORIGINS: 'https://www.example.com',
    },
    {},
  ),
  charts: DIRECT,
  bff: ((request, response) => response.end(`bff ${request.url}`)) as express.RequestHandler,
  statusJson: () => '{}',
};

describe('createStudioRouter()', () => {
  const folder = temporaryFolder();
  const checks: unknown[] = [];
  const faults: unknown[] = [];
  let served: Served;
  before(async () => {
    mkdirSync(`${folder.path}/studio/assets`, { recursive: true });
    folder.file('index.html', '<title>Status</title>');
    folder.file('studio/index.html', '<title>Studio</title>');
    folder.file('studio/assets/app-1a2b.js', 'export {};');
    folder.file('studio/assets/big-3c4d.js', BIG);
    folder.file('studio/assets/big-3c4d.js.br', brotliCompressSync(BIG));
    folder.file('studio/assets/big-3c4d.js.gz', gzipSync(BIG));
    folder.file('studio/index.html.br', brotliCompressSync('<title>Studio</title>'));
    const studio = createStudioRouter({
      ...parts,
      widget,
      folder: folder.path,
      onFault: (fault) => faults.push(fault),
      checkPage: async (check) => {
        checks.push(checkInputSchema.parse(check));
        if (check.token === 'broken') throw new Error('secret words of the error');
        return { findings: [] };
      },
    });
    served = await serve(express().use('/pulse', studio));
  });
  after(async () => {
    await served[Symbol.asyncDispose]();
    folder.remove();
  });

  const get = (path: string, init?: RequestInit) => fetch(`${served.url}/pulse${path}`, { headers: OWN, ...init });
  const compressed = async (path: string, accepted: string) => {
    const response = await get(path, { headers: { ...OWN, 'Accept-Encoding': accepted } });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const post = (body: unknown, type = 'application/json') =>
    get(`${API}/check`, {
      method: 'POST',
      headers: { ...OWN, 'Content-Type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('serves the status page, the Studio, and their files below any mount path', async () => {
    assert.equal(await (await get('/')).text(), '<title>Status</title>');
    assert.equal(await (await get('/studio/')).text(), '<title>Studio</title>');
    const script = await get('/studio/assets/app-1a2b.js');
    assert.equal(script.headers.get('Content-Type'), 'text/javascript; charset=utf-8');
  });

  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ] as const)
    it(`sends the compressed file from the build to a client that accepts ${accepted}`, async () => {
      const { headers, ...answer } = await compressed('/studio/assets/big-3c4d.js', accepted);
      assert.deepEqual(answer, { status: 200, text: BIG });
      assert.equal(headers.get('Content-Encoding'), encoding);
      assert.equal(headers.get('Vary'), 'Accept-Encoding');
      assert.equal(headers.get('Content-Type'), 'text/javascript; charset=utf-8');
      assert.equal(headers.get('Cache-Control'), 'private, max-age=31536000, immutable');
    });

  it('sends a page with the build’s compression, and leaves files without it unchanged', async () => {
    const page = await compressed('/studio/', 'br');
    assert.deepEqual([page.headers.get('Content-Encoding'), page.text], ['br', '<title>Studio</title>']);
    assert.equal(page.headers.get('Content-Type'), 'text/html; charset=utf-8');
    const script = await compressed('/studio/assets/app-1a2b.js', 'br');
    assert.deepEqual([script.headers.get('Content-Encoding'), script.text], [null, 'export {};']);
  });

  for (const [path, cacheControl] of [
    ['/studio/assets/app-1a2b.js', 'private, max-age=31536000, immutable'],
    ['/studio/', 'private, no-cache'],
    [`${API}/config`, 'no-store'],
  ] as const)
    it(`sends ${path} with Cache-Control: ${cacheControl}`, async () =>
      assert.equal((await get(path)).headers.get('Cache-Control'), cacheControl));

  it('returns the settings of the BFF', async () => {
    assert.deepEqual(await (await get(`${API}/config`)).json(), {
      version: packageVersion(),
      publicUrl: 'https://cards.example.com',
      allowedOrigins: ['https://www.example.com'],
      ownOrigins: ['https://cards.example.com'],
      access: 'public',
      images: { mode: 'direct', hosts: [] },
      sources: { listed: true, ids: [] },
      exposed: [],
      script: {
        url: 'https://cards.example.com/pulse-card.js',
        publishedUrl: 'https://cdn.jsdelivr.net/npm/@pulse-card/widget@0.1.0/dist/pulse-card.js',
        integrity: 'sha384-UDeFWWcs9Wm2ukEUz4p6umSGf+wHeM2bcXyHuHkAhtNic8Ak1BL7OWpKd6C5NQrW',
      },
    });
  });

  for (const path of ['/', '/studio/', `${API}/config`])
    it(`allows all charts, but no scripts from other sites and no framing by them: ${path}`, async () => {
      const { headers } = await get(path);
      const policy = headers.get('Content-Security-Policy') ?? '';
      assert.match(policy, /^default-src 'self'; .*frame-ancestors 'self'/);
      assert.match(policy, /img-src 'self' https: https:\/\/cards\.example\.com https:\/\/pulses\.test;/);
      assert.doesNotMatch(policy, /unsafe|\*/);
      assert.equal(headers.get('X-Content-Type-Options'), 'nosniff');
      assert.equal(headers.get('Cross-Origin-Resource-Policy'), 'same-origin');
      assert.equal(headers.get('Access-Control-Allow-Origin'), null);
    });

  for (const path of ['/..%2f..%2fetc/passwd', '/studio/%2e%2e/%2e%2e/etc/passwd', '/.env'])
    it(`doesn’t serve files from outside the folder: ${path}`, async () =>
      assert.ok([403, 404].includes((await get(path)).status)));

  describe('when a page on another site makes requests (T-68)', () => {
    for (const [how, headers] of [
      ['for a page on another site', { ...OWN, 'Sec-Fetch-Site': 'cross-site' }],
      ['for a page on a sibling domain', { ...OWN, 'Sec-Fetch-Site': 'same-site' }],
      ['without Sec-Fetch-Site and without the header of the Studio', { Origin: 'https://evil.test' }],
      ['with an empty header', { 'X-Pulse-Studio': '' }],
    ] as const)
      it(`denies all data to a request ${how}`, async () => {
        const runs = checks.length;
        for (const name of ['config', 'status', 'bff/v1/sources', 'bff/embed/src_1', 'none'])
          assert.equal((await get(`${API}/${name}`, { headers })).status, 403, name);
        assert.equal((await get(`${API}/check`, { headers, method: 'POST' })).status, 403);
        assert.equal(checks.length, runs);
      });

    it('rejects the preflight request for the header', async () => {
      const headers = {
        Origin: 'https://evil.test',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-pulse-studio',
      };
      const response = await get(`${API}/check`, { method: 'OPTIONS', headers });
      assert.equal(response.status, 403);
      assert.equal(response.headers.get('Access-Control-Allow-Headers'), null);
    });

    it('still opens when a reader follows a link', async () =>
      assert.equal((await get('/studio/', { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status, 200));
  });

  describe('POST /studio/api/check', () => {
    for (const [body, checked] of [
      [{ url: 'https://a.test/page' }, { url: 'https://a.test/page' }],
      [{ origin: 'https://a.test' }, { url: 'https://a.test' }],
      [{ token: 'abc' }, { url: 'https://cards.example.com', token: 'abc' }],
    ])
      it(`checks ${JSON.stringify(body)}`, async () => {
        assert.deepEqual(await (await post(body)).json(), { findings: [] });
        assert.deepEqual(checks.at(-1), checked);
      });

    for (const [what, body, error] of [
      ['nothing to check', {}, /^must contain a url, an origin, or a token$/],
      ['an unknown field', { url: 'https://a.test', key: 'x' }, /^Unrecognized key: "key"$/],
      ['an invalid url', { url: 1 }, /^url: .+$/],
      ['an invalid host', { url: 'https://*.example.com' }, /^url: must be an address .+$/],
      ['a long address', { url: `https://a.test/${'x'.repeat(3_000)}` }, /^url: must have at most 2048 characters$/],
    ] as const)
      it(`rejects ${what} with 400 and one line`, async () => {
        const response = await post(body);
        assert.equal(response.status, 400);
        assert.match(((await response.json()) as { error: string }).error, error);
      });

    it('rejects a body that isn’t JSON, such as a form from another site', async () =>
      assert.equal((await post('url=https://a.test', 'text/plain')).status, 400));

    it('rejects a body of more than 32 KB', async () =>
      assert.equal((await post({ token: 'x'.repeat(40_000) })).status, 413));

    it('responds with 500 to an internal error, whose details are only in the log', async () => {
      const response = await post({ token: 'broken' });
      assert.equal(response.status, 500);
      assert.doesNotMatch(await response.text(), /secret|studio/);
      assert.match(String(faults.at(-1)), /secret words/);
    });
  });

  describe('GET /studio/frames', () => {
    it('doesn’t require the header for the frame page and its files', async () => {
      for (const path of ['/embed/src_1?theme=dark', '/pulse-card-0123456789abcdef.js', '/pulse-card.css'])
        assert.equal(await (await get(`/studio/frames${path}`, { headers: {} })).text(), `bff ${path}`);
    });

    for (const path of ['/v1/sources', '/v1/sources/src_1/image', '/oembed?url=x', '/healthz'])
      it(`doesn’t serve other BFF routes: ${path}`, async () =>
        assert.equal((await get(`/studio/frames${path}`)).status, 404));

    it('can’t be framed by another site (T-68)', async () => {
      const headers = { 'Sec-Fetch-Site': 'cross-site' };
      assert.equal((await get('/studio/frames/embed/src_1', { headers })).status, 403);
    });
  });

  it('says what to do if the pages aren’t built', async () => {
    const unbuilt = { widget: undefined, folder: '/none', onFault: () => {}, checkPage: async () => ({}) };
    await using bare = await serve(express().use(createStudioRouter({ ...parts, ...unbuilt })));
    const response = await fetch(bare.url);
    assert.equal(response.status, 404);
    assert.match(await response.text(), /npm run build/);
    const settings = await (await fetch(bare.url + API + '/config', { headers: OWN })).json();
    assert.equal((settings as { script: unknown }).script, null);
  });
});

/** A BFF in front of a service, and its private port. */
async function openPort(variables: Record<string, string> = {}) {
  const service = await startFakeService();
  const common = { PULSE_API_KEY: KEY, LOG_LEVEL: 'silent', PULSE_RATE_WINDOW_MS: '1000' };
  const config = readConfig({ ...common, PULSE_BASE_URL: service.url, ...variables }, FEATURE_VARIABLES);
  const bff = await openBff(config);
  const served = await serve(
    adminListener({
      settings: config.featureSettings as PrivatePortSettings,
      documents: bff.documents,
      pages: bff.operatorPages,
    }),
  );
  const ask = (path: string, headers: Record<string, string> = OWN) => fetch(served.url + path, { headers });
  return {
    service,
    bff,
    port: served.port,
    ask,
    read: async (path: string) => (await ask(path)).json() as Promise<object>,
    check: async (body: object) => {
      const headers = { ...OWN, 'Content-Type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetch(`${served.url}${API}/check`, init)).json()) as Diagnosis;
    },
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await bff.close();
      await service[Symbol.asyncDispose]();
    },
  };
}

describe('The private port', () => {
  it('serves the status, the Studio’s data, and every source without an origin or token', async () => {
    await using port = await openPort();
    const sourcesOf = async (provider: string) =>
      ((await port.read(`${API}/bff/v1/sources?provider=${provider}`)) as { sources: unknown[] }).sources.length;
    assert.deepEqual([await sourcesOf('GOOGLE'), await sourcesOf('NONE')], [2, 0]);
    assert.equal((await port.ask(`${API}/bff/v1/sources/src_1/pulse`)).status, 200);
    assert.deepEqual(Object.keys(await port.read(`${API}/status`)), Object.keys(await port.read('/status')));
  });

  it('doesn’t let shared caches store a pulse, even if readers get public responses', async () => {
    await using port = await openPort({ PULSE_CACHE: 'public' });
    const { headers } = await port.ask(`${API}/bff/v1/sources/src_1/pulse`);
    assert.match(headers.get('Cache-Control') ?? '', /^(private|no-store)\b/);
  });

  it('doesn’t count the Studio’s requests as views', async () => {
    await using port = await openPort();
    const paths = ['api/bff/v1/sources/src_1/pulse', 'api/bff/v1/pulses?ids=src_1,src_bare', 'frames/embed/src_1'];
    for (const path of [...paths, ...paths]) assert.equal((await port.ask(`/studio/${path}`)).status, 200);
    for (const { viewsPerMinute, nextRefreshInMs } of statusOf(port.bff).sources)
      assert.deepEqual([viewsPerMinute, nextRefreshInMs], [0, null]);
  });

  it('explains why a page’s cards don’t work, without a call to the service', async () => {
    await using page = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<pulse-card source-id="src_9"></pulse-card>');
    });
    await using port = await openPort({ PULSE_FRESH_MS: '86400000', PULSE_ALLOWED_ORIGINS: page.url });
    await port.ask(`${API}/bff/v1/sources`);
    const calls = port.service.arrivals.length;
    const { findings } = await port.check({ url: `${page.url}/report`, token: 'no-token' });
    assert.equal(findings.map(({ code }) => code).join(), 'source_unknown,script_missing');
    assert.equal(port.service.arrivals.length, calls);
  });

  it('doesn’t report a source as unknown while the list hasn’t loaded', async () => {
    await using page = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<pulse-card source-id="src_1"></pulse-card>');
    });
    await using port = await openPort({ PULSE_BASE_URL: 'http://127.0.0.1:2', PULSE_ALLOWED_ORIGINS: page.url });
    const { findings } = await port.check({ url: page.url });
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['script_missing'],
    );
  });

  it('doesn’t fetch pages on a private network for the Check page', async () => {
    await using page = await serve((_request, response) => void response.end('inside'));
    await using port = await openPort();
    for (const url of [`${page.url}/admin`, 'http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1/admin']) {
      const { page: read, findings } = await port.check({ url });
      assert.equal(read.wasRead, false, url);
      assert.ok(findings.map(({ code }) => code).includes('page_unreachable'), url);
    }
  });

  it('denies its data to pages on other sites, but not to programs (T-68)', async () => {
    await using port = await openPort();
    for (const path of ['/status', '/metrics']) {
      const statusFor = async (site: string) => (await port.ask(path, { 'Sec-Fetch-Site': site })).status;
      for (const site of ['cross-site', 'same-site', 'nonsense', '']) assert.equal(await statusFor(site), 403, site);
      for (const site of ['same-origin', 'none']) assert.equal(await statusFor(site), 200, site);
      assert.equal((await port.ask(path, {})).status, 200);
    }
  });

  describe('when it is requested by name (T-68)', () => {
    const statusFor = async ({ port }: { readonly port: number }, host: string, path = '/status') => {
      const headers = ['X-Pulse-Studio: 1', 'Connection: close'];
      return (await sendRaw(port, rawGet(path, headers).replace('pulse.test', host)))[0]?.status;
    };

    it('accepts only loopback names', async () => {
      await using port = await openPort();
      for (const path of ['/', '/status', '/studio/', `${API}/config`, `${API}/check`])
        assert.equal(await statusFor(port, 'rebound.evil.test', path), 403, path);
      for (const host of ['bff', '10.0.0.7']) assert.equal(await statusFor(port, host), 403, host);
    });

    it('accepts names that can’t be registered publicly if it listens in a private network', async () => {
      await using port = await openPort({ PULSE_ADMIN_HOST: '0.0.0.0' });
      for (const host of ['localhost', '10.0.0.7', '[fd00::7]', 'bff', 'bff.svc.cluster.local', 'bff.internal'])
        assert.equal(await statusFor(port, `${host}:4021`), 200, host);
      for (const host of ['evil.com', 'localhost.evil.com', 'internal.evil.com'])
        assert.equal(await statusFor(port, `${host}:4021`), 403, host);
    });

    const HOSTS = 'status.example.com, 10.0.0.7, fd00::7';
    for (const [host, onLoopback, onNetwork] of [
      ['localhost', 200, 200],
      ['127.0.0.1', 200, 200],
      ['[::1]', 200, 200],
      ['status.example.com', 200, 200],
      ['STATUS.example.com', 200, 200],
      ['10.0.0.7', 200, 200],
      ['[fd00::7]', 200, 200],
      ['10.0.0.8', 403, 200],
      ['bff', 403, 200],
      ['evil.com', 403, 403],
      ['a.status.example.com', 403, 403],
      ['status.example.com.evil.com', 403, 403],
      ['evil.com@status.example.com.evil.com', 403, 403],
    ] as const)
      it(`responds to ${host} with ${onLoopback} on loopback and ${onNetwork} on a network if PULSE_ADMIN_HOSTS is set`, async () => {
        await using loopback = await openPort({ PULSE_ADMIN_HOSTS: HOSTS });
        await using network = await openPort({ PULSE_ADMIN_HOSTS: HOSTS, PULSE_ADMIN_HOST: '0.0.0.0' });
        for (const path of ['/status', `${API}/config`]) {
          assert.equal(await statusFor(loopback, `${host}:4021`, path), onLoopback, path);
          assert.equal(await statusFor(network, `${host}:4021`, path), onNetwork, path);
        }
      });
  });
});

describe('createPulseStudio()', () => {
  it('shows every source behind the application’s login, even if the BFF requires tokens', async () => {
    await using service = await startFakeService();
    using folder = temporaryFolder();
    const bff = createPulseBff({
      PULSE_API_KEY: KEY,
      PULSE_BASE_URL: service.url,
      LOG_LEVEL: 'silent',
      PULSE_ACCESS: 'token',
      PULSE_TOKEN_KEYS_FILE: folder.file('keys.json', KEYS_FILE),
      PULSE_PUBLIC_URL: AUDIENCE,
    });
    const app = express().use('/admin', (request, response, next) => {
      if (request.headers.cookie === 'session=1') next();
      else response.sendStatus(401);
    });
    await using host = await serve(app.use('/admin/pulse', createPulseStudio(bff)).use('/pulse', bff));
    const statusOf = async (path: string, cookie = 'session=1') =>
      (await fetch(host.url + path, { headers: { ...OWN, Cookie: cookie } })).status;
    assert.equal(await statusOf('/admin/pulse/studio/api/status', ''), 401);
    assert.equal(await statusOf('/admin/pulse/studio/api/status'), 200);
    assert.equal(await statusOf('/admin/pulse/studio/api/bff/v1/sources'), 200);
    assert.equal(await statusOf('/pulse/v1/sources'), 401);
    await bff.close();
  });

  it('accepts only routers of createPulseBff()', () =>
    assert.throws(() => createPulseStudio(express() as never), /createPulseBff/));
});

describe('The public port', () => {
  it('doesn’t serve any part of the Studio', async () => {
    await using service = await startFakeService();
    await using host = await serveRouter({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url });
    for (const path of ['/', '/index.html', '/studio', '/studio/', `${API}/config`, '/status', '/metrics']) {
      const response = await fetch(host.url + path);
      assert.equal(response.status, 404, path);
      assert.equal(((await response.json()) as { code: string }).code, 'not_found');
    }
  });
});
