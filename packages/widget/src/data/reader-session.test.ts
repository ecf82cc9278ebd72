import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { forgetTokens, ReaderSession, sessionFor } from './reader-session.ts';
import { RecentLoad, SharedSignal } from './recent-loads.ts';
import { failureOf } from './result.ts';
import { constantProvider, keyOf, type TokenProvider } from './token.ts';

interface Request {
  readonly url: string;
  readonly token: string | undefined;
  readonly init: RequestInit;
}

const BASE = 'https://bff.test/cards';
const NOW_MS = Date.UTC(2026, 4, 8);

const requests: Request[] = [];
let statusOf: (request: Request) => number;

/** A token that expires in a number of seconds. Its payload contains Base64URL characters that Base64 doesn't have. */
function tokenFor(seconds: number, name = 'a', claims: object = {}): string {
  const exp = Math.floor(Date.now() / 1_000) + seconds;
  return `h.${Buffer.from(JSON.stringify({ name, odd: '>>>???~~~ü', exp, ...claims })).toString('base64url')}.s`;
}

/** A response that elements can share. */
const LOAD = new RecentLoad(Promise.resolve(failureOf('source_unknown')), new SharedSignal());

/** How these tests request data. */
const OPTIONS = { revalidate: false, signal: new AbortController().signal };

/** The outcome of a request: 200, or the status and code of its failure. */
async function outcomeOf(session: ReaderSession): Promise<number | string> {
  const { failure } = await session.request('/v1/pulses?ids=a', OPTIONS);
  return failure ? `${failure.status} ${failure.code}` : 200;
}

const sessionWith = (tokenProvider?: TokenProvider) => new ReaderSession({ baseUrl: BASE, tokenProvider });

describe('ReaderSession', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: NOW_MS });
    requests.length = 0;
    statusOf = () => 200;
    mock.method(globalThis, 'fetch', (url: string, init: RequestInit) => {
      const { Authorization } = (init.headers ?? {}) as Record<string, string>;
      const request = { url, token: Authorization?.replace('Bearer ', ''), init };
      requests.push(request);
      return Promise.resolve(Response.json({ success: false, code: 'token_invalid' }, { status: statusOf(request) }));
    });
  });
  afterEach(() => mock.timers.reset());

  it('adds no headers to its requests if there is no token provider', async () => {
    await outcomeOf(sessionWith());
    const { signal: _, ...init } = requests[0]?.init ?? {};
    assert.deepEqual(init, { cache: 'default' });
  });

  it('sends the token as a header and never follows a redirect with it', async () => {
    const token = tokenFor(300);
    await outcomeOf(sessionWith(() => token));
    const { headers, redirect } = requests[0]?.init ?? {};
    assert.deepEqual([headers, redirect], [{ Authorization: `Bearer ${token}` }, 'error']);
    assert.ok(!requests[0]?.url.includes(token));
  });

  it('calls the provider only once for all requests until ten seconds before the token expires', async () => {
    const provider = mock.fn(() => Promise.resolve(tokenFor(300, String(Date.now()))));
    const session = sessionWith(provider);
    await Promise.all(Array.from({ length: 20 }, () => outcomeOf(session)));
    mock.timers.tick(289_999);
    await outcomeOf(session);
    assert.equal(provider.mock.callCount(), 1);
    mock.timers.tick(1);
    await Promise.all([outcomeOf(session), outcomeOf(session)]);
    assert.equal(provider.mock.callCount(), 2);
    assert.notEqual(requests.at(-1)?.token, requests[0]?.token);
  });

  it('calls the provider only once if the token lasts for years', async () => {
    const provider = mock.fn(() => tokenFor(100_000_000));
    const session = sessionWith(provider);
    await outcomeOf(session);
    mock.timers.tick(86_400_000);
    await outcomeOf(session);
    assert.equal(provider.mock.callCount(), 1);
  });

  it('renews a token only once even if several requests with it are rejected', async () => {
    const tokens = [tokenFor(300, 'old'), tokenFor(300, 'new')];
    const provider = mock.fn(() => Promise.resolve(tokens.shift() ?? 'none'));
    const session = sessionWith(provider);
    statusOf = ({ token }) => (token === tokenFor(300, 'old') ? 401 : 200);
    const outcomes = await Promise.all([outcomeOf(session), outcomeOf(session), outcomeOf(session)]);
    assert.deepEqual([outcomes, provider.mock.callCount(), requests.length], [[200, 200, 200], 2, 6]);
  });

  for (const [what, options, named] of [
    ['no reader', () => ({}), 'ada'],
    ['a number as the reader', () => ({ reader: 7 as never }), '7'],
    ['a reader whose name has other escapes', () => ({ reader: 'Ada (Bob)' }), 'Ada%20%28Bob%29'],
    [
      'a token for a reader that the page doesn’t name',
      () => ({ reader: 'bob', tokenProvider: () => tokenFor(300, 'a', { sub: 'ada' }) }),
      'ada',
    ],
  ] as const)
    it(`T-91: accepts a response that names a reader if the session has ${what}`, async () => {
      mock.method(globalThis, 'fetch', () =>
        Promise.resolve(Response.json({}, { headers: { 'Pulse-Reader': named } })),
      );
      assert.equal(await outcomeOf(new ReaderSession({ baseUrl: BASE, ...options() })), 200);
    });

  for (const status of [200, 304, 403, 503])
    it(`T-91: removes its subscribers’ content after a response with status ${status} for a different reader`, async () => {
      const session = new ReaderSession({ baseUrl: BASE, reader: 'Ada & Bob' });
      const failures: unknown[] = [];
      session.subscribe({ hasData: () => true, onReaderChange: (failure) => failures.push(failure?.code) });
      let named: string | undefined = encodeURIComponent('Ada & Bob');
      const answer = () =>
        new Response(status === 304 ? null : '{}', {
          status,
          headers: named === undefined ? {} : { 'Pulse-Reader': named },
        });
      mock.method(globalThis, 'fetch', () => Promise.resolve(answer()));
      await outcomeOf(session);
      named = undefined;
      await outcomeOf(session);
      assert.deepEqual(failures, []);
      for (named of ['bob', '%', '']) {
        const outcome = await outcomeOf(session);
        assert.equal(outcome, '0 signed_out', named);
      }
      assert.deepEqual(failures, ['signed_out', 'signed_out', 'signed_out']);
    });

  it('fails if the new token is also rejected, and requests another token next time', async () => {
    const provider = mock.fn(() => tokenFor(300));
    const session = sessionWith(provider);
    statusOf = () => 401;
    assert.equal(await outcomeOf(session), '401 token_invalid');
    assert.deepEqual([requests.length, provider.mock.callCount()], [2, 2]);
    statusOf = () => 200;
    assert.equal(await outcomeOf(session), 200);
  });

  it('renews a token only after a response with status 401', async () => {
    const session = sessionWith(() => tokenFor(300));
    for (const status of [400, 403, 404, 429, 500, 503]) {
      statusOf = () => status;
      assert.equal(await outcomeOf(session), `${status} token_invalid`);
    }
    assert.equal(requests.length, 6);
  });

  it('fails with a timeout if the provider takes 10 s, and calls the provider again next time', async () => {
    let isSilent = true;
    const session = sessionWith(() => (isSilent ? new Promise<string>(() => {}) : tokenFor(300)));
    const outcome = outcomeOf(session);
    mock.timers.tick(10_000);
    assert.deepEqual([await outcome, requests.length], ['0 timeout', 0]);
    isSilent = false;
    assert.equal(await outcomeOf(session), 200);
  });

  const thrown = (value: unknown) => () => Promise.reject(value);
  const statusError = (status: number) => Object.assign(new Error('No'), { status });
  for (const [what, provider, outcome] of [
    ['rejects', thrown(new Error('portal down')), '0 network'],
    ['throws undefined', thrown(undefined), '0 network'],
    ['throws a 401', thrown(statusError(401)), '401 signed_out'],
    ['throws a 403', thrown(statusError(403)), '403 signed_out'],
    ['throws a response with status 401', thrown(new Response(null, { status: 401 })), '401 signed_out'],
    ['throws a 500', thrown(statusError(500)), '0 network'],
    ['reads a login page as JSON', async () => JSON.parse('<!doctype html>') as string, '0 signed_out'],
    ['returns a login page', () => '\n<!doctype html><title>Sign in</title>', '0 signed_out'],
    ['returns nothing', () => '', '0 invalid_answer'],
    ['returns something that is not text', () => undefined as unknown as string, '0 invalid_answer'],
    ['returns text that only looks like a token', () => 'a.b.c', '0 invalid_answer'],
    ['is a string', 'h.e30.s' as unknown as TokenProvider, '0 token_missing'],
  ] as const) {
    it(`doesn’t send anything if the provider ${what}: ${outcome}`, async () => {
      assert.equal(await outcomeOf(sessionWith(provider)), outcome);
      assert.equal(requests.length, 0);
    });
  }

  it('calls a failed provider again for the next request', async () => {
    let isFaulty = true;
    const session = sessionWith(() => (isFaulty ? Promise.reject(new Error('down')) : tokenFor(300)));
    await outcomeOf(session);
    isFaulty = false;
    assert.equal(await outcomeOf(session), 200);
  });

  it('reports the provider’s error as the cause', async () => {
    const error = statusError(401);
    const { failure } = await sessionWith(thrown(error)).request('/v1/sources', OPTIONS);
    assert.equal(failure?.cause, error);
  });

  it('calls the provider for each request if its tokens expire within ten seconds', async () => {
    const provider = mock.fn(() => tokenFor(2));
    const session = sessionWith(provider);
    await Promise.all([outcomeOf(session), outcomeOf(session)]);
    await outcomeOf(session);
    assert.equal(provider.mock.callCount(), 2);
  });

  it('notifies its subscribers before it sends a different reader’s token', async () => {
    const tokens = [
      tokenFor(300, 'a', { sub: 'bob' }),
      tokenFor(300, 'b', { sub: 'bob' }),
      tokenFor(300, 'c', { sub: 'alice' }),
    ];
    const session = sessionWith(() => tokens.shift() ?? '');
    const sent: number[] = [];
    session.subscribe({ hasData: () => true, onReaderChange: () => sent.push(requests.length) });
    const idle = { hasData: () => false, onReaderChange: () => assert.fail('shows nothing') };
    session.subscribe(idle);
    for (let round = 0; round < 3; round++) {
      await outcomeOf(session);
      session.forgetToken();
    }
    assert.deepEqual(sent, [2]);
    session.unsubscribe(idle);
  });

  for (const [what, load] of [
    [
      'another reader’s token has arrived',
      async () => {
        const tokens = [tokenFor(300, 'a', { sub: 'bob' }), tokenFor(300, 'b', { sub: 'alice' })];
        const session = sessionWith(() => tokens.shift() ?? '');
        await session.token();
        session.loads.set('src_1', LOAD);
        session.forgetToken();
        await session.token();
        return session;
      },
    ],
    [
      'the reader has to sign in',
      async () => {
        mock.method(globalThis, 'fetch', async () =>
          Response.json({ success: false, code: 'signed_out' }, { status: 401 }),
        );
        const session = sessionWith();
        session.loads.set('src_1', LOAD);
        await outcomeOf(session);
        return session;
      },
    ],
  ] as const)
    it(`shares no earlier response with new elements once ${what}`, async () =>
      assert.deepEqual([...(await load()).loads.keys()], []));

  it('T-91: retries a request if a different reader’s token arrives before the response', async () => {
    const tokens = [tokenFor(300, 'a', { sub: 'bob' }), tokenFor(300, 'b', { sub: 'alice' })];
    const session = sessionWith(() => tokens.shift() ?? '');
    const { promise, resolve } = Promise.withResolvers<Response>();
    mock.method(globalThis, 'fetch', (_: string, init: RequestInit) => {
      const { Authorization = '' } = init.headers as Record<string, string>;
      const isBobs = Authorization.includes(tokenFor(300, 'a', { sub: 'bob' }));
      return isBobs ? promise : Promise.resolve(Response.json('of alice'));
    });
    const first = session.request('/v1/pulses?ids=a', OPTIONS);
    await new Promise(setImmediate);
    session.forgetToken();
    const second = session.request('/v1/pulses?ids=b', OPTIONS);
    await new Promise(setImmediate);
    resolve(Response.json('of bob'));
    assert.deepEqual([(await first).body, (await second).body], ['of alice', 'of alice']);
  });

  it('doesn’t use a token that was dropped before it arrived', async () => {
    const given = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    let asked = 0;
    const session = sessionWith(() => (given[asked++] as PromiseWithResolvers<string>).promise);
    const outcome = outcomeOf(session);
    session.forgetToken();
    given[0]?.resolve(tokenFor(300, 'bob'));
    given[1]?.resolve(tokenFor(300, 'alice'));
    await outcome;
    assert.deepEqual(
      requests.map(({ token }) => token),
      [tokenFor(300, 'alice')],
    );
  });

  for (const [what, aud, isSent] of [
    ['its own URL', BASE, true],
    ['its own URL with a slash', `${BASE}/`, true],
    ['one of several URLs', ['https://other.test', BASE], true],
    ['a name that isn’t a URL', 'pulse', true],
    ['any BFF', undefined, true],
    ['another host', 'https://other.test/cards', false],
    ['another path', 'https://bff.test/', false],
    ['several other URLs', ['https://other.test', 'pulse'], false],
    ['another path of its page', '/pulse', false],
  ] as const) {
    it(`T-90: ${isSent ? 'sends' : 'doesn’t send'} a token that is for ${what}`, async () => {
      const outcome = await outcomeOf(sessionWith(() => tokenFor(300, 'a', { aud })));
      assert.deepEqual([outcome, requests.length], isSent ? [200, 1] : ['0 token_invalid', 0]);
    });
  }
});

describe('sessionFor()', () => {
  const subscriber = { hasData: () => true, onReaderChange: () => {} };
  const tokenProvider = () => tokenFor(300);
  const shared = (options: Parameters<typeof sessionFor>[0]) => {
    const session = sessionFor(options);
    session.subscribe(subscriber);
    return session;
  };

  it('returns the same session for elements with the same URL, provider, and reader', () => {
    for (const options of [{ baseUrl: BASE, tokenProvider }, { baseUrl: BASE }, { baseUrl: BASE, reader: 'bob' }])
      assert.equal(shared(options), sessionFor(options));
  });

  it('returns a different session for a different URL, provider, or reader', () => {
    const all = [
      shared({ baseUrl: BASE, tokenProvider }),
      shared({ baseUrl: '__proto__', tokenProvider }),
      shared({ baseUrl: BASE, tokenProvider: () => '' }),
      shared({ baseUrl: BASE, tokenProvider, reader: 'bob' }),
      shared({ baseUrl: BASE, tokenProvider, reader: 'alice' }),
      shared({ baseUrl: BASE }),
    ];
    assert.equal(new Set(all).size, 6);
  });

  it('returns a new session after the last subscriber of the previous one has left', () => {
    const options = { baseUrl: BASE, tokenProvider };
    const before = new ReaderSession(options);
    before.subscribe(subscriber);
    before.unsubscribe(subscriber);
    assert.notEqual(sessionFor(options), before);
  });
});

describe('forgetTokens()', () => {
  it('makes the next request call the provider again and notifies all subscribers', async () => {
    mock.method(globalThis, 'fetch', () => Promise.resolve(Response.json({})));
    const provider = mock.fn(() => tokenFor(3_000));
    let told = 0;
    const options = { baseUrl: 'https://forget.test', tokenProvider: provider };
    const session = sessionFor(options);
    session.subscribe({ hasData: () => false, onReaderChange: () => (told += 1) });
    await outcomeOf(session);
    forgetTokens();
    await outcomeOf(session);
    assert.deepEqual([provider.mock.callCount(), told], [2, 1]);
  });
});

describe('keyOf()', () => {
  it('is the same for providers with the same token', () => {
    assert.equal(keyOf(constantProvider('a')), keyOf(constantProvider('a')));
    assert.notEqual(keyOf(constantProvider('a')), keyOf(constantProvider('b')));
  });

  it('changes after the page has forgotten its tokens', () => {
    const before = keyOf(constantProvider('a'));
    forgetTokens();
    assert.notEqual(keyOf(constantProvider('a')), before);
  });

  it('is the function itself for any other provider', () => {
    const provider = () => 'a';
    assert.equal(keyOf(provider), provider);
  });
});

describe('constantProvider()', () => {
  it('returns its token', () => assert.equal(constantProvider('a')(), 'a'));
});
