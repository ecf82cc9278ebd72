import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { Bff, bffAt, forgetTokens } from './bff.ts';
import { constantProvider, type TokenProvider } from './token-cache.ts';

interface Request {
  readonly url: string;
  readonly token: string | undefined;
  readonly init: RequestInit;
}

const BASE = 'https://bff.test/cards';
const NOW_MS = Date.UTC(2026, 4, 8);

const requests: Request[] = [];
let statusOf: (request: Request) => number;

/** A token that expires so many seconds from now; its payload needs the letters that base64 does not have. */
function tokenFor(seconds: number, name = 'a'): string {
  const exp = Math.floor(Date.now() / 1_000) + seconds;
  return `h.${Buffer.from(JSON.stringify({ name, odd: '>>>???~~~ü', exp })).toString('base64url')}.s`;
}

const fetchFrom = (bff: Bff) => bff.fetch('/v1/pulses?ids=a', { cache: 'no-cache' });

describe('Bff', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: NOW_MS });
    requests.length = 0;
    statusOf = () => 200;
    mock.method(globalThis, 'fetch', (url: string, init: RequestInit) => {
      const { Authorization } = (init.headers ?? {}) as Record<string, string>;
      const request = { url, token: Authorization?.replace('Bearer ', ''), init };
      requests.push(request);
      return Promise.resolve(new Response(null, { status: statusOf(request) }));
    });
  });
  afterEach(() => mock.timers.reset());

  it('sends nothing of its own where there is no provider', async () => {
    await fetchFrom(new Bff(BASE, undefined));
    assert.deepEqual(requests[0]?.init, { cache: 'no-cache' });
  });

  it('sends the token as a header, and never to where a redirect leads', async () => {
    const token = tokenFor(300);
    await new Bff(BASE, () => token).fetch('/v1/pulses?ids=a', {});
    assert.deepEqual(requests[0]?.init, { headers: { Authorization: `Bearer ${token}` }, redirect: 'error' });
    assert.ok(!requests[0]?.url.includes(token));
  });

  it('asks the provider once for all requests, until ten seconds before the token expires', async () => {
    const provider = mock.fn(() => Promise.resolve(tokenFor(300, String(Date.now()))));
    const bff = new Bff(BASE, provider);
    await Promise.all(Array.from({ length: 20 }, () => fetchFrom(bff)));
    mock.timers.tick(289_999);
    await fetchFrom(bff);
    assert.equal(provider.mock.callCount(), 1);
    mock.timers.tick(1);
    await Promise.all([fetchFrom(bff), fetchFrom(bff)]);
    assert.equal(provider.mock.callCount(), 2);
    assert.notEqual(requests.at(-1)?.token, requests[0]?.token);
  });

  it('asks the provider once for a token that lasts for years', async () => {
    const provider = mock.fn(() => tokenFor(100_000_000));
    const bff = new Bff(BASE, provider);
    await fetchFrom(bff);
    mock.timers.tick(86_400_000);
    await fetchFrom(bff);
    assert.equal(provider.mock.callCount(), 1);
  });

  it('renews a token that is refused, once for all requests that were refused', async () => {
    const tokens = [tokenFor(300, 'old'), tokenFor(300, 'new')];
    const provider = mock.fn(() => Promise.resolve(tokens.shift() ?? 'none'));
    const bff = new Bff(BASE, provider);
    statusOf = ({ token }) => (token === tokenFor(300, 'old') ? 401 : 200);
    const responses = await Promise.all([fetchFrom(bff), fetchFrom(bff), fetchFrom(bff)]);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.deepEqual([provider.mock.callCount(), requests.length], [2, 6]);
  });

  it('gives up where the new token is refused, too, and starts over with the next request', async () => {
    const provider = mock.fn(() => tokenFor(300));
    const bff = new Bff(BASE, provider);
    statusOf = () => 401;
    assert.equal((await fetchFrom(bff)).status, 401);
    assert.deepEqual([requests.length, provider.mock.callCount()], [2, 2]);
    statusOf = () => 200;
    assert.equal((await fetchFrom(bff)).status, 200);
  });

  it('does not renew a token for any other status', async () => {
    const bff = new Bff(BASE, () => tokenFor(300));
    for (const status of [400, 403, 404, 429, 500, 503]) {
      statusOf = () => status;
      assert.equal((await fetchFrom(bff)).status, status);
    }
    assert.equal(requests.length, 6);
  });

  it('calls a provider that has not answered within 10 s a timeout, and asks it again for the next request', async () => {
    let isSilent = true;
    const bff = new Bff(BASE, () => (isSilent ? new Promise<string>(() => {}) : tokenFor(300)));
    const answer = bff.request('/v1/pulses?ids=a', { revalidate: false, signal: new AbortController().signal });
    mock.timers.tick(10_000);
    const { failure } = await answer;
    assert.deepEqual([failure?.code, failure?.retriable, requests.length], ['timeout', true, 0]);
    isSilent = false;
    assert.equal((await fetchFrom(bff)).status, 200);
  });

  const faulty: readonly (readonly [name: string, provider: TokenProvider])[] = [
    ['rejects', () => Promise.reject(new Error('portal down'))],
    [
      'throws',
      () => {
        throw new Error('portal down');
      },
    ],
    ['returns a page in place of a token', () => '<!doctype html><title>Sign in</title>'],
    ['returns nothing', () => ''],
    ['returns what is no text', () => undefined as unknown as string],
    ['returns what only looks like a token', () => 'a.b.c'],
  ];
  for (const [name, provider] of faulty) {
    it(`sends nothing where the provider ${name}, and asks it again for the next request`, async () => {
      let isFaulty = true;
      const bff = new Bff(BASE, () => (isFaulty ? provider() : tokenFor(300)));
      await assert.rejects(fetchFrom(bff));
      assert.equal(requests.length, 0);
      isFaulty = false;
      assert.equal((await fetchFrom(bff)).status, 200);
    });
  }

  it('asks for each request where tokens expire within ten seconds', async () => {
    const provider = mock.fn(() => tokenFor(2));
    const bff = new Bff(BASE, provider);
    await Promise.all([fetchFrom(bff), fetchFrom(bff)]);
    await fetchFrom(bff);
    assert.equal(provider.mock.callCount(), 2);
  });
});

describe('bffAt()', () => {
  const provider = () => '';

  it('is one for elements with the same address and the same provider', () => {
    assert.equal(bffAt(BASE, provider), bffAt(BASE, provider));
    assert.equal(bffAt(BASE, undefined), bffAt(BASE, undefined));
  });

  it('is another for another address or provider', () => {
    const all = [
      bffAt(BASE, provider),
      bffAt('https://other.test', provider),
      bffAt(BASE, () => ''),
      bffAt(BASE, undefined),
    ];
    assert.equal(new Set([...all, bffAt('__proto__', provider)]).size, 5);
  });

  it('is another once the tokens are forgotten', () => {
    const before = bffAt(BASE, provider);
    forgetTokens(provider);
    assert.notEqual(bffAt(BASE, provider), before);
  });
});

describe('constantProvider()', () => {
  it('is one for elements with the same token', () => {
    assert.equal(constantProvider('a'), constantProvider('a'));
    assert.notEqual(constantProvider('a'), constantProvider('b'));
    assert.equal(constantProvider('a')(), 'a');
  });

  it('keeps no token that is unset', () => {
    const before = constantProvider('a');
    forgetTokens(before);
    assert.notEqual(constantProvider('a'), before);
  });
});
