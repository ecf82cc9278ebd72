import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import type * as batchLoader from './batch-loader.ts';
import { loadPulse } from './batch-loader.ts';
import { ReaderSession } from './reader-session.ts';
import type { Failure } from './result.ts';

const NEVER = new AbortController().signal;

const BASE = 'https://bff.test';
const requests: { url: string; init: RequestInit }[] = [];
let respond: () => Promise<Response> | Response;

function respondToAll(): Response {
  const ids = new URL(requests.at(-1)?.url ?? '').searchParams.get('ids')?.split(',') ?? [];
  return Response.json({
    pulses: ids.map((sourceId) => ({
      sourceId,
      ok: true,
      meta: { stale: false },
      pulse: { ...fullPulse, sourceId },
      source: null,
    })),
  });
}

/** Loads for elements without a token. */
function createLoader() {
  const session = new ReaderSession({ baseUrl: BASE });
  return {
    load: (id: string, revalidate: boolean) => loadPulse(id, { revalidate, getSession: () => session, signal: NEVER }),
  };
}

describe('loadPulse()', () => {
  beforeEach(() => {
    requests.length = 0;
    respond = respondToAll;
    mock.method(globalThis, 'fetch', (url: string, init: RequestInit) => {
      requests.push({ url, init });
      return Promise.resolve(respond());
    });
  });

  it('sends one request, with sorted IDs, for sources that are loaded at the same time', async () => {
    const loader = createLoader();
    const results = await Promise.all(['b', 'a', 'b', 'c'].map((id) => loader.load(id, false)));
    assert.deepEqual(
      requests.map(({ url }) => url),
      [`${BASE}/v1/pulses?ids=a,b,c`],
    );
    assert.deepEqual(
      results.map((result) => result.ok && result.data.sourceId),
      ['b', 'a', 'b', 'c'],
    );
  });

  it('sends a page’s first request without delay and later ones after 10 ms', async (t) => {
    // Each copy of the module has its own first request.
    const { loadPulse } = (await import(`./batch-loader.ts?${Math.random()}`)) as typeof batchLoader;
    const session = new ReaderSession({ baseUrl: BASE });
    const load = (id: string) => void loadPulse(id, { revalidate: false, getSession: () => session, signal: NEVER });
    const requestsAfter = async (ms: number) => {
      t.mock.timers.tick(ms);
      await new Promise(setImmediate);
      return requests.length;
    };
    t.mock.timers.enable({ apis: ['setTimeout'] });
    load('a');
    load('b');
    assert.equal(await requestsAfter(0), 1);
    load('c');
    assert.equal(await requestsAfter(9), 1);
    assert.equal(await requestsAfter(1), 2);
  });

  it('requests at most fifty sources at a time', async () => {
    const loader = createLoader();
    await Promise.all(Array.from({ length: 120 }, (_, at) => loader.load(`s${at}`, false)));
    assert.deepEqual(
      requests.map(({ url }) => url.split(',').length),
      [50, 50, 20],
    );
  });

  it('sends one request per session, based on the session that each card has at that time', async () => {
    const [one, two] = [new ReaderSession({ baseUrl: BASE }), new ReaderSession({ baseUrl: 'https://other.test' })];
    let current = one;
    const results = [
      loadPulse('a', { revalidate: false, signal: NEVER, getSession: () => current }),
      loadPulse('b', { revalidate: false, signal: NEVER, getSession: () => two }),
    ];
    current = two;
    await Promise.all(results);
    assert.deepEqual(
      requests.map(({ url }) => url),
      ['https://other.test/v1/pulses?ids=a,b'],
    );
  });

  it('T-48: adds no headers and sends cookies only to the page’s origin', async () => {
    await createLoader().load('a', false);
    assert.deepEqual([requests[0]?.init.credentials, requests[0]?.init.headers], [undefined, undefined]);
  });

  it('makes the browser revalidate its cached response only if the caller asks for it', async () => {
    const loader = createLoader();
    await loader.load('a', false);
    await loader.load('a', true);
    assert.deepEqual(
      requests.map(({ init }) => init.cache),
      ['default', 'no-cache'],
    );
  });

  it('doesn’t send a request for a load that is aborted beforehand', async () => {
    const session = new ReaderSession({ baseUrl: BASE });
    const aborted = loadPulse('a', { revalidate: false, getSession: () => session, signal: AbortSignal.abort() });
    const result = await loadPulse('b', { revalidate: false, getSession: () => session, signal: NEVER });
    assert.deepEqual([result.ok, (await aborted).ok], [true, false]);
    assert.deepEqual(
      requests.map(({ url }) => url),
      [`${BASE}/v1/pulses?ids=b`],
    );
  });

  it('aborts a request when all loads that share it are aborted', async () => {
    const session = new ReaderSession({ baseUrl: BASE });
    const loads = ['a', 'b'].map((id) => {
      const controller = new AbortController();
      return {
        controller,
        result: loadPulse(id, { revalidate: false, getSession: () => session, signal: controller.signal }),
      };
    });
    respond = () => new Promise(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    const signal = requests[0]?.init.signal;
    loads[0]?.controller.abort();
    assert.equal(signal?.aborted, false);
    loads[1]?.controller.abort();
    assert.equal(signal?.aborted, true);
  });

  it('returns a rejection for each of the requested sources', async () => {
    respond = () =>
      Response.json({ success: false, code: 'rate_limited' }, { status: 429, headers: { 'Retry-After': '7' } });
    const loader = createLoader();
    const results = (await Promise.all([loader.load('a', false), loader.load('b', false)])) as Failure[];
    for (const { status, retryAfterMs } of results) assert.deepEqual([status, retryAfterMs], [429, 7_000]);
  });

  it('waits as long as Retry-After says, but never longer than five minutes', async () => {
    respond = () =>
      Response.json({ success: false, code: 'internal' }, { status: 500, headers: { 'Retry-After': '86400' } });
    assert.equal(((await createLoader().load('a', false)) as Failure).retryAfterMs, 300_000);
  });

  for (const [what, fault, code] of [
    ['no connection', () => Promise.reject(new TypeError('Failed to fetch')), 'network'],
    ['no response in time', () => Promise.reject(new DOMException('late', 'TimeoutError')), 'timeout'],
    ['a body that is cut off', () => new Response(cutOff()), 'network'],
    ['a page instead of JSON', () => new Response('<!doctype html>'), 'invalid_answer'],
    ['a page at the wrong URL', () => new Response('<h1>Not found</h1>', { status: 404 }), 'invalid_answer'],
    ['a 404 from another server', () => Response.json({ error: 'Not Found' }, { status: 404 }), 'invalid_answer'],
    ['a login that has ended', () => new Response('<h1>Sign in</h1>', { status: 401 }), 'signed_out'],
    ['a login that answers in JSON', () => Response.json({ message: 'No' }, { status: 401 }), 'signed_out'],
    ['a login with its own codes', () => Response.json({ code: 'unauthorized' }, { status: 401 }), 'signed_out'],
    ['a 404 with its own code', () => Response.json({ code: 'no_route' }, { status: 404 }), 'invalid_answer'],
    ['the rate limit of a proxy', () => new Response('Slow down', { status: 429 }), 'rate_limited'],
    ['a proxy’s own error page', () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 'network'],
    ['an answer without the source', () => Response.json({ pulses: [] }), 'invalid_answer'],
    [
      'a rejection by the BFF',
      () => Response.json({ success: false, code: 'token_missing' }, { status: 401 }),
      'token_missing',
    ],
  ] as const) {
    it(`returns ${code} for ${what}, and never rejects`, async () => {
      respond = fault;
      assert.equal(((await createLoader().load('a', false)) as Failure).code, code);
    });
  }
});

/** A body whose connection fails before the body is complete. */
function cutOff(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) });
}
