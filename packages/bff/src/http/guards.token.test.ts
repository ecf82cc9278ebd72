import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { codedErrorBodySchema, pulseAnswerSchema, pulsesAnswerSchema, sourcesAnswerSchema } from '@pulse-card/contract';
import { fullPulse } from '@pulse-card/contract/examples';
import { cardWithPulse, countQuestions, hit } from '../testing/fake-cache.ts';
import { AUDIENCE, forgedTokens, PORTAL, tokenAt } from '../../../token/src/testing/forged-tokens.ts';
import { startFakeCdn } from '../testing/fake-cdn.ts';
import { rawGet, sendRaw } from '../testing/raw-request.ts';
import { serveApp, tokenVariables } from '../testing/served-app.ts';

const PULSE = '/v1/sources/src_1/pulse';
const oembedOf = (id: string) => `/oembed?url=${encodeURIComponent(`${AUDIENCE}/embed/${id}`)}`;
const GUARDED = [PULSE, '/v1/pulses?ids=src_1', '/v1/sources', '/embed/src_1', oembedOf('src_1')];
const CLOSED = [...GUARDED, '/v1/sources/src_1/image?run=run_1', '/v1/nothing'];
const OPEN = ['/pulse-card.js', '/pulse-card-lang/de-0.1.0.json', '/v1/openapi.yaml', '/healthz', '/readyz'];

const app = await serveApp({ ...tokenVariables, PULSE_ALLOWED_ORIGINS: PORTAL, PULSE_CLIENT_RATE: '0' });
after(() => app[Symbol.asyncDispose]());

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
const tokenFor = (more?: object): string => tokenAt(nowSeconds(), more);
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(app.url + path, { method, headers });
const askWith = (path: string, token: string, headers = {}, method = 'GET') =>
  ask(path, { Authorization: `Bearer ${token}`, ...headers }, method);
const codeOf = async (response: Response) => codedErrorBodySchema.parse(await response.json()).code;

describe('With tokens (T-33, T-34)', () => {
  describe('a reader without a token', () => {
    for (const path of CLOSED) {
      it(`gets an uncached 401 at ${path.slice(0, 40)}, without a cache lookup`, async () => {
        const counting = countQuestions(app.cache);
        const response = await ask(path);
        assert.equal(response.status, 401);
        if (path.startsWith('/embed/')) assert.match(await response.text(), /You don’t have access to this chart\./);
        else assert.equal(await codeOf(response), 'token_missing');
        assert.equal(response.headers.get('WWW-Authenticate'), 'Bearer realm="pulse"');
        assert.equal(response.headers.get('Cache-Control'), 'no-store');
        assert.equal(counting.stop(), 0);
      });
    }

    for (const path of OPEN) it(`may load ${path}`, async () => assert.equal((await ask(path)).status, 200));

    it('can’t send a token in the address, in a cookie, or under another scheme', async () => {
      const token = tokenFor();
      const answers = await Promise.all([
        ask(`${PULSE}?token=${token}&access_token=${token}&authorization=Bearer%20${token}`),
        ask(PULSE, { Cookie: `token=${token}` }),
        ask(PULSE, { Authorization: `Basic ${token}` }),
        ask(PULSE, { Authorization: token }),
        ask(PULSE, { Authorization: 'Bearer' }),
        ask(PULSE, { 'X-Authorization': `Bearer ${token}` }),
      ]);
      for (const answer of answers) assert.equal(await codeOf(answer), 'token_missing');
    });

    it('gets a preflight response that allows the Authorization header', async () => {
      const headers = { Origin: PORTAL, 'Access-Control-Request-Headers': 'authorization' };
      const response = await ask(PULSE, headers, 'OPTIONS');
      assert.equal(response.status, 204);
      assert.equal(response.headers.get('Access-Control-Allow-Headers'), 'Authorization, If-None-Match');
      assert.equal(response.headers.get('Access-Control-Allow-Origin'), PORTAL);
      assert.equal(response.headers.get('Access-Control-Allow-Credentials'), null);
    });
  });

  describe('a token', () => {
    it('gets 401, isn’t repeated, and doesn’t reach the cache if it is forged', async () => {
      // The tests of `TokenVerifier` cover all forged tokens.
      const token = forgedTokens(nowSeconds())['another secret'] ?? assert.fail();
      const counting = countQuestions(app.cache);
      const response = await askWith(PULSE, token);
      const body = await response.text();
      assert.deepEqual([response.status, JSON.parse(body).code], [401, 'token_invalid']);
      assert.match(response.headers.get('WWW-Authenticate') ?? '', /error="invalid_token"/);
      assert.equal(response.headers.get('Cache-Control'), 'no-store');
      assert.equal(counting.stop(), 0);
      assert.ok(!(JSON.stringify([...response.headers]) + body).includes(token.slice(0, 10)));
    });

    it('is rejected, and only the log contains the reason', async () => {
      const malformed = await (await askWith(PULSE, 'x.y.z')).text();
      assert.equal(app.answered.at(-1)?.detail, 'malformed');
      assert.equal(await (await askWith(PULSE, tokenFor({ jti: 'taken-back' }))).text(), malformed);
      assert.equal(app.answered.at(-1)?.detail, 'revoked');
    });

    it('is rejected if there are two Authorization headers', async () => {
      const header = `Authorization: Bearer ${tokenFor()}`;
      const [answer] = await sendRaw(app.port, rawGet(PULSE, [header, 'Authorization: Bearer x', 'Connection: close']));
      assert.equal(answer?.status, 401);
    });

    it('gets responses that shared caches must not store', async () => {
      for (const path of GUARDED) {
        const { status, headers } = await askWith(path, tokenFor());
        assert.equal(status, 200);
        assert.match(headers.get('Cache-Control') ?? '', /^private, max-age=/);
        assert.equal(headers.get('CDN-Cache-Control'), 'no-store');
        assert.match(headers.get('Vary') ?? '', /\bAuthorization\b/);
        assert.ok(headers.get('ETag'));
        assert.ok(headers.get('X-Request-Id'));
      }
    });

    it('gets errors that are never cached', async () => {
      const response = await askWith('/v1/sources/src_bare/pulse', tokenFor({ sources: ['src_bare'] }));
      assert.deepEqual([response.status, response.headers.get('Cache-Control')], [404, 'no-store']);
    });

    it('works with HEAD, and with the scheme in any letter case', async () => {
      assert.equal((await askWith(PULSE, tokenFor(), {}, 'HEAD')).status, 200);
      assert.equal((await ask(PULSE, { Authorization: `bEARER  ${tokenFor()}` })).status, 200);
    });
  });

  describe('a token for some sources', () => {
    for (const path of [
      '/v1/sources/src_bare/pulse',
      '/v1/sources/src_none/pulse',
      '/embed/src_bare',
      oembedOf('src_bare'),
    ])
      it(`gets 403 for another source at ${path.slice(0, 40)}, without a cache lookup`, async () => {
        const counting = countQuestions(app.cache);
        const response = await askWith(path, tokenFor());
        assert.equal(response.status, 403);
        assert.equal(app.answered.at(-1)?.code, 'token_forbidden');
        assert.match(response.headers.get('WWW-Authenticate') ?? '', /insufficient_scope/);
        assert.equal(counting.stop(), 0);
      });

    const outcomesOf = async (ids: string, sources: unknown) => {
      const response = await askWith(`/v1/pulses?ids=${ids}`, tokenFor({ sources }));
      const { pulses } = pulsesAnswerSchema.parse(await response.json());
      return pulses.map((outcome) => (outcome.ok ? 'ok' : outcome.code));
    };

    it('gets a result for each id in a batch', async () => {
      const counting = countQuestions(app.cache);
      const outcomes = ['ok', 'token_forbidden', 'invalid_source_id', 'token_forbidden'];
      assert.deepEqual(await outcomesOf('src_1,src_bare,..,src_none', ['src_1']), outcomes);
      assert.equal(counting.stop(), 1);
    });

    for (const sources of [['src_1'], []])
      it(`lists only its sources: ${sources.join() || 'none'}`, async () => {
        const response = await askWith('/v1/sources', tokenFor({ sources }));
        const listed = sourcesAnswerSchema.parse(await response.json()).sources;
        assert.deepEqual(
          listed.map(({ id }) => id),
          sources,
        );
      });

    it('never gets another token’s response for the same address', async () => {
      for (let round = 0; round < 3; round += 1) {
        assert.deepEqual(await outcomesOf('src_1,src_bare', ['src_1']), ['ok', 'token_forbidden']);
        assert.deepEqual(await outcomesOf('src_1,src_bare', ['src_bare']), ['token_forbidden', 'pulse_not_found']);
        assert.deepEqual(await outcomesOf('src_1,src_bare', '*'), ['ok', 'pulse_not_found']);
      }
    });
  });

  describe('a token for pages on some origins', () => {
    // Browsers omit the Origin header if a page sends a request to its own server.
    for (const [what, origins, origin, code] of [
      ['works for pages on these origins', [PORTAL], PORTAL, undefined],
      ["works on the BFF's own pages", [AUDIENCE], undefined, undefined],
      ['is rejected for a page on another allowed origin', [PORTAL], AUDIENCE, 'token_forbidden'],
      ['is rejected for a request without an origin', [PORTAL], undefined, 'token_forbidden'],
      ['is rejected for a page on a forbidden origin', ['https://evil.test'], 'https://evil.test', 'origin_forbidden'],
    ] as const)
      it(what, async () => {
        const response = await askWith(PULSE, tokenFor({ origins }), origin && { Origin: origin });
        assert.deepEqual([response.ok, app.answered.at(-1)?.code], [code === undefined, code]);
      });
  });
});

const cdn = await startFakeCdn();
const proxying = await serveApp({ ...tokenVariables, PULSE_IMAGES: 'proxy', PULSE_IMAGE_HOSTS: cdn.host });
after(async () => {
  for (const served of [proxying, cdn]) await served[Symbol.asyncDispose]();
});
const pulse = { ...fullPulse, imageUrl: `http://${cdn.host}/run_1.png` };
proxying.cache.peeks.set('src_1', hit({ ...cardWithPulse, pulse }));
const answer = await fetch(proxying.url + PULSE, { headers: { Authorization: `Bearer ${tokenFor()}` } });
const address = new URL(pulseAnswerSchema.parse(await answer.json()).pulse.imageUrl ?? '');

describe('The address of a chart, with tokens', () => {
  const load = (query: URLSearchParams | string, path = address.pathname, headers = {}) =>
    fetch(`${proxying.url}${path}?${query}`, { method: 'HEAD', headers });

  it('works without a token, isn’t stored by shared caches, and contains no token', async () => {
    const response = await load(address.searchParams);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Cache-Control'), 'private, max-age=7200, immutable');
    assert.deepEqual([...address.searchParams.keys()], ['run', 'exp', 'sig']);
    assert.doesNotMatch(address.href, /eyJ[\w-]*\./);
  });

  it('is rejected without a cache lookup if any part of the address is changed', async () => {
    const { searchParams, search } = address;
    const signature = searchParams.get('sig') ?? '';
    const counting = countQuestions(proxying.cache);
    for (const query of [
      search.replace('exp=', 'exp=0'),
      `${searchParams}=`,
      search.replace(signature, 'x'.repeat(4_000)),
      `${searchParams}&run=run_1`,
      `${searchParams}&sig=${signature}`,
      `sig=${signature}`,
    ])
      assert.equal((await load(query.replace('?', ''))).status, 401, query);
    for (const id of ['src_bare', '%E0%A4%A'])
      assert.equal((await load(searchParams, `/v1/sources/${id}/image`)).status, 401, id);
    assert.equal(counting.stop(), 0);
  });

  it('doesn’t give access to other routes', async () => {
    for (const path of [PULSE, '/v1/sources', '/v1/pulses', '/v1/sources/src_1/image/', '/embed/src_1'])
      assert.equal((await load(`ids=src_1&${address.searchParams}`, path)).status, 401, path);
  });

  it('can also be requested with a token for its source', async () => {
    const headers = (sources: string[]) => ({ Authorization: `Bearer ${tokenFor({ sources })}` });
    assert.equal((await load('run=run_1', undefined, headers(['src_1']))).status, 200);
    assert.equal((await load('run=run_1', undefined, headers(['src_bare']))).status, 403);
    const latest = await load('', undefined, headers(['src_1']));
    assert.equal(latest.headers.get('Cache-Control'), 'private, no-cache');
  });

  it('needs no signature if a card on another site sends its token', async () => {
    const variables = { PULSE_ALLOWED_ORIGINS: PORTAL, PULSE_IMAGE_HOSTS: cdn.host };
    await using direct = await serveApp({ ...tokenVariables, ...variables });
    direct.cache.peeks.set('src_1', hit({ ...cardWithPulse, pulse }));
    const headers = { Authorization: `Bearer ${tokenFor()}`, Origin: PORTAL };
    const response = await fetch(`${direct.url}/v1/sources/src_1/image?run=run_1`, { headers });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Content-Type'), 'image/png');
    assert.equal(response.headers.get('Access-Control-Allow-Origin'), PORTAL);
  });
});
