import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import express, { type ErrorRequestHandler } from 'express';
// @ts-expect-error It comes without types.
import untypedExpress4 from 'express4';
import { ConfigError, createPulseBff, type PulseBff } from './index.ts';
import { type FakeService, startFakeService } from './testing/fake-service.ts';
import { serve, type Served } from './testing/serve.ts';

const express4 = untypedExpress4 as typeof express;

let service: FakeService;
let bff: PulseBff;
let portal: Served;
before(async () => {
  service = await startFakeService();
  bff = createPulseBff({
    PULSE_API_KEY: 'a-key-that-is-one',
    PULSE_BASE_URL: service.url,
    PULSE_PUBLIC_URL: 'https://portal.test/cards/pulse',
    LOG_LEVEL: 'silent',
  });
  const app = express();
  app.use('/cards/pulse', (request, response, next) => {
    response.set({ Vary: 'Cookie', 'Cache-Control': request.get('X-Test-Cache-Control') ?? 'private, no-store' });
    response.cookie('seen', '1');
    if (request.headers.cookie === 'session=1') next();
    else response.status(401).send('log in');
  });
  app.use('/cards/pulse', bff);
  app.get('/cards/pulse-other', (_request, response) => response.send('the portal'));
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
  it('answers below any path, at once or once it is open', async () => {
    const response = await get('/cards/pulse/v1/sources/src_1/pulse');
    assert.equal(response.status, 200);
    assert.match(response.headers.get('ETag') ?? '', /^"/);
    assert.equal((await get('/cards/pulse/v1/pulses?ids=src_1')).status, 200);
    assert.equal((await get('/cards/pulse/v1/sources')).status, 200);
    assert.equal((await get('/cards/pulse/readyz')).status, 200);
  });

  it('leaves the other routes to the application', async () => {
    assert.equal(await (await get('/cards/pulse-other')).text(), 'the portal');
    assert.equal(((await (await get('/cards/pulse/none')).json()) as { code: string }).code, 'not_found');
  });

  it('describes itself at the address of its mount', async () => {
    assert.match(
      await (await get('/cards/pulse/v1/openapi.yaml')).text(),
      /- url: https:\/\/portal\.test\/cards\/pulse$/m,
    );
  });

  describe('when the host application has set headers (T-67)', () => {
    const paths = [
      '/v1/sources/src_1/pulse',
      '/v1/sources/src_bare/pulse',
      '/v1/pulses?ids=src_1',
      '/v1/sources',
      '/v1/sources/src_1/image',
      '/v1/none',
      '/embed/src_1',
      '/pulse-card.js',
      '/readyz',
    ];
    for (const path of paths) {
      it(`keeps its Cache-Control, Vary and Set-Cookie on ${path}`, async () => {
        const { headers } = await get(`/cards/pulse${path}`);
        assert.match(headers.get('Cache-Control') ?? '', /^(private, )?no-store(, private)?$/);
        assert.match(headers.get('Cache-Control') ?? '', /private/);
        assert.match(headers.get('Vary') ?? '', /\bCookie\b/);
        assert.match(headers.get('CDN-Cache-Control') ?? 'no-store', /no-store/);
        assert.deepEqual(headers.getSetCookie(), ['seen=1; Path=/']);
      });
    }

    it('keeps them on 304', async () => {
      const tag = (await get('/cards/pulse/v1/sources')).headers.get('ETag') ?? '';
      const { status, headers } = await get('/cards/pulse/v1/sources', { Cookie: 'session=1', 'If-None-Match': tag });
      assert.equal(status, 304);
      assert.match(headers.get('Vary') ?? '', /\bCookie\b/);
    });
  });

  it('refuses a bad configuration at once', () => {
    assert.throws(() => createPulseBff({ PULSE_BASE_URL: 'ftp://x' }), ConfigError);
  });

  it('reads a number, a flag and a list as the environment would hold them, and names what it cannot read', () => {
    const given = { PULSE_API_KEY: 'a-key-that-is-one', PULSE_BASE_URL: service.url, LOG_LEVEL: 'silent' };
    const values = { PORT: 4020, PULSE_ALLOW_HTTP_UPSTREAM: false, PULSE_EXPOSE: ['link'], REDIS_URL: null };
    assert.throws(() => createPulseBff({ ...given, ...values, PULSE_RATE_LIMIT: {} } as never), {
      name: 'ConfigError',
      message: /^PULSE_RATE_LIMIT: must be a whole number from 1 to 1000000$/,
    });
  });

  it('throws where an application of Express 4 mounts it', () => {
    assert.throws(() => express4().use('/pulse', bff), /needs Express 5/);
  });

  it('passes one error for each request where a router of Express 4 mounts it, which sees no application', async () => {
    const app = express4();
    app.use(express4.Router().use(bff));
    const faults: unknown[] = [];
    const onFault: ErrorRequestHandler = (fault, _request, response, _next) => {
      faults.push(fault);
      response.sendStatus(500);
    };
    app.use(onFault);
    await using served = await serve(app);
    assert.equal((await fetch(`${served.url}/v1/sources`)).status, 500);
    assert.match(String(faults), /needs Express 5/);
  });
});

describe('close()', () => {
  // The timers of another router in this process would be counted, too.
  before(() => bff.close());

  it('leaves no timer and no observer of the router in the process', async () => {
    const { variables, remove } = tokenVariables();
    await using own = await startFakeService();
    const alive = watchTimers();
    const router = createPulseBff({ ...variables, PULSE_BASE_URL: own.url });
    await router.ready;
    await router.close();
    assert.deepEqual(await alive.left(), []);
    remove();
  });

  const hanging: Record<string, FakeService['answer']> = {
    'never answers': () => {},
    'never ends its answer': (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write('{"meta":');
    },
  };
  for (const [what, answer] of Object.entries(hanging)) {
    it(`does not wait for a service that ${what}`, { timeout: 60_000 }, async () => {
      await using own = await startFakeService(answer);
      const router = createPulseBff({
        PULSE_API_KEY: 'a-key-that-is-one',
        PULSE_BASE_URL: own.url,
        PULSE_ALT_BASE_URL: own.url.replace('127.0.0.1', 'localhost'),
        PULSE_UPSTREAM_TIMEOUT_MS: '120000',
        PULSE_RATE_WINDOW_MS: '1000',
        LOG_LEVEL: 'silent',
      });
      await router.ready;
      while (own.arrivals.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      await router.close();
      await router.close();
    });
  }

  it('has nothing to end where the router could not begin', async () => {
    const { variables, remove } = tokenVariables();
    const alive = watchTimers();
    const router = createPulseBff({
      ...variables,
      PULSE_API_KEY: '',
      PULSE_API_KEY_FILE: '/nonexistent',
      PULSE_BASE_URL: 'http://127.0.0.1:9',
    });
    await assert.rejects(router.ready, ConfigError);
    assert.deepEqual(await alive.left(), []);
    await router.close();
    remove();
  });
});

/** Variables of a router that logs and watches a file of keys; and the removal of that file. */
function tokenVariables() {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-bff-'));
  const keysFile = join(folder, 'keys.json');
  writeFileSync(keysFile, JSON.stringify([{ kid: 'a', secret: 'canary-secret-of-32-bytes-and-more' }]));
  const variables = {
    PULSE_API_KEY: 'a-key-that-is-one',
    LOG_LEVEL: 'info',
    PULSE_ACCESS: 'token',
    PULSE_TOKEN_KEYS_FILE: keysFile,
  };
  return { variables, remove: () => rmSync(folder, { recursive: true }) };
}

/** Watches the timers and observers that the package makes from now on. */
function watchTimers() {
  const alive = new Map<number, string>();
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const hook = createHook({
    init: (id, type) => {
      const { stack = '' } = new Error('made here');
      // Timers of fetch, which all of the process shares, have this file alone in their stacks.
      const isOurs = stack.replaceAll('index.test.ts', '').match(/bff\/src\/[a-z]/) !== null;
      if (isOurs && (type === 'Timeout' || type === 'ELDHISTOGRAM')) alive.set(id, stack);
    },
    destroy: (id) => void alive.delete(id),
  }).enable();
  return {
    /** Where those that are left were made; ends the watch. */
    async left(): Promise<string[]> {
      await new Promise(setImmediate);
      hook.disable();
      Error.stackTraceLimit = stackTraceLimit;
      return [...alive.values()];
    },
  };
}
