import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codedErrorBodySchema, ERROR_STATUS, errorBodySchema } from '@pulse-card/contract';
import { hostileIds } from '../testing/hostile-ids.ts';
import { rawGet, sendRaw } from '../testing/raw-request.ts';
import { type ServedApp, serveApp } from '../testing/served-app.ts';

const PULSE = '/v1/sources/src_1/pulse';
const DATA_PATHS = [PULSE, '/v1/pulses?ids=src_1', '/v1/sources', '/v1/sources/none/pulse', '/v1/nothing'];
const LISTED = 'https://page.test';

let app: ServedApp;
before(async () => {
  app = await serveApp({
    PULSE_CLIENT_RATE: '0',
    PULSE_ALLOWED_ORIGINS: LISTED,
    PULSE_PUBLIC_URL: 'https://pulse.test',
  });
});
after(() => app[Symbol.asyncDispose]());

/** What every page loads, and what platforms ask for. */
const UNCOUNTED = [
  '/pulse-card.js',
  '/pulse-card-0123456789abcdef.js',
  '/pulse-card-fedcba9876543210.css',
  '/pulse-card-lang/de-0.1.0.json',
  '/pulse-frame.js',
  '/pulse-frame-page.js',
  '/healthz',
  '/readyz',
];

const ask = (path: string, init?: RequestInit) => fetch(app.url + path, init);

describe('A request of a page (T-47)', () => {
  describe('whose origin is listed, or the own', () => {
    for (const origin of [LISTED, 'https://pulse.test']) {
      for (const path of DATA_PATHS) {
        it(`lets ${origin} read ${path}, errors too`, async () => {
          const { headers, status } = await ask(path, { headers: { Origin: origin } });
          assert.notEqual(status, 403);
          assert.equal(headers.get('Access-Control-Allow-Origin'), origin);
          const exposed = headers.get('Access-Control-Expose-Headers');
          assert.equal(exposed, 'ETag, Age, Retry-After, Cache-Status, X-Request-Id');
          assert.equal(headers.get('Vary'), 'Accept-Encoding, Origin');
          assert.equal(headers.get('Access-Control-Allow-Credentials'), null);
        });
      }
    }

    it('answers its preflight, to be remembered', async () => {
      const headers = { Origin: LISTED, 'Access-Control-Request-Method': 'GET' };
      const preflight = await ask(PULSE, { method: 'OPTIONS', headers });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get('Access-Control-Allow-Origin'), LISTED);
      assert.equal(preflight.headers.get('Access-Control-Allow-Methods'), 'GET, HEAD');
      assert.equal(preflight.headers.get('Access-Control-Max-Age'), '7200');
      assert.equal(preflight.headers.get('Allow'), 'GET, HEAD, OPTIONS');
    });
  });

  describe('whose origin is another', () => {
    const foreign = [
      'null',
      'http://page.test',
      'https://page.test:8443',
      'https://page.test.evil.test',
      'https://evil.test',
    ];
    for (const origin of foreign) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        it(`refuses ${origin} by ${method} with 403, which no cache mixes up`, async () => {
          for (const path of DATA_PATHS) {
            const { status, headers } = await ask(path, { method, headers: { Origin: origin } });
            assert.equal(status, 403);
            assert.equal(headers.get('Vary'), 'Accept-Encoding, Origin');
            assert.equal(headers.get('Cache-Control'), 'no-store');
          }
        });
      }

      it(`lets ${origin} read why it is refused`, async () => {
        const { headers } = await ask(PULSE, { headers: { Origin: origin } });
        assert.equal(headers.get('Access-Control-Allow-Origin'), origin);
        assert.match(headers.get('Access-Control-Expose-Headers') ?? '', /Retry-After.*X-Request-Id/);
        assert.equal(headers.get('Access-Control-Allow-Credentials'), null);
      });
    }

    it('lets a preflight pass, so that the page can read why the request is refused', async () => {
      const headers = { Origin: 'https://evil.test', 'Access-Control-Request-Method': 'GET' };
      const preflight = await ask(PULSE, { method: 'OPTIONS', headers });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get('Access-Control-Allow-Origin'), 'https://evil.test');
      assert.equal((await ask(PULSE, { headers })).status, 403);
    });

    it('is answered whatever other headers are named', async () => {
      for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) {
        const [answer] = await sendRaw(app.port, rawGet(PULSE, [`${name}: x`, 'Connection: close']));
        assert.equal(answer?.status, 200, name);
      }
    });

    it('names no origin that is not one', async () => {
      for (const origin of [
        'https://evil.test/path',
        'evil',
        '*',
        'https://a.test, https://b.test',
        'x'.repeat(4_000),
      ]) {
        const [answer] = await sendRaw(app.port, rawGet(PULSE, [`Origin: ${origin}`, 'Connection: close']));
        assert.equal(answer?.status, 403);
        assert.doesNotMatch(answer?.head ?? '', /Access-Control-Allow-Origin/i);
      }
    });

    it('may not read the pages of frames, which name the source in an error', async () => {
      for (const path of ['/embed/src_1', '/embed/src_bare', '/embed/none']) {
        const { headers } = await ask(path, { headers: { Origin: 'https://evil.test' } });
        assert.equal(headers.get('Access-Control-Allow-Origin'), null);
      }
    });

    it('may load the script, its languages and the description', async () => {
      for (const path of ['/pulse-card.js', '/pulse-card-lang/de-0.1.0.json', '/v1/openapi.yaml']) {
        const { status, headers } = await ask(path, { headers: { Origin: 'https://anyone.test' } });
        assert.equal(status, 200);
        assert.equal(headers.get('Access-Control-Allow-Origin'), '*');
      }
    });
  });

  describe('whose request fails for another reason', () => {
    const failing: readonly (readonly [status: number, path: string, init: RequestInit])[] = [
      [400, '/v1/pulses', {}],
      [404, '/v1/nothing', {}],
      [404, '/nothing', {}],
      [404, '/pulse-card-0.js', {}],
      [405, '/v1/sources', { method: 'POST' }],
      [405, '/healthz', { method: 'POST' }],
    ];
    for (const [status, path, init] of failing) {
      it(`may read ${status} of ${path}`, async () => {
        const { headers, status: said } = await ask(path, { ...init, headers: { Origin: LISTED } });
        assert.equal(said, status);
        assert.equal(headers.get('Access-Control-Allow-Origin'), LISTED);
        assert.match(headers.get('Vary') ?? '', /\bOrigin\b/);
      });
    }

    it('may read 429, of an origin that is not allowed too', async () => {
      await using limited = await serveApp({ PULSE_CLIENT_RATE: '1' });
      await fetch(limited.url + PULSE);
      const response = await fetch(limited.url + PULSE, { headers: { Origin: 'https://evil.test' } });
      assert.equal(response.status, 429);
      assert.equal(response.headers.get('Access-Control-Allow-Origin'), 'https://evil.test');
    });
  });

  it('is refused where it names the whole address, too', async () => {
    const headers = ['Connection: close', 'Origin: https://evil.test'];
    const [answer] = await sendRaw(app.port, rawGet('http://pulse.test/v1/sources', headers));
    assert.equal(answer?.status, 403);
  });

  it('says on every answer that the origin decides, without an origin too', async () => {
    for (const path of DATA_PATHS) assert.equal((await ask(path)).headers.get('Vary'), 'Accept-Encoding, Origin');
  });

  describe('when all origins are allowed', () => {
    it('says so to everyone, so that caches share one answer', async () => {
      await using open = await serveApp({ PULSE_ALLOWED_ORIGINS: '*' });
      for (const headers of [{}, { Origin: 'https://anyone.test' }, { Origin: 'null' }]) {
        const response = await fetch(open.url + PULSE, { headers });
        assert.equal(response.headers.get('Access-Control-Allow-Origin'), '*');
        assert.equal(response.headers.get('Vary'), 'Accept-Encoding');
      }
    });
  });
});

describe('A path that no route has (T-20)', () => {
  const paths = [
    '/',
    '/v1',
    '/v1/',
    '/v2/sources',
    '/V1/sources',
    '/v1/Sources',
    '/v1/sources/',
    '/v1/pulses/',
    '/admin',
    '/metrics',
    '/status',
    `${PULSE}/`,
    `${PULSE}/x.css`,
    `${PULSE}.css`,
    '/v1/sources/src_1/Pulse',
    '/v1/sources/src_1',
    '/HEALTHZ',
    '/v1/sources/a/b/pulse',
    '/v1/sources//pulse',
    '//v1/sources',
    '/pulse-card-0.js',
    '/pulse-card-lang/xx.json',
    '/pulse-card-lang/..%2fpulse-card.js',
    '/pulse-card-lang/',
    '/v1/openapi.yaml/',
    '/v1/events',
  ];
  for (const path of paths) {
    it(`answers 404 to ${path}, in JSON, for no cache`, async () => {
      const response = await ask(path);
      assert.equal(response.status, 404);
      assert.deepEqual(codedErrorBodySchema.parse(await response.json()).code, 'not_found');
      assert.equal(response.headers.get('Cache-Control'), 'no-store');
    });
  }
});

describe('A verb that reads nothing (T-13)', () => {
  const verbs = [
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'PURGE',
    'QUERY',
    'TRACE',
    'PROPFIND',
    'LOCK',
    'SEARCH',
    'BREW',
    'get',
  ];
  for (const verb of verbs) {
    it(`answers 405 to ${verb}, with what is allowed, and asks nobody`, async () => {
      for (const path of [PULSE, '/v1/sources', '/v1/pulses?ids=src_1', '/healthz', '/pulse-card.js']) {
        const [answer] = await sendRaw(app.port, `${verb} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
        assert.equal(answer?.status, 405);
        assert.match(answer?.head ?? '', /\r\nAllow: GET, HEAD, OPTIONS\r\n/);
        assert.equal(codedErrorBodySchema.parse(JSON.parse(answer?.body ?? '')).code, 'method_not_allowed');
      }
    });
  }

  it('answers 405 to CONNECT', async () => {
    const [answer] = await sendRaw(app.port, 'CONNECT pulse.test:443 HTTP/1.1\r\nHost: pulse.test\r\n\r\n');
    assert.equal(answer?.status, 405);
  });

  it('is not brought in by a header', async () => {
    const response = await ask(PULSE, { headers: { 'X-HTTP-Method-Override': 'DELETE' } });
    assert.equal(response.status, 200);
  });
});

describe('A request that servers may read in two ways (T-17)', () => {
  const requests: [name: string, text: string][] = [
    ['two hosts', rawGet(PULSE, ['Host: evil.test'])],
    ['no host', `GET ${PULSE} HTTP/1.1\r\n\r\n`],
    ['two hosts in other letters', rawGet(PULSE, ['hOsT: pulse.test'])],
    ['a body', `${rawGet(PULSE, ['Content-Length: 5'])}hello`],
    ['a body in chunks', `${rawGet(PULSE, ['Transfer-Encoding: chunked'])}5\r\nhello\r\n0\r\n\r\n`],
    ['both lengths', `${rawGet(PULSE, ['Content-Length: 5', 'Transfer-Encoding: chunked'])}0\r\n\r\n`],
    ['two lengths', `${rawGet(PULSE, ['Content-Length: 5', 'Content-Length: 6'])}hello`],
    ['a signed length', `${rawGet(PULSE, ['Content-Length: +5'])}hello`],
    ['a blank before a colon', rawGet(PULSE, ['Transfer-Encoding : chunked'])],
    ['an unknown coding', rawGet(PULSE, ['Transfer-Encoding: xchunked'])],
    ['a folded header', rawGet(PULSE, ['X-A: b', ' c'])],
    ['a NUL in a header', rawGet(PULSE, ['X-A: b\0c'])],
    ['a bare line feed', `GET ${PULSE} HTTP/1.1\nHost: a\n\n`],
    ['headers without end', rawGet(PULSE, [`X-A: ${'b'.repeat(9_000)}`])],
    ['another protocol', `GET ${PULSE} HTTP/3.0\r\nHost: a\r\n\r\n`],
    ['nonsense', '\x16\x03\x01\x02\0\x01\0\r\n\r\n'],
  ];
  for (const [name, text] of requests) {
    it(`refuses ${name} and closes, so that nothing can be smuggled behind`, async () => {
      const answers = await sendRaw(app.port, text + rawGet('/healthz'));
      assert.equal(answers.length, 1);
      assert.ok((answers[0]?.status ?? 0) >= 400 && (answers[0]?.status ?? 0) < 500);
      assert.match(answers[0]?.head ?? '', /\r\nConnection: close/i);
      const body: unknown = JSON.parse(answers[0]?.body ?? '');
      if (answers[0]?.status === 431) errorBodySchema.parse(body);
      // The first word of nonsense is read as a method.
      else
        assert.equal(codedErrorBodySchema.parse(body).code, name === 'nonsense' ? 'method_not_allowed' : 'bad_request');
    });
  }

  for (const verb of ['POST', 'PUT', 'DELETE', 'GET']) {
    it(`gives a malformed chunk of ${verb} one answer, and closes`, async () => {
      const text = `${verb} /v1/sources HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\nhello\r\n`;
      const answers = await sendRaw(app.port, text + rawGet('/healthz'));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [verb === 'GET' ? 400 : 405],
      );
      assert.match(answers[0]?.head ?? '', /\r\nConnection: close/i);
    });
  }
});

describe('A segment that is no id (T-15, T-16)', () => {
  it('is one of more than 120', () => assert.ok(new Set(hostileIds).size >= 120));

  for (const id of hostileIds) {
    it(`is refused in JSON, repeated nowhere, asked of nobody: ${id.slice(0, 40)}`, async () => {
      app.cache.waited.length = 0;
      const [answer] = await sendRaw(app.port, rawGet(`/v1/sources/${id}/pulse`, ['Connection: close']));
      assert.ok(answer?.status === 400 || answer?.status === 404);
      const { code, error } = codedErrorBodySchema.parse(JSON.parse(answer.body));
      assert.equal(ERROR_STATUS[code], answer.status);
      assert.doesNotMatch(error, /node_modules|URIError|\sat\s|</);
      assert.ok(id.length < 4 || !answer.body.includes(id));
      assert.deepEqual(app.cache.waited, []);
    });
  }
});

describe('A client that asks too often (T-24)', () => {
  it('is told how its window stands, then refused until it resets, by every route but files and probes', async () => {
    await using limited = await serveApp({ PULSE_CLIENT_RATE: '3' });
    const get = (path: string, headers = {}) => fetch(limited.url + path, { headers });
    const first = await get(PULSE);
    assert.equal(first.headers.get('X-RateLimit-Limit'), '3');
    assert.equal(first.headers.get('X-RateLimit-Remaining'), '2');
    assert.ok(Number(first.headers.get('X-RateLimit-Reset')) > Date.now() / 1_000);
    await get('/v1/sources');
    await get('/nothing');
    const refused = await get(PULSE, { 'X-Forwarded-For': '1.2.3.4', Forwarded: 'for=1.2.3.4' });
    assert.equal(refused.status, 429);
    assert.equal(codedErrorBodySchema.parse(await refused.json()).code, 'rate_limited');
    assert.equal(refused.headers.get('X-RateLimit-Remaining'), '0');
    const wait = Number(refused.headers.get('Retry-After'));
    assert.ok(wait >= 1 && wait <= 60);
    for (const path of [
      '/v1/pulses?ids=src_1',
      '/v1/openapi.yaml',
      '/nothing',
      '/pulse-card-0.js',
      '/pulse-card-lang/x',
    ])
      assert.equal((await get(path)).status, 429);
    for (const path of UNCOUNTED) {
      const response = await get(path);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('X-RateLimit-Limit'), null);
    }
  });

  it('is told apart by what a trusted proxy says', async () => {
    await using limited = await serveApp({ PULSE_CLIENT_RATE: '1', TRUST_PROXY: '1' });
    const statusFor = async (address: string) =>
      (await fetch(limited.url + PULSE, { headers: { 'X-Forwarded-For': address } })).status;
    assert.deepEqual(
      [await statusFor('1.2.3.4'), await statusFor('1.2.3.4'), await statusFor('1.2.3.5')],
      [200, 429, 200],
    );
  });

  describe('behind a proxy', () => {
    for (const header of ['X-Forwarded-For', 'Forwarded']) {
      it(`is noticed by ${header} while no proxy is trusted`, async () => {
        await using own = await serveApp();
        await fetch(own.url + PULSE);
        assert.equal(own.untrustedProxies, 0);
        await fetch(own.url + PULSE, { headers: { [header]: '1.2.3.4' } });
        assert.equal(own.untrustedProxies, 1);
      });
    }

    it('is no news where proxies are trusted', async () => {
      await using own = await serveApp({ TRUST_PROXY: '1' });
      await fetch(own.url + PULSE, { headers: { 'X-Forwarded-For': '1.2.3.4' } });
      assert.equal(own.untrustedProxies, 0);
    });
  });

  it('is not counted where the limit is off', async () => {
    assert.equal((await ask(PULSE)).headers.get('X-RateLimit-Limit'), null);
  });
});

describe('When PULSE_CACHE is private', () => {
  for (const path of [...DATA_PATHS, '/embed/src_1', '/oembed?url=https%3A%2F%2Fpulse.test%2Fembed%2Fsrc_1']) {
    it(`lets no shared cache keep ${path}`, async () => {
      await using own = await serveApp({ PULSE_CACHE: 'private', PULSE_PUBLIC_URL: 'https://pulse.test' });
      const { headers } = await fetch(own.url + path);
      assert.match(headers.get('Cache-Control') ?? '', /^(private,|no-store$)/);
      assert.doesNotMatch(headers.get('CDN-Cache-Control') ?? '', /public/);
    });
  }

  it('lets caches keep the script, which holds nobody’s data', async () => {
    await using own = await serveApp({ PULSE_CACHE: 'private' });
    assert.match((await fetch(`${own.url}/pulse-card.js`)).headers.get('Cache-Control') ?? '', /^public/);
  });
});

describe('The probes', () => {
  it('say ready, or why not', async () => {
    assert.deepEqual(await (await ask('/readyz')).json(), { status: 'ready' });
    app.readinessFailure = { code: 'upstream_auth', reason: 'the service refuses the key' };
    const response = await ask('/readyz');
    app.readinessFailure = undefined;
    assert.equal(response.status, 503);
    assert.deepEqual(await response.json(), {
      success: false,
      error: 'Not ready: the service refuses the key',
      code: 'upstream_auth',
    });
  });

  it('say that the process is alive', async () => {
    assert.deepEqual(await (await ask('/healthz')).json(), { status: 'ok' });
  });
});

describe('The script and its style sheet', () => {
  it('are kept shortly at an address that stays, and for ever at that of their bytes', async () => {
    const [short, lasting] = [await ask('/pulse-card.js'), await ask('/pulse-card-0123456789abcdef.js')];
    assert.match(short.headers.get('Cache-Control') ?? '', /^public, max-age=300,/);
    assert.equal(lasting.headers.get('Cache-Control'), 'public, max-age=31536000, immutable');
    assert.equal(await short.text(), await lasting.text());
    const style = await ask('/pulse-card-fedcba9876543210.css');
    assert.equal(style.headers.get('Cache-Control'), 'public, max-age=31536000, immutable');
    assert.equal(style.headers.get('Content-Type'), 'text/css; charset=utf-8');
    assert.equal(short.headers.get('Content-Type'), 'text/javascript; charset=utf-8');
    for (const { headers } of [short, lasting, style]) {
      assert.equal(headers.get('X-Content-Type-Options'), 'nosniff');
      assert.equal(headers.get('Cross-Origin-Resource-Policy'), 'cross-origin');
      assert.equal(headers.get('Timing-Allow-Origin'), '*');
    }
  });
});

describe('When the server is about to stop', () => {
  it('tells every connection to close', async () => {
    app.isStopping = true;
    const answers = await Promise.all(
      [PULSE, '/v1/sources', '/nothing'].map((path) => sendRaw(app.port, rawGet(path))),
    );
    app.isStopping = false;
    for (const [answer] of answers) assert.match(answer?.head ?? '', /\r\nConnection: close/);
  });
});
