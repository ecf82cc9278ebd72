import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Request } from 'express';
import { createPulseBff, type PulseBffOptions } from '../../index.ts';
import { checkedAuthorize } from './checked-authorize.ts';
import { startFakeCdn } from '../../testing/fake-cdn.ts';
import { answerWell, answerWithChart, startFakeService } from '../../testing/fake-service.ts';
import { serveApp } from '../../testing/served-app.ts';
import { serveRouter } from '../../testing/served-router.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';

const USER = 'X-User';

/** An application with a mounted router. The `X-User` header is its login. */
async function openPortal(options: PulseBffOptions, variables: Record<string, string> = {}) {
  const service = await startFakeService(answerWell);
  const common = { PULSE_API_KEY: 'canary-key-0123456789', PULSE_PUBLIC_URL: 'https://portal.test' };
  const router = await serveRouter({ ...common, PULSE_BASE_URL: service.url, ...variables }, options);
  await router.bff.ready;
  return {
    service,
    bff: router.bff,
    /** Sends a request as a user. */
    ask: (path: string, user?: string, headers: Record<string, string> = {}) =>
      fetch(router.url + path, { headers: { ...headers, ...(user !== undefined && { [USER]: user }) } }),
    async [Symbol.asyncDispose]() {
      await router[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

const RIGHTS: Readonly<Record<string, '*' | readonly string[]>> = { alice: ['src_1'], bob: [], admin: '*' };

const byUser = (request: Request): '*' | readonly string[] => RIGHTS[request.get(USER) ?? ''] ?? [];

const DATA_PATHS = [
  '/v1/sources/src_1/pulse',
  '/v1/sources/src_1/image',
  '/embed/src_1',
  `/oembed?url=${encodeURIComponent('https://portal.test/embed/src_1')}`,
];

const returned = (words: string): string => `it returned ${words}, not "*" or an array of source ids`;

describe('createPulseBff() with authorize', () => {
  for (const path of DATA_PATHS)
    it(`T-67 denies ${path.split('?')[0]} to a user who isn’t allowed to see the source`, async () => {
      await using portal = await openPortal({ authorize: byUser });
      assert.equal((await portal.ask(path, 'bob')).status, 403);
      assert.notEqual((await portal.ask(path, 'alice')).status, 403);
    });

  it('lists only sources that the user may see', async () => {
    await using portal = await openPortal({ authorize: async (request) => byUser(request) });
    const idsFor = async (user: string) => {
      const { sources } = (await (await portal.ask('/v1/sources', user)).json()) as { sources: { id: string }[] };
      return sources.map(({ id }) => id);
    };
    assert.deepEqual(await idsFor('alice'), ['src_1']);
    assert.deepEqual(await idsFor('bob'), []);
    assert.deepEqual(await idsFor('admin'), ['src_1', 'src_bare']);
  });

  it('returns an error for each pulse of a batch that the user isn’t allowed to see', async () => {
    await using portal = await openPortal({ authorize: byUser });
    const answer = await portal.ask('/v1/pulses?ids=src_1,src_bare', 'alice');
    const [own, other] = ((await answer.json()) as { pulses: Record<string, unknown>[] }).pulses;
    const error = 'This reader may not see this source';
    assert.equal(own?.['ok'], true);
    assert.deepEqual(other, { sourceId: 'src_bare', ok: false, error, code: 'token_forbidden' });
  });

  it('doesn’t reveal one user’s unlisted id to a user with "*"', async () => {
    await using portal = await openPortal({
      authorize: (request) => (request.get(USER) === 'carol' ? ['src_own'] : '*'),
    });
    const calls = () => portal.service.arrivals.filter(({ url }) => url.includes('src_own')).length;
    const codeFor = async (user: string) =>
      ((await (await portal.ask('/v1/sources/src_own/pulse', user)).json()) as { code: string }).code;
    assert.deepEqual([await codeFor('carol'), calls()], ['pulse_not_found', 1]);
    assert.deepEqual([await codeFor('admin'), calls()], ['source_unknown', 1]);
  });

  for (const [what, authorize, logged] of [
    ['throws', () => Promise.reject(new Error('no database')), 'no database'],
    ['throws a value that isn’t an error', () => Promise.reject('no database'), 'it threw a value of type string'],
    ['returns nothing', () => undefined as never, returned('undefined')],
    ['returns true', () => true as never, returned('a boolean')],
    ['returns a Set', () => new Set(['src_1']) as never, returned('a Set')],
    ['returns another string', () => 'src_1' as never, returned('another string')],
    ['returns an invalid id', () => ['a b'], returned('an array with an item that is not a source id')],
  ] as const)
    it(`responds with 503, shows nothing, and logs the reason if authorize() ${what}`, async () => {
      await using app = await serveApp({}, { authorize });
      const answer = await fetch(`${app.url}/v1/sources/src_1/pulse`);
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('Cache-Control'), 'no-store');
      assert.doesNotMatch(await answer.text(), /database|jobRunId/);
      assert.deepEqual([app.hostFaults, app.faults], [[`authorize() failed: ${logged}`], []]);
    });

  for (const rights of [[], undefined] as const)
    it(`doesn’t touch a response that authorize() has started, even if authorize() returns ${JSON.stringify(rights)}`, async () => {
      await using portal = await openPortal({
        authorize: ({ res }) => {
          res?.status(401).write('Log in ');
          setImmediate(() => res?.end('first'));
          return rights as never;
        },
      });
      const answer = await portal.ask('/v1/sources/src_1/pulse');
      assert.deepEqual([answer.status, await answer.text()], [401, 'Log in first']);
    });

  for (const [name, mustBe] of [
    ['authorize', 'must be a function, or "*" to let every request see all sources'],
    ['clientKey', 'must be a function; leave it out to count requests by address'],
  ] as const)
    for (const value of [undefined, false, ['src_1'], ...(name === 'clientKey' ? ['*'] : [''])])
      it(`doesn’t start if ${name} is ${JSON.stringify(value)}`, () =>
        assert.throws(() => createPulseBff({}, { [name]: value }), {
          name: 'TypeError',
          message: `${name} ${mustBe}`,
        }));

  it('doesn’t start with an unknown option, which could be a misspelled authorize', () =>
    assert.throws(() => createPulseBff({}, { authorise: byUser } as PulseBffOptions), {
      name: 'TypeError',
      message: 'authorise is not an option of createPulseBff(), which takes authorize and clientKey',
    }));

  it('rejects a request if authorize() doesn’t answer within 5 s', async () => {
    const clock = createVirtualClock();
    const authorize = checkedAuthorize(() => new Promise(() => {}), clock);
    const outcome = authorize({} as Request).catch((error: Error) => error.message);
    await clock.advance(4_999);
    assert.equal(clock.pending(), 1);
    await clock.advance(1);
    assert.equal(await outcome, 'authorize() failed: it took 5 s');
  });

  it('calls authorize() once per request, but not for scripts, probes, and unknown paths', async () => {
    const asked: string[] = [];
    await using portal = await openPortal({ authorize: ({ path }) => (asked.push(path), '*') });
    for (const path of ['/v1/pulses?ids=src_1,src_2', '/pulse-card.js', '/healthz', '/v1/openapi.yaml', '/favicon.ico'])
      await (await portal.ask(path)).arrayBuffer();
    assert.deepEqual(asked, ['/v1/pulses']);
  });
});

/** The rights of each session. Alice and Bob have equal rights, so that their answers have equal bodies. */
const SESSIONS: Readonly<Record<string, object>> = {
  alice: { sources: ['src_1'], reader: 'alice' },
  bob: { sources: ['src_1'], reader: 'bob' },
  'José 山田': { sources: '*', reader: 'José 山田\r\nX-Evil: 1' },
  guest: { sources: ['src_1'] },
  nothing: { sources: [], reader: 'nothing' },
};

const bySession = (request: Request) =>
  SESSIONS[decodeURIComponent(request.get(USER) ?? '')] as { sources: string[]; reader?: string };

describe('Pulse-Reader', () => {
  const ALL_PATHS = [...DATA_PATHS, '/v1/sources', '/v1/pulses?ids=src_1'];

  for (const path of ALL_PATHS)
    it(`T-91 names the reader in every response to ${path.split('?')[0]}, including 304 and 403`, async () => {
      await using portal = await openPortal({ authorize: bySession });
      const headersOf = async (user: string, headers = {}) => {
        const { status, headers: sent } = await portal.ask(path, user, headers);
        return { status, reader: sent.get('Pulse-Reader'), tag: sent.get('ETag') };
      };
      const first = await headersOf('alice');
      assert.equal(first.reader, 'alice');
      if (first.tag !== null) {
        const again = await headersOf('alice', { 'If-None-Match': first.tag });
        assert.deepEqual([again.status, again.reader], [304, 'alice']);
      }
      assert.equal((await headersOf('nothing')).reader, 'nothing');
      assert.equal((await headersOf('guest')).reader, null);
    });

  it('T-91 never confirms another reader’s stored response with a 304, even if the bodies are equal', async () => {
    await using portal = await openPortal({ authorize: bySession });
    const path = '/v1/sources/src_1/pulse';
    const tag = (await portal.ask(path, 'alice')).headers.get('ETag') ?? '';
    for (const user of ['bob', 'guest']) {
      const { status } = await portal.ask(path, user, { 'If-None-Match': tag });
      assert.equal(status, 200, user);
    }
  });

  it('is percent-encoded, so that no name can add a header', async () => {
    await using portal = await openPortal({ authorize: bySession });
    const { headers } = await portal.ask('/v1/sources', encodeURIComponent('José 山田'));
    assert.equal(headers.get('Pulse-Reader'), encodeURIComponent('José 山田\r\nX-Evil: 1'));
    assert.equal(headers.get('X-Evil'), null);
  });

  it('is sent with errors that occur after authorize(), such as an unknown source', async () => {
    await using portal = await openPortal({ authorize: () => ({ sources: '*', reader: 'alice' }) });
    for (const path of [
      '/v1/sources/src_9/pulse',
      '/v1/sources/a%20b/pulse',
      '/v1/pulses',
      '/embed/src_9',
      '/oembed',
    ]) {
      const { status, headers } = await portal.ask(path);
      assert.ok(status >= 400, path);
      assert.equal(headers.get('Pulse-Reader'), 'alice', path);
    }
  });

  it('isn’t sent with scripts, probes, and responses for which authorize isn’t called', async () => {
    await using portal = await openPortal({ authorize: () => ({ sources: '*', reader: 'alice' }) });
    for (const path of ['/pulse-card.js', '/healthz', '/v1/openapi.yaml', '/nothing'])
      assert.equal((await portal.ask(path)).headers.get('Pulse-Reader'), null, path);
    const foreign = await portal.ask('/v1/sources', undefined, { Origin: 'https://evil.test' });
    assert.deepEqual([foreign.status, foreign.headers.get('Pulse-Reader')], [403, null]);
  });

  it('accepts a name of 256 characters', async () => {
    const reader = 'ü'.repeat(256);
    await using app = await serveApp({}, { authorize: () => ({ sources: '*', reader }) });
    const { status, headers } = await fetch(`${app.url}/v1/sources`);
    assert.deepEqual([status, decodeURIComponent(headers.get('Pulse-Reader') ?? '')], [200, reader]);
  });

  for (const [what, answer, logged] of [
    ['a reader of 257 characters', { sources: '*', reader: 'x'.repeat(257) }, 'a "reader" of more than 256 characters'],
    ['a number as reader', { sources: '*', reader: 7 }, 'a number as "reader", not a string'],
    ['null as reader', { sources: '*', reader: null }, 'null as "reader", not a string'],
    ['no sources', { reader: 'alice' }, 'an object, not "*" or an array of source ids'],
    ['other sources', { sources: 'src_1' }, 'another string as "sources", not "*" or an array of source ids'],
    ['a misspelled reader', { sources: '*', raeder: 'alice' }, 'an object with more than "sources" and "reader"'],
  ] as const)
    it(`isn’t sent in the 503 after authorize() returns ${what}`, async () => {
      await using app = await serveApp({}, { authorize: () => answer });
      const { status, headers } = await fetch(`${app.url}/v1/sources/src_1/pulse`);
      assert.deepEqual([status, headers.get('Pulse-Reader')], [503, null]);
      assert.deepEqual(app.hostFaults, [`authorize() failed: it returned ${logged}`]);
    });
});

describe('The headers of a mounted router', () => {
  const PROXY = { PULSE_IMAGES: 'proxy' };

  /** An application that requires a login. Its charts come from a separate host. */
  async function openWithCharts() {
    const cdn = await startFakeCdn();
    const withCharts = (request: Request) => (request.get(USER) === undefined ? [] : ['src_1']);
    const service = await startFakeService(answerWithChart(`http://${cdn.host}/run_1.png`));
    const router = await serveRouter(
      {
        PULSE_API_KEY: 'canary-key-0123456789',
        PULSE_PUBLIC_URL: 'https://portal.test',
        PULSE_BASE_URL: service.url,
        PULSE_IMAGE_HOSTS: cdn.host,
        ...PROXY,
      },
      { authorize: withCharts },
    );
    await router.bff.ready;
    return {
      ask: (path: string, headers: Record<string, string>) => fetch(router.url + path, { headers }),
      async [Symbol.asyncDispose]() {
        await router[Symbol.asyncDispose]();
        await service[Symbol.asyncDispose]();
        await cdn[Symbol.asyncDispose]();
      },
    };
  }

  it('T-67 make browsers revalidate a chart, and hide its run from other origins', async () => {
    await using portal = await openWithCharts();
    for (const path of ['/v1/sources/src_1/image?run=run_1', '/v1/sources/src_1/image']) {
      const { status, headers } = await portal.ask(path, { [USER]: 'alice' });
      assert.equal(status, 200, path);
      assert.equal(headers.get('Cache-Control'), 'private, no-cache');
      assert.match(headers.get('Vary') ?? '', /\bCookie\b/);
      assert.equal(headers.get('Cross-Origin-Resource-Policy'), 'same-origin');
      assert.equal(headers.get('Timing-Allow-Origin'), null);
      assert.equal(headers.get('Server-Timing'), 'run;desc="run_1"');
      // After the logout, the browser's copy can't be used.
      const later = await portal.ask(path, { 'If-None-Match': headers.get('ETag') ?? '' });
      assert.equal(later.status, 403, path);
    }
  });

  it('T-67 hide data, frames, and errors from pages on other origins, but not files', async () => {
    await using portal = await openPortal({ authorize: byUser });
    for (const path of ['/v1/sources', '/v1/pulses?ids=src_1', ...DATA_PATHS])
      for (const user of ['alice', 'bob']) {
        const { headers } = await portal.ask(path, user);
        assert.equal(headers.get('Cross-Origin-Resource-Policy'), 'same-origin', path);
        assert.match(headers.get('Vary') ?? '', /\bCookie\b/, path);
      }
    const file = await portal.ask('/v1/openapi.yaml');
    assert.equal(file.headers.get('Cross-Origin-Resource-Policy'), 'cross-origin');
    assert.doesNotMatch(file.headers.get('Vary') ?? '', /Cookie/);
  });
});

describe('A mounted router', () => {
  it('T-67 lets only the reader’s browser keep data, regardless of PULSE_CACHE', async () => {
    await using portal = await openPortal({}, { PULSE_CACHE: 'public' });
    const answer = await portal.ask('/v1/sources/src_1/pulse');
    assert.equal(answer.headers.get('Cache-Control'), 'private, no-cache');
    assert.equal(answer.headers.get('CDN-Cache-Control'), 'no-store');
    assert.match(answer.headers.get('Vary') ?? '', /\bCookie\b/);
    const again = await portal.ask('/v1/sources/src_1/pulse', undefined, {
      'If-None-Match': answer.headers.get('ETag') ?? '',
    });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get('Cache-Control'), 'private, no-cache');
  });

  it('T-94 doesn’t mark the card of a frame as public', async () => {
    await using portal = await openPortal({}, { PULSE_CACHE: 'public' });
    const html = await (await portal.ask('/embed/src_1')).text();
    assert.match(html, /<pulse-card /);
    assert.doesNotMatch(html, /data-public|responsive-embedded-sizing/);
  });

  it('T-67 keeps its files out of shared caches', async () => {
    await using portal = await openPortal({});
    const cacheControl = (await portal.ask('/v1/openapi.yaml')).headers.get('Cache-Control');
    assert.match(cacheControl ?? '', /^private, max-age=300/);
  });
});

describe('clientKey', () => {
  for (const [what, clientKey, words] of [
    ['throws', () => assert.fail('no session'), 'no session'],
    [
      'rejects',
      () => Promise.reject(new Error('no session')) as never,
      'it returned a promise or another object, not a string',
    ],
  ] as const)
    it(`is replaced by the address, and the reason is logged, if it ${what}`, async () => {
      await using app = await serveApp({ PULSE_CLIENT_RATE: '1' }, { clientKey });
      const statusOf = async () => (await fetch(`${app.url}/v1/sources`)).status;
      assert.deepEqual([await statusOf(), await statusOf()], [200, 429]);
      assert.equal(app.answered[0]?.client, '127.0.0.1');
      assert.equal(app.hostFaults[0], `clientKey() failed, so the address is used: ${words}`);
    });

  it('accepts a number or a string as the client id for the per-client limit', async () => {
    let name: string | number = '';
    await using portal = await openPortal({ clientKey: () => name }, { PULSE_CLIENT_RATE: '1' });
    const statuses: number[] = [];
    for (name of [7, 8, '7', 'alice', 'alice']) statuses.push((await portal.ask('/v1/sources')).status);
    assert.deepEqual(statuses, [200, 200, 429, 200, 429]);
  });
});

describe('router.pulse()', () => {
  it('returns the error invalid_source_id for a value that isn’t an id', async () => {
    await using portal = await openPortal({});
    for (const id of [undefined, null, 7, '..']) {
      const outcome = await portal.bff.pulse(id as never);
      assert.deepEqual([outcome.ok, 'code' in outcome && outcome.code], [false, 'invalid_source_id']);
    }
  });

  it('returns a pulse without an HTTP request, with the public fields only', async () => {
    await using portal = await openPortal({});
    const outcome = await portal.bff.pulse('src_1');
    assert.equal(outcome.ok, true);
    assert.doesNotMatch(JSON.stringify(outcome), /account|connectionCount/);
  });

  it('calls authorize(), and rejects a call without a request', async () => {
    await using portal = await openPortal({ authorize: byUser });
    const as = (user: string) => ({ get: () => user }) as unknown as Request;
    assert.equal((await portal.bff.pulse('src_1', as('alice'))).ok, true);
    const refused = await portal.bff.pulse('src_1', as('bob'));
    assert.deepEqual([refused.ok, 'code' in refused && refused.code], [false, 'token_forbidden']);
    await assert.rejects(portal.bff.pulse('src_1'), TypeError);
  });
});
