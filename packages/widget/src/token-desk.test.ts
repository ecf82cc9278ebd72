import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { fetchData, provideTokens } from './token-desk.ts';

interface Request {
  readonly url: string;
  readonly token: string | undefined;
  readonly init: RequestInit;
}

const requests: Request[] = [];
let answer: (request: Request) => number;
let bases = 0;

const NOW_MS = Date.UTC(2026, 4, 8);

/** A token that ends so many seconds from now; its payload needs the letters that base64 has not. */
function tokenFor(seconds: number, name = 'a'): string {
  const exp = Math.floor(Date.now() / 1_000) + seconds;
  return `h.${Buffer.from(JSON.stringify({ name, odd: '>>>???~~~ü', exp })).toString('base64url')}.s`;
}

/** The address of a BFF that no other test knows. */
const newBase = (): string => `https://bff-${bases++}.test/cards`;

const ask = (base: string, path = '/v1/pulses?ids=a') => fetchData(base + path, { cache: 'no-cache' });

describe('fetchData()', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: NOW_MS });
    requests.length = 0;
    answer = () => 200;
    mock.method(globalThis, 'fetch', (url: string, init: RequestInit) => {
      const { Authorization } = (init.headers ?? {}) as Record<string, string>;
      const request = { url, token: Authorization?.replace('Bearer ', ''), init };
      requests.push(request);
      return Promise.resolve(new Response(null, { status: answer(request) }));
    });
  });
  afterEach(() => mock.timers.reset());

  it('sends nothing of its own where the page has no tokens', async () => {
    await ask(newBase());
    assert.deepEqual(requests[0]?.init, { cache: 'no-cache' });
  });

  it('sends the token as a header, beside those there are, and never to where a redirect leads', async () => {
    const base = newBase();
    const token = tokenFor(300);
    provideTokens(base, () => token);
    await fetchData(`${base}/v1/events?ids=a`, { headers: { 'Last-Event-ID': 'x' } });
    assert.deepEqual(requests[0]?.init, {
      headers: { 'Last-Event-ID': 'x', Authorization: `Bearer ${token}` },
      redirect: 'error',
    });
    assert.ok(!requests[0]?.url.includes(token));
  });

  it('sends it to the BFF that it is for, and to no other', async () => {
    const base = newBase();
    provideTokens(base, () => tokenFor(300));
    for (const other of [
      newBase(),
      `${base}.evil.test`,
      `${base}/v1/x`,
      base.slice(0, -1),
      'https://evil.test',
      '__proto__',
    ]) {
      await ask(other);
    }
    assert.deepEqual(new Set(requests.map(({ token }) => token)), new Set([undefined]));
    assert.equal((Object.prototype as { provider?: unknown }).provider, undefined);
  });

  it('knows a BFF below a path that looks like its own', async () => {
    const base = `${newBase()}/v1/cards`;
    provideTokens(base, () => tokenFor(300));
    for (const path of ['/v1/pulses?ids=a', '/v1/sources', '/v1/sources?provider=a%2Fb', '/v1/events?ids=a'])
      await ask(base, path);
    assert.ok(requests.every(({ token }) => token !== undefined));
  });

  it('asks the provider once for all that is asked, until ten seconds before the end', async () => {
    const base = newBase();
    const provider = mock.fn(() => Promise.resolve(tokenFor(300, String(Date.now()))));
    provideTokens(base, provider);
    await Promise.all(Array.from({ length: 20 }, () => ask(base)));
    mock.timers.tick(289_999);
    await ask(base);
    assert.equal(provider.mock.callCount(), 1);
    mock.timers.tick(1);
    await Promise.all([ask(base), ask(base)]);
    assert.equal(provider.mock.callCount(), 2);
    assert.notEqual(requests.at(-1)?.token, requests[0]?.token);
  });

  it('asks the provider that the page gave last', async () => {
    const base = newBase();
    provideTokens(base, () => tokenFor(300, 'first'));
    provideTokens(base, () => tokenFor(300, 'last'));
    await ask(base);
    assert.equal(requests[0]?.token, tokenFor(300, 'last'));
  });

  it('asks anew, once, for all whose token is refused at the same time', async () => {
    const base = newBase();
    const tokens = [tokenFor(300, 'old'), tokenFor(300, 'new')];
    const provider = mock.fn(() => Promise.resolve(tokens.shift() ?? 'none'));
    provideTokens(base, provider);
    answer = ({ token }) => (token === tokenFor(300, 'old') ? 401 : 200);
    const answers = await Promise.all([ask(base), ask(base), ask(base)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(provider.mock.callCount(), 2);
    assert.equal(requests.length, 6);
  });

  it('gives up where the new token is refused, too, and tries again with the next question', async () => {
    const base = newBase();
    const provider = mock.fn(() => tokenFor(300));
    provideTokens(base, provider);
    answer = () => 401;
    assert.equal((await ask(base)).status, 401);
    assert.deepEqual([requests.length, provider.mock.callCount()], [2, 2]);
    answer = () => 200;
    assert.equal((await ask(base)).status, 200);
  });

  it('does not ask anew where something else is refused', async () => {
    const base = newBase();
    provideTokens(base, () => tokenFor(300));
    for (const status of [400, 403, 404, 429, 500, 503]) {
      answer = () => status;
      assert.equal((await ask(base)).status, status);
    }
    assert.equal(requests.length, 6);
  });

  const faulty: readonly (readonly [name: string, provider: () => string | Promise<string>])[] = [
    ['rejects', () => Promise.reject(new Error('portal down'))],
    [
      'throws',
      () => {
        throw new Error('portal down');
      },
    ],
    ['gives a page in place of a token', () => '<!doctype html><title>Sign in</title>'],
    ['gives nothing', () => ''],
    ['gives what is no text', () => undefined as unknown as string],
    ['gives what only looks like a token', () => 'a.b.c'],
  ];
  for (const [name, provider] of faulty) {
    it(`rejects, and sends nothing, where the provider ${name}; the next question asks it again`, async () => {
      const base = newBase();
      let isFaulty = true;
      provideTokens(base, () => (isFaulty ? provider() : tokenFor(300)));
      await assert.rejects(ask(base));
      assert.equal(requests.length, 0);
      isFaulty = false;
      mock.timers.tick(1);
      assert.equal((await ask(base)).status, 200);
    });
  }

  it('asks for each question where tokens end sooner than that', async () => {
    const base = newBase();
    const provider = mock.fn(() => tokenFor(2));
    provideTokens(base, provider);
    await Promise.all([ask(base), ask(base)]);
    mock.timers.tick(1);
    await ask(base);
    assert.equal(provider.mock.callCount(), 2);
  });
});
