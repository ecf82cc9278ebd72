import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { after, before, describe, it } from 'node:test';
import express, { type ErrorRequestHandler } from 'express';
// @ts-expect-error The package has no types.
import untypedExpress4 from 'express4';
import { ConfigError, createPulseBff, type PulseBff } from './index.ts';
import { type FakeService, startFakeService } from './testing/fake-service.ts';
import { until } from '../../testkit/src/until.ts';
import { serve, type Served } from './testing/serve.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const express4 = untypedExpress4 as typeof express;

const KEY = { PULSE_API_KEY: 'a-key-that-is-one', LOG_LEVEL: 'silent' };

let service: FakeService;
let bff: PulseBff;
let portal: Served;
before(async () => {
  service = await startFakeService();
  bff = createPulseBff({ ...KEY, PULSE_BASE_URL: service.url });
  const app = express();
  app.use('/cards/pulse', (request, response, next) => {
    response.set({ Vary: 'Cookie', 'Cache-Control': request.get('X-Test-Cache-Control') ?? 'private, no-store' });
    response.cookie('seen', '1');
    if (request.headers.cookie === 'session=1') next();
    else response.status(401).send('log in');
  });
  app.use('/cards/pulse', bff);
  portal = await serve(app);
});
after(async () => {
  await bff.close();
  await portal[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const get = (path: string, headers: Record<string, string> = { Cookie: 'session=1' }) =>
  fetch(portal.url + path, { headers, redirect: 'manual' });

describe('createPulseBff()', () => {
  it('serves under any path, even if a request arrives before it is ready', async () => {
    for (const path of ['v1/sources/src_1/pulse', 'v1/pulses?ids=src_1', 'v1/sources', 'readyz'])
      assert.equal((await get(`/cards/pulse/${path}`)).status, 200, path);
  });

  describe('when the host application has set headers (T-67)', () => {
    for (const path of [
      '/v1/sources/src_1/pulse',
      '/v1/sources/src_bare/pulse',
      '/v1/pulses?ids=src_1',
      '/v1/sources',
      '/v1/sources/src_1/image',
      '/v1/none',
      '/embed/src_1',
      '/pulse-card.js',
      '/readyz',
    ])
      it(`keeps the application’s Cache-Control, Vary, and Set-Cookie on ${path}`, async () => {
        const { headers } = await get(`/cards/pulse${path}`);
        assert.match(headers.get('Cache-Control') ?? '', /^(private, no-store|no-store, private)$/);
        assert.match(headers.get('Vary') ?? '', /\bCookie\b/);
        assert.match(headers.get('CDN-Cache-Control') ?? 'no-store', /no-store/);
        assert.deepEqual(headers.getSetCookie(), ['seen=1; Path=/']);
      });

    it('keeps the application’s headers on a 304', async () => {
      const tag = (await get('/cards/pulse/v1/sources')).headers.get('ETag') ?? '';
      const { status, headers } = await get('/cards/pulse/v1/sources', { Cookie: 'session=1', 'If-None-Match': tag });
      assert.equal(status, 304);
      assert.match(headers.get('Vary') ?? '', /\bCookie\b/);
    });
  });

  it('accepts numbers, flags, and lists as values of variables, and immediately throws for invalid values', () => {
    const values = { PORT: 4020, PULSE_ALLOW_HTTP_UPSTREAM: false, PULSE_EXPOSE: ['link'], REDIS_URL: null };
    const given = { ...KEY, PULSE_BASE_URL: service.url, ...values, PULSE_RATE_LIMIT: {} };
    assert.throws(() => createPulseBff(given as never), {
      name: 'ConfigError',
      message: /^PULSE_RATE_LIMIT: must be a whole number from 1 to 1000000$/,
    });
  });

  it('ignores where the host application listens', async () => {
    const variables = { ...KEY, PULSE_BASE_URL: service.url, HOST: 'https://portal.test', PORT: '4021' };
    await createPulseBff(variables).close();
  });

  it('passes an error to an Express 4 application for each request', async () => {
    const onFault: ErrorRequestHandler = (fault, _request, response, _next) => response.status(500).send(String(fault));
    await using served = await serve(express4().use(express4.Router().use(bff)).use(onFault));
    const response = await fetch(`${served.url}/v1/sources`);
    assert.equal(response.status, 500);
    assert.match(await response.text(), /needs Express 5/);
  });
});

describe('close()', () => {
  // Otherwise, the count would include the timers of this other router.
  before(() => bff.close());

  it('leaves no timers and no observers in the process', async () => {
    using token = tokenAccess();
    await using own = await startFakeService();
    const alive = watchTimers();
    const router = createPulseBff({ ...token.variables, PULSE_BASE_URL: own.url });
    await router.ready;
    await router.close();
    assert.deepEqual(await alive.left(), []);
  });

  for (const [what, answer] of [
    ['never answers', () => {}],
    ['never ends its answer', (_request, response) => void response.writeHead(200).write('{"meta":')],
  ] as const satisfies readonly (readonly [string, FakeService['answer']])[])
    it(`doesn’t wait for a service that ${what}`, { timeout: 60_000 }, async () => {
      await using own = await startFakeService(answer);
      const router = createPulseBff({
        ...KEY,
        PULSE_BASE_URL: own.url,
        PULSE_ALT_BASE_URL: own.url.replace('127.0.0.1', 'localhost'),
        PULSE_UPSTREAM_TIMEOUT_MS: '120000',
        PULSE_RATE_WINDOW_MS: '1000',
      });
      await router.ready;
      await until('a call', () => own.arrivals.length > 0);
      await router.close();
      await router.close();
    });

  it('does nothing if the router couldn’t start', async () => {
    using token = tokenAccess();
    const alive = watchTimers();
    const key = { PULSE_API_KEY: '', PULSE_API_KEY_FILE: '/nonexistent', PULSE_BASE_URL: 'http://127.0.0.1:2' };
    const router = createPulseBff({ ...token.variables, ...key });
    await assert.rejects(router.ready, ConfigError);
    assert.deepEqual(await alive.left(), []);
    await router.close();
  });
});

/** Variables of a router that logs and watches a file of keys. The file is removed when the returned object is disposed. */
function tokenAccess(): Disposable & { readonly variables: Record<string, string> } {
  const folder = temporaryFolder();
  const keys = JSON.stringify([{ kid: 'a', secret: 'canary-secret-of-32-bytes-and-more' }]);
  const keysFile = folder.file('keys.json', keys);
  const access = { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: keysFile, LOG_LEVEL: 'info' };
  return { variables: { ...KEY, ...access }, [Symbol.dispose]: () => folder.remove() };
}

/** Watches the timers and observers that the package creates from now on. */
function watchTimers() {
  const alive = new Map<number, string>();
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const hook = createHook({
    init: (id, type) => {
      const { stack = '' } = new Error('made here');
      // The timers of fetch belong to the whole process. Among our files, only this test appears in their stacks.
      const isOurs = stack.replaceAll('index.test.ts', '').match(/bff\/src\/[a-z]/) !== null;
      if (isOurs && (type === 'Timeout' || type === 'ELDHISTOGRAM')) alive.set(id, stack);
    },
    destroy: (id) => void alive.delete(id),
  }).enable();
  return {
    /** Ends the watch, and returns the stack traces that created the remaining timers and observers. */
    async left(): Promise<string[]> {
      await new Promise(setImmediate);
      hook.disable();
      Error.stackTraceLimit = stackTraceLimit;
      return [...alive.values()];
    },
  };
}

describe('createPulseBff() with invalid variables', () => {
  it('throws an error that also names misspelled variables, without their values', () => {
    assert.throws(() => createPulseBff({ PULSE_BASE_URL: 'https://api.test', PULSE_APIKEY_FILE: 'canary' }), {
      name: 'ConfigError',
      message: [
        'PULSE_API_KEY: is required (or PULSE_API_KEY_FILE)',
        'PULSE_APIKEY_FILE is not a variable of pulse-bff; the nearest is PULSE_API_KEY_FILE',
      ].join('\n'),
    });
  });
});
