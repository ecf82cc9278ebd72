import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import { createPulseStore } from './pulse-client.ts';
import type { Failure } from './pulse-outcome.ts';

const BASE = 'https://bff.test';
const requests: { url: string; init: RequestInit }[] = [];
let answer: () => Promise<Response> | Response;

function answerAll(): Response {
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

describe('createPulseStore()', () => {
  beforeEach(() => {
    requests.length = 0;
    answer = answerAll;
    mock.method(globalThis, 'fetch', (url: string, init: RequestInit) => {
      requests.push({ url, init });
      return Promise.resolve(answer());
    });
  });

  it('asks once for all that is asked in one moment, sorted', async () => {
    const store = createPulseStore();
    const outcomes = await Promise.all(['b', 'a', 'b', 'c'].map((id) => store.ask(BASE, id, false)));
    assert.deepEqual(
      requests.map(({ url }) => url),
      [`${BASE}/v1/pulses?ids=a,b,c`],
    );
    assert.deepEqual(
      outcomes.map((outcome) => outcome.ok && outcome.pulse.sourceId),
      ['b', 'a', 'b', 'c'],
    );
  });

  it('names no more than fifty sources in a request', async () => {
    const store = createPulseStore();
    await Promise.all(Array.from({ length: 120 }, (_, at) => store.ask(BASE, `s${at}`, false)));
    assert.deepEqual(
      requests.map(({ url }) => url.split(',').length),
      [50, 50, 20],
    );
  });

  it('asks each BFF for its own', async () => {
    const store = createPulseStore();
    await Promise.all([store.ask(BASE, 'a', false), store.ask('https://other.test', 'a', false)]);
    assert.equal(requests.length, 2);
  });

  it('T-48: sends no headers of its own, and cookies to the page’s own origin alone, which is what fetch does', async () => {
    await createPulseStore().ask(BASE, 'a', false);
    assert.deepEqual([requests[0]?.init.credentials, requests[0]?.init.headers], [undefined, undefined]);
  });

  it('looks past what the browser keeps only when asked again', async () => {
    const store = createPulseStore();
    await store.ask(BASE, 'a', false);
    await store.ask(BASE, 'a', true);
    assert.deepEqual(
      requests.map(({ init }) => init.cache),
      ['default', 'no-cache'],
    );
  });

  it('has cards that failed together wait for the same time', async () => {
    answer = () => Response.json({ code: 'rate_limited' }, { status: 429, headers: { 'Retry-After': '7' } });
    const store = createPulseStore();
    const [a, b] = (await Promise.all([store.ask(BASE, 'a', false), store.ask(BASE, 'b', false)])) as Failure[];
    assert.deepEqual([a?.status, a?.retryAfterMs, a?.jitter], [429, 7_000, b?.jitter]);
  });

  it('believes Retry-After up to five minutes', async () => {
    answer = () => Response.json({ code: 'internal' }, { status: 500, headers: { 'Retry-After': '86400' } });
    assert.equal(((await createPulseStore().ask(BASE, 'a', false)) as Failure).retryAfterMs, 300_000);
  });

  for (const [what, fault, code] of [
    ['no connection', () => Promise.reject(new TypeError('Failed to fetch')), 'network'],
    ['no answer in time', () => Promise.reject(new DOMException('late', 'TimeoutError')), 'timeout'],
    ['a page instead of JSON', () => new Response('<!doctype html>'), 'invalid_answer'],
    ['a proxy’s own error page', () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 'upstream_unavailable'],
    ['an answer to something else', () => Response.json({ pulses: [] }), 'invalid_answer'],
  ] as const) {
    it(`tells of ${what}, and never rejects`, async () => {
      Object.defineProperty(navigator, 'onLine', { value: true, configurable: true });
      answer = fault;
      assert.equal(((await createPulseStore().ask(BASE, 'a', false)) as Failure).code, code);
    });
  }
});
