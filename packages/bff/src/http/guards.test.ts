import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { codedErrorBodySchema, ERROR_STATUS } from '@pulse-card/contract';
import { hostileIds } from '../testing/hostile-ids.ts';
import { rawGet, sendRaw } from '../testing/raw-request.ts';
import { serve } from '../testing/serve.ts';
import { serveApp, tokenVariables } from '../testing/served-app.ts';

const PULSE = '/v1/sources/src_1/pulse';
const EMBED = '/embed/src_1';
const OEMBED = `/oembed?url=${encodeURIComponent(`https://pulse.test${EMBED}`)}`;
const DATA_PATHS = [PULSE, '/v1/pulses?ids=src_1', '/v1/sources', OEMBED, '/v1/sources/src_bare/image', '/v1/nothing'];
const OWN = 'https://pulse.test';
const LISTED = 'https://page.test';
const FOREIGN = 'https://evil.test';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const app = await serveApp({ PULSE_CLIENT_RATE: '0', PULSE_ALLOWED_ORIGINS: LISTED, PULSE_PUBLIC_URL: OWN });
after(() => app[Symbol.asyncDispose]());

const ask = (path: string, init?: RequestInit) => fetch(app.url + path, init);
const askFrom = (origin: string, path: string, method = 'GET', headers = {}) =>
  ask(path, { method, headers: { Origin: origin, ...headers } });
const codeOf = async (response: Response) => codedErrorBodySchema.parse(await response.json()).code;

describe('A page’s request (T-47)', () => {
  describe('from a listed origin, or the BFF’s own', () => {
    for (const origin of [LISTED, OWN])
      for (const path of DATA_PATHS)
        it(`lets ${origin} read ${path}, including errors`, async () => {
          const { headers, status } = await askFrom(origin, path);
          assert.notEqual(status, 403);
          assert.equal(headers.get('Access-Control-Allow-Origin'), origin);
          const exposed = headers.get('Access-Control-Expose-Headers');
          assert.equal(exposed, 'ETag, Age, Retry-After, Cache-Status, X-Request-Id, Pulse-Reader');
          assert.equal(headers.get('Vary'), 'Accept-Encoding, Origin');
          assert.equal(headers.get('Access-Control-Allow-Credentials'), null);
        });

    it('gets a preflight response that browsers can cache', async () => {
      const { status, headers } = await askFrom(LISTED, PULSE, 'OPTIONS', { 'Access-Control-Request-Method': 'GET' });
      assert.equal(status, 204);
      assert.equal(headers.get('Access-Control-Allow-Origin'), LISTED);
      assert.equal(headers.get('Access-Control-Allow-Methods'), 'GET, HEAD');
      assert.equal(headers.get('Access-Control-Allow-Headers'), 'If-None-Match');
      assert.equal(headers.get('Access-Control-Max-Age'), '7200');
      assert.equal(headers.get('Allow'), 'GET, HEAD, OPTIONS');
    });
  });

  describe('from another origin', () => {
    for (const origin of ['null', 'http://page.test', `${LISTED}:8443`, `${LISTED}.evil.test`, FOREIGN])
      it(`gets an uncached 403 with a readable reason: ${origin}`, async () => {
        for (const method of ['GET', 'HEAD', 'OPTIONS'])
          for (const path of DATA_PATHS) {
            const { status, headers } = await askFrom(origin, path, method);
            assert.equal(status, 403, `${method} ${path}`);
            assert.equal(headers.get('Vary'), 'Accept-Encoding, Origin');
            assert.equal(headers.get('Cache-Control'), 'no-store');
            assert.equal(headers.get('Access-Control-Allow-Origin'), origin);
            assert.match(headers.get('Access-Control-Expose-Headers') ?? '', /Retry-After.*X-Request-Id/);
            assert.equal(headers.get('Access-Control-Allow-Credentials'), null);
          }
      });

    it('passes the preflight, so that the page can read the reason', async () => {
      const headers = { 'Access-Control-Request-Method': 'GET' };
      const preflight = await askFrom(FOREIGN, PULSE, 'OPTIONS', headers);
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get('Access-Control-Allow-Origin'), FOREIGN);
      assert.equal((await askFrom(FOREIGN, PULSE, 'GET', headers)).status, 403);
    });

    for (const origin of [`${FOREIGN}/path`, 'evil', '*', 'https://a.test, https://b.test', 'x'.repeat(4_000)])
      it(`gets a 403 that doesn’t contain an invalid origin: ${origin.slice(0, 40)}`, async () => {
        const [answer] = await sendRaw(app.port, rawGet(PULSE, [`Origin: ${origin}`, 'Connection: close']));
        assert.equal(answer?.status, 403);
        assert.doesNotMatch(answer?.head ?? '', /Access-Control-Allow-Origin/i);
      });

    it('gets 403 on a connection that stays open', async () => {
      const refused = rawGet(PULSE, [`Origin: ${FOREIGN}`]);
      const answers = await sendRaw(app.port, refused + rawGet('/healthz', ['Connection: close']));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [403, 200],
      );
    });

    it('gets 403 even if the request target is an absolute URL', async () => {
      const headers = ['Connection: close', `Origin: ${FOREIGN}`];
      const [answer] = await sendRaw(app.port, rawGet(`http://pulse.test${PULSE}`, headers));
      assert.equal(answer?.status, 403);
    });

    it('can’t read the pages for frames, because their errors name the source', async () => {
      for (const path of [EMBED, '/embed/src_bare', '/embed/none']) {
        const { headers } = await askFrom(FOREIGN, path);
        assert.equal(headers.get('Access-Control-Allow-Origin'), null);
      }
    });
  });

  for (const [status, path, method] of [
    [400, '/v1/pulses', 'GET'],
    [404, '/nothing', 'GET'],
    [404, '/pulse-card-0.js', 'GET'],
    [405, '/v1/sources', 'POST'],
    [405, '/healthz', 'POST'],
    [405, '/no-such-path', 'POST'],
  ] as const)
    it(`can read ${status} of ${path}`, async () => {
      const response = await askFrom(LISTED, path, method);
      assert.equal(response.status, status);
      assert.equal(response.headers.get('Access-Control-Allow-Origin'), LISTED);
      assert.match(response.headers.get('Vary') ?? '', /\bOrigin\b/);
    });

  it('gets Vary: Origin on every response that depends on the origin', async () => {
    for (const path of DATA_PATHS) assert.equal((await ask(path)).headers.get('Vary'), 'Accept-Encoding, Origin');
  });

  it('gets a response that caches can share if all origins are allowed', async () => {
    await using open = await serveApp({ PULSE_ALLOWED_ORIGINS: '*' });
    for (const headers of [{}, { Origin: 'https://anyone.test' }, { Origin: 'null' }]) {
      const response = await fetch(open.url + PULSE, { headers });
      assert.equal(response.headers.get('Access-Control-Allow-Origin'), '*');
      assert.equal(response.headers.get('Vary'), 'Accept-Encoding');
    }
  });
});

describe('An unknown path (T-20)', () => {
  for (const path of [
    '/v2/sources',
    '/V1/sources',
    '/v1/sources/',
    '//v1/sources',
    `${PULSE}/x.css`,
    `${PULSE}.css`,
    '/v1/sources/src_1',
    '/v1/sources/a/b/pulse',
    '/v1/sources//pulse',
    '/HEALTHZ',
    '/pulse-card-0.js',
    '/pulse-card-lang/xx.json',
    '/pulse-card-lang/..%2fpulse-card.js',
    '/v1/events',
  ])
    it(`gets a 404 in JSON that is never cached: ${path}`, async () => {
      const response = await ask(path);
      assert.equal(response.status, 404);
      assert.equal(await codeOf(response), 'not_found');
      assert.equal(response.headers.get('Cache-Control'), 'no-store');
    });
});

describe('A method other than GET, HEAD, and OPTIONS (T-13)', () => {
  for (const verb of ['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'TRACE', 'PROPFIND', 'LOCK', 'BREW', 'get'])
    it(`gets 405 for ${verb}, with a list of the allowed methods`, async () => {
      for (const path of [
        PULSE,
        '/v1/sources',
        '/v1/pulses?ids=src_1',
        '/healthz',
        '/pulse-card.js',
        '/no-such-path',
      ]) {
        const [answer] = await sendRaw(app.port, `${verb} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
        assert.equal(answer?.status, 405);
        assert.match(answer?.head ?? '', /\r\nAllow: GET, HEAD, OPTIONS\r\n/);
        assert.equal(codedErrorBodySchema.parse(JSON.parse(answer?.body ?? '')).code, 'method_not_allowed');
      }
    });

  it('gets 405 even from an origin that isn’t allowed', async () => {
    const response = await askFrom(FOREIGN, PULSE, 'POST');
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('Allow'), 'GET, HEAD, OPTIONS');
  });

  it('gets 405 for CONNECT', async () => {
    const [answer] = await sendRaw(app.port, 'CONNECT pulse.test:443 HTTP/1.1\r\nHost: pulse.test\r\n\r\n');
    assert.equal(answer?.status, 405);
  });
});

describe('A request that servers might parse differently (T-17)', () => {
  const brokenChunk = (verb: string) =>
    `${verb} ${PULSE} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\nhello\r\n`;
  const requests: [name: string, text: string, code?: string][] = [
    ['two hosts', rawGet(PULSE, ['Host: evil.test'])],
    ['no host', `GET ${PULSE} HTTP/1.1\r\n\r\n`],
    ['two hosts in different letter cases', rawGet(PULSE, ['hOsT: pulse.test'])],
    ['a body', `${rawGet(PULSE, ['Content-Length: 5'])}hello`],
    ['a body of a preflight', `OPTIONS ${PULSE} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello`],
    ['a body of a POST', `POST ${PULSE} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello`, 'method_not_allowed'],
    ['a body in chunks', `${rawGet(PULSE, ['Transfer-Encoding: chunked'])}5\r\nhello\r\n0\r\n\r\n`],
    ['a length together with chunks', `${rawGet(PULSE, ['Content-Length: 5', 'Transfer-Encoding: chunked'])}0\r\n\r\n`],
    ['two lengths', `${rawGet(PULSE, ['Content-Length: 5', 'Content-Length: 6'])}hello`],
    ['a signed length', `${rawGet(PULSE, ['Content-Length: +5'])}hello`],
    ['a malformed chunk', brokenChunk('GET')],
    ['a malformed chunk of a POST', brokenChunk('POST'), 'method_not_allowed'],
    ['a space before the colon of a header', rawGet(PULSE, ['Transfer-Encoding : chunked'])],
    ['an unknown coding', rawGet(PULSE, ['Transfer-Encoding: xchunked'])],
    ['a folded header', rawGet(PULSE, ['X-A: b', ' c'])],
    ['a NUL in a header', rawGet(PULSE, ['X-A: b\0c'])],
    ['a bare line feed', `GET ${PULSE} HTTP/1.1\nHost: a\n\n`],
    ['an ambiguous path', rawGet('/v1\\sources')],
    ['another protocol', `GET ${PULSE} HTTP/3.0\r\nHost: a\r\n\r\n`],
    // The parser reads the first word as a method.
    ['nonsense', '\x16\x03\x01\x02\0\x01\0\r\n\r\n', 'method_not_allowed'],
  ];
  for (const [name, text, code = 'bad_request'] of requests)
    it(`is rejected for ${name}, and its connection is closed`, async () => {
      const answers = await sendRaw(app.port, text + rawGet('/healthz'));
      assert.equal(answers.length, 1);
      assert.match(answers[0]?.head ?? '', /^HTTP\/1\.1 4.*\r\nConnection: close/is);
      assert.equal(codedErrorBodySchema.parse(JSON.parse(answers[0]?.body ?? '')).code, code);
    });

  for (const [text, reason] of [
    [rawGet(PULSE, ['Host: evil.test']), 'it names more than one host'],
    [`GET ${PULSE} HTTP/1.1\r\n\r\n`, 'it has no host'],
    [rawGet(PULSE, ['Content-Length: 5']), 'it must have no body'],
  ] as const)
    it(`is rejected with the reason: ${reason}`, async () => {
      const [answer] = await sendRaw(app.port, text);
      assert.equal(
        codedErrorBodySchema.parse(JSON.parse(answer?.body ?? '')).error,
        `The request is malformed: ${reason}`,
      );
    });

  it('can omit the Host header in HTTP/1.0', async () => {
    const [answer] = await sendRaw(app.port, `GET ${PULSE} HTTP/1.0\r\n\r\n`);
    assert.equal(answer?.status, 200);
  });

  for (const header of ['__proto__: x', 'constructor: x', 'Expect: the-moon', 'Content-Length: 0'])
    it(`gets a response despite a harmless odd header: ${header}`, async () => {
      const [answer] = await sendRaw(app.port, rawGet(PULSE, [header, 'Connection: close']));
      assert.equal(answer?.status, 200);
    });
});

describe('A path segment that isn’t an id (T-15, T-16)', () => {
  for (const id of hostileIds)
    it(`gets a JSON error without the segment, and causes no call: ${id.slice(0, 40)}`, async () => {
      app.cache.waited.length = 0;
      const [answer] = await sendRaw(app.port, rawGet(`/v1/sources/${id}/pulse`, ['Connection: close']));
      assert.ok(answer?.status === 400 || answer?.status === 404);
      const { code, error } = codedErrorBodySchema.parse(JSON.parse(answer.body));
      assert.equal(ERROR_STATUS[code], answer.status);
      assert.doesNotMatch(error, /node_modules|URIError|\sat\s|</);
      assert.ok(id.length < 4 || !answer.body.includes(id));
      assert.deepEqual(app.cache.waited, []);
    });
});

describe('A rejected request', () => {
  it('is logged with its route', async () => {
    const headers = { Origin: 'https://evil.test' };
    for (const [path, route] of [
      [PULSE, '/v1/sources/:sourceId/pulse'],
      ['/v1/sources', '/v1/sources'],
    ] as const) {
      assert.equal((await fetch(app.url + path, { headers })).status, 403);
      assert.equal(app.answered.at(-1)?.route, route);
    }
  });
});

describe('A client with too many requests (T-24)', () => {
  it('doesn’t get rate-limit headers in responses that shared caches may store', async () => {
    await using limited = await serveApp({ PULSE_CLIENT_RATE: '3' });
    for (const path of [PULSE, '/v1/sources', '/v1/openapi.yaml'])
      assert.equal((await fetch(limited.url + path)).headers.get('X-RateLimit-Remaining'), null, path);
    const refused = await fetch(limited.url + PULSE);
    assert.deepEqual([refused.status, refused.headers.get('X-RateLimit-Remaining')], [429, '0']);
  });

  for (const [what, trust, closes] of [
    ['closes its connection', {}, true],
    ['keeps the connection of a proxy that is trusted by number of hops', { TRUST_PROXY: '1' }, false],
    ['keeps the connection of a proxy that is trusted by address', { TRUST_PROXY: '127.0.0.1' }, false],
    ['closes the connection of a peer that isn’t a trusted proxy', { TRUST_PROXY: '10.0.0.0/8' }, true],
  ] as const)
    it(what, async () => {
      await using limited = await serveApp({ PULSE_CLIENT_RATE: '1', ...trust });
      const requests = Array.from({ length: 3 }, () => rawGet(PULSE));
      const answers = await sendRaw(limited.port, requests.join('') + rawGet('/healthz', ['Connection: close']));
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual(statuses, closes ? [200, 429] : [200, 429, 429, 200]);
    });

  it('sees its rate-limit state in headers, and gets 429s except for files and probes', async () => {
    await using limited = await serveApp({ PULSE_CLIENT_RATE: '3', PULSE_CACHE: 'private' });
    const get = (path: string, headers = {}) => fetch(limited.url + path, { headers });
    const first = await get(PULSE);
    assert.equal(first.headers.get('X-RateLimit-Limit'), '3');
    assert.equal(first.headers.get('X-RateLimit-Remaining'), '2');
    assert.ok(Number(first.headers.get('X-RateLimit-Reset')) > Date.now() / 1_000);
    await get('/v1/sources');
    await get('/nothing');
    const forged = { 'X-Forwarded-For': '1.2.3.4', Forwarded: 'for=1.2.3.4', Origin: FOREIGN };
    const refused = await get(PULSE, forged);
    assert.equal(refused.status, 429);
    assert.equal(await codeOf(refused), 'rate_limited');
    assert.equal(refused.headers.get('X-RateLimit-Remaining'), '0');
    assert.equal(refused.headers.get('Access-Control-Allow-Origin'), FOREIGN);
    const wait = Number(refused.headers.get('Retry-After'));
    assert.ok(wait >= 1 && wait <= 60);
    for (const path of ['/v1/pulses?ids=src_1', '/v1/openapi.yaml', '/pulse-card-0.js', '/pulse-card-lang/x'])
      assert.equal((await get(path)).status, 429, path);
    for (const path of ['/pulse-card.js', '/pulse-card-lang/de-0.1.0.json', '/pulse-frame.js', '/healthz', '/readyz']) {
      const { status, headers } = await get(path);
      assert.deepEqual([status, headers.get('X-RateLimit-Limit')], [200, null], path);
    }
  });

  it('gets 429 without a cache lookup', async () => {
    await using limited = await serveApp({ PULSE_CLIENT_RATE: '1' });
    for (const status of [200, 429]) assert.equal((await fetch(`${limited.url}/v1/sources`)).status, status);
    assert.equal(limited.cache.asked, 1);
  });

  it('is identified by the address that a trusted proxy reports', async () => {
    await using limited = await serveApp({ PULSE_CLIENT_RATE: '1', TRUST_PROXY: '1' });
    const statusFor = async (address: string) =>
      (await fetch(limited.url + PULSE, { headers: { 'X-Forwarded-For': address } })).status;
    const statuses = [await statusFor('1.2.3.4'), await statusFor('1.2.3.4'), await statusFor('1.2.3.5')];
    assert.deepEqual(statuses, [200, 429, 200]);
  });

  it('isn’t limited if the limit is off', async () => {
    assert.equal((await ask(PULSE)).headers.get('X-RateLimit-Limit'), null);
  });
});

describe('A request from the operator', () => {
  it('may read every source, regardless of its origin, its token, and the client limit', async () => {
    await using guarded = await serveApp({ ...tokenVariables, PULSE_CLIENT_RATE: '1' });
    await using operator = await serve(guarded.handleOperator);
    for (const path of [PULSE, PULSE, '/v1/sources', EMBED])
      assert.equal((await fetch(operator.url + path, { headers: { Origin: FOREIGN } })).status, 200);
  });

  it('doesn’t count as a view', async () => {
    await using operator = await serve(app.handleOperator);
    app.cache.viewers.length = 0;
    await fetch(operator.url + PULSE);
    assert.deepEqual(app.cache.viewers, [null]);
  });

  it('gets responses that shared caches must not store', async () => {
    await using operator = await serve(app.handleOperator);
    const { headers } = await fetch(operator.url + PULSE);
    assert.match(headers.get('Cache-Control') ?? '', /^private, /);
    assert.equal(headers.get('CDN-Cache-Control'), 'no-store');
  });

  for (const [what, text, status] of [
    ['its target is ambiguous', rawGet('/v1\\sources'), 400],
    ['it has a body', `${rawGet(PULSE, ['Content-Length: 5'])}hello`, 200],
  ] as const)
    it(`closes its connection if ${what}`, async () => {
      await using operator = await serve(app.handleOperator);
      const answers = await sendRaw(operator.port, text + rawGet('/healthz'));
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [status],
      );
      assert.match(answers[0]?.head ?? '', /\r\nConnection: close/i);
    });
});

describe('A response with data', () => {
  for (const path of [PULSE, '/v1/pulses?ids=src_1', '/v1/sources', EMBED, OEMBED])
    it(`has headers for its age and lifetime, and is a 304 for its tag: ${path}`, async () => {
      const { headers } = await ask(path);
      assert.equal(headers.get('Age'), '2');
      const lifetime = 'stale-while-revalidate=30, stale-if-error=86400';
      assert.equal(headers.get('Cache-Control'), `public, max-age=7, ${lifetime}`);
      assert.equal(headers.get('CDN-Cache-Control'), `public, max-age=7, ${lifetime}`);
      assert.equal(headers.get('Cache-Status'), 'PulseCard;hit;ttl=12');
      assert.match(headers.get('Vary') ?? '', /^Accept-Encoding/);
      assert.equal(headers.get('X-Request-Id'), null);
      const again = await ask(path, { headers: { 'If-None-Match': headers.get('ETag') ?? '' } });
      assert.equal(again.status, 304);
      for (const name of ['ETag', 'Age', 'Cache-Control', 'Vary', 'Content-Security-Policy'])
        assert.equal(again.headers.get(name), headers.get(name));
    });

  it('isn’t stored by shared caches if PULSE_CACHE=private, unlike the script', async () => {
    await using own = await serveApp({ PULSE_CACHE: 'private', PULSE_PUBLIC_URL: OWN });
    for (const path of [...DATA_PATHS, EMBED]) {
      const { headers } = await fetch(own.url + path);
      assert.match(headers.get('Cache-Control') ?? '', /^(private,|no-store$)/, path);
      assert.match(headers.get('X-Request-Id') ?? '', UUID, path);
      assert.doesNotMatch(headers.get('CDN-Cache-Control') ?? '', /public/, path);
    }
    const script = await fetch(`${own.url}/pulse-card.js`);
    assert.match(script.headers.get('Cache-Control') ?? '', /^public/);
  });
});

describe('An error', () => {
  it('has its own id, also in the log, even if the visitor sends one', async () => {
    const idOf = async () =>
      (await ask('/v1/nothing', { headers: { 'X-Request-Id': 'of-the-visitor' } })).headers.get('X-Request-Id') ?? '';
    const id = await idOf();
    assert.match(id, UUID);
    assert.equal(app.answered.at(-1)?.requestId, id);
    assert.notEqual(await idOf(), id);
  });
});

describe('The probes', () => {
  it('report that the BFF is ready, or why it isn’t', async () => {
    assert.deepEqual(await (await ask('/readyz')).json(), { status: 'ready' });
    app.readinessFailure = { code: 'upstream_auth', reason: 'the service refuses the key' };
    const response = await ask('/readyz');
    app.readinessFailure = undefined;
    assert.equal(response.status, 503);
    const error = 'Not ready: the service refuses the key';
    assert.deepEqual(await response.json(), { success: false, error, code: 'upstream_auth' });
  });

  it('report that the process is alive', async () => {
    assert.deepEqual(await (await ask('/healthz')).json(), { status: 'ok' });
  });
});

describe('A file', () => {
  const CHANGING = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=604800';
  const IMMUTABLE = 'public, max-age=31536000, immutable';
  for (const [path, type, cacheControl] of [
    ['/pulse-card.js', 'text/javascript', CHANGING],
    ['/pulse-card-0123456789abcdef.js', 'text/javascript', IMMUTABLE],
    ['/pulse-card-after-paint-aaaabbbbccccdddd.js', 'text/javascript', IMMUTABLE],
    ['/pulse-card-extras-aaaabbbbccccdddd.js', 'text/javascript', IMMUTABLE],
    ['/pulse-card-fedcba9876543210.css', 'text/css', IMMUTABLE],
    ['/pulse-card-lang/de-0.1.0.json', 'application/json', CHANGING],
    ['/v1/openapi.yaml', 'application/yaml', CHANGING],
  ] as const)
    it(`loads on pages on all origins, and is immutable only with a hash: ${path}`, async () => {
      const { headers } = await askFrom(FOREIGN, path);
      assert.equal(headers.get('Access-Control-Allow-Origin'), '*');
      assert.equal(headers.get('Content-Type'), `${type}; charset=utf-8`);
      assert.equal(headers.get('Cache-Control'), cacheControl);
      assert.equal(headers.get('X-Content-Type-Options'), 'nosniff');
      assert.equal(headers.get('Cross-Origin-Resource-Policy'), 'cross-origin');
      assert.equal(headers.get('Timing-Allow-Origin'), '*');
    });
});
