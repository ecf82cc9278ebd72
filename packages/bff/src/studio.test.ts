import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import { openBff } from './bff.ts';
import { readConfig } from './config.ts';
import { createPulseBff, createPulseStudio } from './index.ts';
import type { Diagnosis } from '@pulse-card/doctor';
import { createStudioRouter, packageVersion } from './http/studio.ts';
import { startFakeService } from './testing/fake-service.ts';
import { AUDIENCE, KEYS_FILE } from '../../token/src/testing/forged-tokens.ts';
import { serve, type Served } from './testing/serve.ts';
import { widget } from './testing/served-app.ts';

const KEY = 'CANARYk3y_Zm9vYmFyQmF6UXV4';

/** What the pages of the Studio send with each request for data. */
const OWN = { 'X-Pulse-Studio': '1' };

const config = readConfig({
  PULSE_API_KEY: KEY,
  PULSE_BASE_URL: 'https://pulses.test',
  PULSE_PUBLIC_URL: 'https://cards.example.com',
  PULSE_ALLOWED_ORIGINS: 'https://www.example.com',
});

describe('createStudioRouter()', () => {
  const folder = mkdtempSync(join(tmpdir(), 'studio-'));
  const checks: unknown[] = [];
  const faults: unknown[] = [];
  let served: Served;
  before(async () => {
    mkdirSync(join(folder, 'studio/assets'), { recursive: true });
    writeFileSync(join(folder, 'index.html'), '<title>Status</title>');
    writeFileSync(join(folder, 'studio/index.html'), '<title>Studio</title>');
    writeFileSync(join(folder, 'studio/assets/app-1a2b.js'), 'export {};');
    const studio = createStudioRouter({
      config,
      widget,
      folder,
      bff: (request, response) => void response.end(`bff ${request.url}`),
      statusJson: () => '{"summary":{"level":"ok"}}',
      onFault: (fault) => faults.push(fault),
      checkPage: async (check) => {
        checks.push(check);
        if (check.token === 'broken') throw new Error('secret words of the fault');
        return { findings: [] };
      },
    });
    served = await serve(express().use('/pulse', studio));
  });
  after(async () => {
    await served[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const get = (path: string, init?: RequestInit) =>
    fetch(`${served.url}/pulse${path}`, { redirect: 'manual', headers: OWN, ...init });
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    get('/studio/api/check', {
      method: 'POST',
      headers: { ...OWN, 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('serves the status page, the Studio and their files below any mount', async () => {
    assert.equal(await (await get('/')).text(), '<title>Status</title>');
    assert.equal(await (await get('/studio/')).text(), '<title>Studio</title>');
    assert.equal(
      (await get('/studio/assets/app-1a2b.js')).headers.get('Content-Type'),
      'text/javascript; charset=utf-8',
    );
  });

  it('lets files with a hash be kept, and pages be asked for anew', async () => {
    assert.match((await get('/studio/assets/app-1a2b.js')).headers.get('Cache-Control') ?? '', /immutable/);
    assert.equal((await get('/studio/')).headers.get('Cache-Control'), 'private, no-cache');
    assert.equal((await get('/studio/api/config')).headers.get('Cache-Control'), 'no-store');
  });

  it('tells how the BFF is set up', async () => {
    assert.deepEqual(await (await get('/studio/api/config')).json(), {
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

  it('passes reads of the BFF on, and tells its status', async () => {
    assert.equal(
      await (await get('/studio/api/bff/v1/sources?provider=GOOGLE')).text(),
      'bff /v1/sources?provider=GOOGLE',
    );
    assert.deepEqual(await (await get('/studio/api/status')).json(), { summary: { level: 'ok' } });
  });

  it('runs no foreign script and is framed by no other site', async () => {
    for (const path of ['/', '/studio/', '/studio/api/config']) {
      const { headers } = await get(path);
      const policy = headers.get('Content-Security-Policy') ?? '';
      assert.match(policy, /^default-src 'self'; .*frame-ancestors 'self'/);
      assert.doesNotMatch(policy, /unsafe|\*/);
      assert.equal(headers.get('X-Content-Type-Options'), 'nosniff');
      assert.equal(headers.get('Cross-Origin-Resource-Policy'), 'same-origin');
      assert.equal(headers.get('Access-Control-Allow-Origin'), null);
    }
  });

  it('shows charts of the service and of the BFF', async () => {
    const policy = (await get('/')).headers.get('Content-Security-Policy') ?? '';
    assert.match(policy, /img-src 'self' https: https:\/\/cards\.example\.com https:\/\/pulses\.test;/);
  });

  for (const [method, path, allowed] of [
    ['POST', '/', 'GET, HEAD'],
    ['DELETE', '/studio/', 'GET, HEAD'],
    ['POST', '/studio/api/config', 'GET, HEAD'],
    ['PUT', '/studio/api/status', 'GET, HEAD'],
    ['GET', '/studio/api/check', 'POST'],
  ] as const) {
    it(`answers 405 to ${method} ${path}`, async () => {
      const response = await get(path, { method });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('Allow'), allowed);
    });
  }

  it('answers 404 in the shape of the API below /studio/api', async () => {
    const response = await get('/studio/api/none');
    assert.equal(response.status, 404);
    assert.equal(((await response.json()) as { code: string }).code, 'not_found');
  });

  it('serves no file outside its folder', async () => {
    for (const path of ['/..%2f..%2fetc/passwd', '/studio/%2e%2e/%2e%2e/etc/passwd', '/.env'])
      assert.ok([403, 404].includes((await get(path)).status), path);
  });

  describe('when a page of another site asks (T-68)', () => {
    for (const site of ['cross-site', 'same-site']) {
      for (const path of [
        '/studio/api/config',
        '/studio/api/status',
        '/studio/api/bff/v1/sources',
        '/studio/api/check',
      ]) {
        it(`refuses ${path} (${site})`, async () =>
          assert.equal(await statusWith(`${served.url}/pulse${path}`, { ...OWN, 'Sec-Fetch-Site': site }), 403));
      }
    }

    for (const path of [
      '/studio/api/config',
      '/studio/api/status',
      '/studio/api/bff/v1/sources',
      '/studio/api/bff/embed/src_1',
      '/studio/api/none',
      '/studio/api/check',
    ]) {
      it(`refuses ${path} where the browser sends no Sec-Fetch-Site: a page of another site cannot set the header (T-68)`, async () => {
        const runs = checks.length;
        for (const headers of [{}, { Origin: 'https://evil.test' }, { 'X-Pulse-Studio': '' }])
          assert.equal(await statusWith(`${served.url}/pulse${path}`, headers), 403);
        assert.equal(checks.length, runs);
      });
    }

    it('lets no page of another site ask whether it may set the header (T-68)', async () => {
      const response = await get('/studio/api/check', {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://evil.test',
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'x-pulse-studio',
        },
      });
      assert.equal(response.status, 403);
      assert.equal(response.headers.get('Access-Control-Allow-Headers'), null);
    });

    it('still opens when it follows a link', async () =>
      assert.equal(await statusWith(`${served.url}/pulse/studio/`, { 'Sec-Fetch-Site': 'cross-site' }), 200));
  });

  describe('POST /studio/api/check', () => {
    it('checks a page, an origin or a token', async () => {
      checks.length = 0;
      for (const body of [{ url: 'https://a.test/page' }, { origin: 'https://a.test' }, { token: 'abc' }])
        assert.deepEqual(await (await post(body)).json(), { findings: [] });
      assert.deepEqual(checks, [
        { url: 'https://a.test/page' },
        { url: 'https://a.test' },
        { url: 'https://cards.example.com', token: 'abc' },
      ]);
    });

    for (const [words, body, error] of [
      ['nothing to check', {}, /^must name a url, an origin or a token$/],
      ['a field that is none', { url: 'https://a.test', key: 'x' }, /^Unrecognized key: "key"$/],
      ['a url that is none', { url: 1 }, /^url: .+$/],
      ['broken JSON', '{"url":', /^.+$/],
      ['an array', [], /^.+$/],
    ] as const) {
      it(`refuses ${words} with 400 and one line`, async () => {
        const response = await post(body);
        assert.equal(response.status, 400);
        const answer = (await response.json()) as { success: boolean; error: string };
        assert.equal(answer.success, false);
        assert.match(answer.error, error);
      });
    }

    it('answers 500 and tells nothing of a fault inside, which the log hears', async () => {
      const response = await post({ token: 'broken' });
      assert.equal(response.status, 500);
      assert.doesNotMatch(await response.text(), /secret|studio/);
      assert.match(String(faults.at(-1)), /secret words/);
    });

    it('refuses a body of another type, as forms of other sites send it', async () =>
      assert.equal((await post('url=https://a.test', { 'Content-Type': 'text/plain' })).status, 400));

    it('refuses a body beyond 32 KB', async () =>
      assert.equal((await post({ token: 'x'.repeat(40_000) })).status, 413));
  });

  describe('GET /studio/frames', () => {
    it('shows the page for a frame and its files, which can send no header', async () => {
      for (const path of ['/embed/src_1?theme=dark', '/pulse-card-0123456789abcdef.js', '/pulse-card.css'])
        assert.equal(await (await get(`/studio/frames${path}`, { headers: {} })).text(), `bff ${path}`);
    });

    for (const path of ['/v1/sources', '/v1/pulses?ids=src_1', '/v1/sources/src_1/image', '/oembed?url=x', '/healthz'])
      it(`has nothing else of the BFF: ${path}`, async () =>
        assert.equal((await get(`/studio/frames${path}`)).status, 404));

    it('is in no frame of another site (T-68)', async () =>
      assert.equal(
        await statusWith(`${served.url}/pulse/studio/frames/embed/src_1`, { 'Sec-Fetch-Site': 'cross-site' }),
        403,
      ));
  });

  it('says what to do where the pages are not built', async () => {
    const studio = createStudioRouter({
      config,
      widget: undefined,
      folder: join(folder, 'none'),
      bff: () => {},
      statusJson: () => '{}',
      onFault: () => {},
      checkPage: async () => ({}),
    });
    await using bare = await serve(express().use(studio));
    const response = await fetch(bare.url);
    assert.equal(response.status, 404);
    assert.match(await response.text(), /npm run build/);
    assert.equal(
      ((await (await fetch(`${bare.url}/studio/api/config`, { headers: OWN })).json()) as { script: unknown }).script,
      null,
    );
  });
});

/** A BFF in front of a service, and its private port. */
async function openPort(variables: Record<string, string> = {}) {
  const service = await startFakeService();
  const common = { PULSE_API_KEY: KEY, LOG_LEVEL: 'silent', PULSE_RATE_WINDOW_MS: '1000' };
  const bff = await openBff(readConfig({ ...common, PULSE_BASE_URL: service.url, ...variables }));
  const { url, ...admin } = await serve(bff.admin);
  return {
    service,
    bff,
    url,
    get: (path: string) => fetch(url + path, { headers: OWN }),
    check: async (body: object) => {
      const headers = { ...OWN, 'Content-Type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetch(`${url}/studio/api/check`, init)).json()) as Diagnosis;
    },
    async [Symbol.asyncDispose]() {
      await admin[Symbol.asyncDispose]();
      await bff.close();
      await service[Symbol.asyncDispose]();
    },
  };
}

describe('The private port', () => {
  it('serves status, Studio data and every source, with no origin and no token', async () => {
    await using port = await openPort();
    const { sources } = (await (await port.get('/studio/api/bff/v1/sources')).json()) as { sources: { id: string }[] };
    assert.equal((await port.get(`/studio/api/bff/v1/sources/${sources[0]?.id}/pulse`)).status, 200);
    const fieldsAt = async (path: string) => Object.keys((await (await port.get(path)).json()) as object);
    assert.deepEqual(await fieldsAt('/studio/api/status'), await fieldsAt('/status'));
  });

  it('counts what the Studio shows as no view of a reader', async () => {
    await using port = await openPort();
    for (let at = 0; at < 2; at += 1)
      for (const path of [
        'api/bff/v1/sources/src_1/pulse',
        'api/bff/v1/pulses?ids=src_1,src_bare',
        'frames/embed/src_1',
      ])
        assert.equal((await port.get(`/studio/${path}`)).status, 200);
    assert.deepEqual(
      port.bff.status().sources.map(({ viewsPerMinute, nextRefreshInMs }) => [viewsPerMinute, nextRefreshInMs]),
      [
        [0, null],
        [0, null],
      ],
    );
  });

  it('says what keeps the cards of a page from working, without a call to the service', async () => {
    await using page = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<pulse-card source-id="src_9"></pulse-card>');
    });
    await using port = await openPort({ PULSE_FRESH_MS: '86400000', PULSE_ALLOWED_ORIGINS: page.url });
    await port.get('/studio/api/bff/v1/sources');
    const calls = port.service.arrivals.length;
    const { ok, originAllowed, findings } = await port.check({ url: `${page.url}/report`, token: 'no-token' });
    assert.deepEqual([ok, originAllowed], [false, true]);
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['source_unknown', 'script_missing'],
    );
    assert.equal(port.service.arrivals.length, calls);
  });

  it('fetches no page of a private network for the Check page', async () => {
    await using page = await serve((_request, response) => void response.end('inside'));
    await using port = await openPort();
    for (const url of [`${page.url}/admin`, 'http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1/admin']) {
      const { page: read, findings } = await port.check({ url });
      assert.equal(read.wasRead, false, url);
      assert.ok(
        findings.some(({ code }) => code === 'page_unreachable'),
        url,
      );
    }
  });

  it('shows figures to no page of another site, and to programs, which send no Fetch Metadata (T-68)', async () => {
    await using port = await openPort();
    for (const path of ['/status', '/metrics']) {
      const statusFor = (site: string) => statusWith(port.url + path, { 'Sec-Fetch-Site': site });
      for (const site of ['cross-site', 'same-site', 'nonsense', '']) assert.equal(await statusFor(site), 403, site);
      for (const site of ['same-origin', 'none']) assert.equal(await statusFor(site), 200, site);
      assert.equal(await statusWith(port.url + path, {}), 200);
    }
  });

  it('answers no request for a name that a page of the web could have (T-68)', async () => {
    await using port = await openPort();
    for (const path of ['/', '/status', '/studio/', '/studio/api/config', '/studio/api/check'])
      assert.equal(await statusWith(port.url + path, { ...OWN, Host: 'rebound.evil.test' }), 403, path);
  });
});

describe('createPulseStudio()', () => {
  it('shows every source behind the login of the application, while the BFF itself wants tokens', async () => {
    await using service = await startFakeService();
    const keysFolder = mkdtempSync(join(tmpdir(), 'studio-keys-'));
    writeFileSync(join(keysFolder, 'keys.json'), KEYS_FILE);
    const bff = createPulseBff({
      PULSE_API_KEY: KEY,
      PULSE_BASE_URL: service.url,
      LOG_LEVEL: 'silent',
      PULSE_ACCESS: 'token',
      PULSE_TOKEN_KEYS_FILE: join(keysFolder, 'keys.json'),
      PULSE_PUBLIC_URL: AUDIENCE,
    });
    const app = express();
    app.use('/admin/pulse', (request, response, next) => {
      if (request.headers.cookie === 'session=1') next();
      else response.status(401).send('log in');
    });
    app.use('/admin/pulse', createPulseStudio(bff));
    app.use('/pulse', bff);
    await using host = await serve(app);
    const get = (path: string, headers = { Cookie: 'session=1' }) =>
      fetch(host.url + path, { headers: { ...OWN, ...headers } });
    assert.equal((await get('/admin/pulse/studio/api/status', { Cookie: '' })).status, 401);
    assert.equal((await get('/admin/pulse/studio/api/status')).status, 200);
    assert.equal((await get('/admin/pulse/studio/api/bff/v1/sources')).status, 200);
    assert.equal((await get('/pulse/v1/sources')).status, 401);
    const checked = await fetch(`${host.url}/admin/pulse/studio/api/check`, {
      method: 'POST',
      headers: { ...OWN, Cookie: 'session=1', 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: `${AUDIENCE}.invalid` }),
    });
    assert.equal(((await checked.json()) as Diagnosis).page.wasRead, false);
    await bff.close();
    rmSync(keysFolder, { recursive: true });
  });

  it('takes nothing but what createPulseBff() made', () =>
    assert.throws(() => createPulseStudio(express() as never), /createPulseBff/));
});

describe('The public port', () => {
  it('serves nothing of the Studio', async () => {
    await using service = await startFakeService();
    const bff = createPulseBff({ PULSE_API_KEY: KEY, PULSE_BASE_URL: service.url, LOG_LEVEL: 'silent' });
    await using host = await serve(express().use(bff));
    for (const path of [
      '/',
      '/index.html',
      '/studio',
      '/studio/',
      '/studio/api/config',
      '/studio/api/status',
      '/status',
      '/metrics',
    ]) {
      const response = await fetch(host.url + path);
      assert.equal(response.status, 404, path);
      assert.equal(((await response.json()) as { code: string }).code, 'not_found');
    }
    await bff.close();
  });
});

/** The status of an answer to a request with headers that `fetch` would not send. */
function statusWith(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers, method: url.endsWith('/check') ? 'POST' : 'GET' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
