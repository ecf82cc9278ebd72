import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codedErrorBodySchema, pulsesAnswerSchema, sourcesAnswerSchema } from '@pulse-card/contract';
import { cardWithPulse, countQuestions, hit } from '../testing/fake-cache.ts';
import { AUDIENCE, forge, forgedTokens, goodParts, PORTAL } from '../../../token/src/testing/forged-tokens.ts';
import { type FakeCdn, startFakeCdn } from '../testing/fake-cdn.ts';
import { rawGet, sendRaw } from '../testing/raw-request.ts';
import { type ServedApp, serveApp, tokenVariables } from '../testing/served-app.ts';

const PULSE = '/v1/sources/src_1/pulse';
const GUARDED = [
  PULSE,
  '/v1/pulses?ids=src_1',
  '/v1/sources',
  '/v1/sources/src_1/image?run=run_1',
  '/v1/nothing',
  '/embed/src_1',
  `/oembed?url=${encodeURIComponent(`${AUDIENCE}/embed/src_1`)}`,
];
const OPEN = ['/pulse-card.js', '/pulse-card-lang/de-0.1.0.json', '/v1/openapi.yaml', '/healthz', '/readyz'];

let app: ServedApp;
before(async () => {
  app = await serveApp({ ...tokenVariables, PULSE_ALLOWED_ORIGINS: PORTAL, PULSE_CLIENT_RATE: '0' });
});
after(() => app[Symbol.asyncDispose]());

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
const tokenFor = (more: Readonly<Record<string, unknown>> = {}): string => {
  const { shared, claims } = goodParts(nowSeconds());
  return forge(shared, { ...claims, ...more });
};
const ask = (path: string, token?: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(app.url + path, {
    method,
    headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }), ...headers },
  });
const codeOf = async (response: Response) => codedErrorBodySchema.parse(await response.json()).code;

describe('Where access is by token (T-33, T-34)', () => {
  describe('a reader without one', () => {
    for (const path of GUARDED) {
      it(`gets 401 at ${path.slice(0, 40)}, which no cache keeps, and no question reaches the cache`, async () => {
        const counting = countQuestions(app.cache);
        const response = await ask(path);
        assert.equal(response.status, 401);
        if (path.startsWith('/embed/')) assert.match(await response.text(), /This page may not show this chart\./);
        else assert.equal(await codeOf(response), 'token_missing');
        assert.equal(response.headers.get('WWW-Authenticate'), 'Bearer realm="pulse"');
        assert.equal(response.headers.get('Cache-Control'), 'no-store');
        assert.equal(counting.stop(), 0);
      });
    }

    for (const path of OPEN) {
      it(`may load ${path}`, async () => {
        assert.equal((await ask(path)).status, 200);
      });
    }

    it('finds none in the address, in a cookie or under another scheme', async () => {
      const token = tokenFor();
      const answers = await Promise.all([
        ask(`${PULSE}?token=${token}&access_token=${token}&authorization=Bearer%20${token}`),
        ask(PULSE, undefined, { Cookie: `token=${token}` }),
        ask(PULSE, undefined, { Authorization: `Basic ${token}` }),
        ask(PULSE, undefined, { Authorization: token }),
        ask(PULSE, undefined, { Authorization: 'Bearer' }),
        ask(PULSE, undefined, { 'X-Authorization': `Bearer ${token}` }),
      ]);
      for (const answer of answers) assert.equal(await codeOf(answer), 'token_missing');
    });

    it('is let through a preflight, which allows the header', async () => {
      const headers = { Origin: PORTAL, 'Access-Control-Request-Headers': 'authorization' };
      const response = await ask(PULSE, undefined, headers, 'OPTIONS');
      assert.equal(response.status, 204);
      assert.equal(response.headers.get('Access-Control-Allow-Headers'), 'Authorization, If-None-Match');
      assert.equal(response.headers.get('Access-Control-Allow-Origin'), PORTAL);
      assert.equal(response.headers.get('Access-Control-Allow-Credentials'), null);
    });
  });

  describe('a forged token', () => {
    // All of them: `TokenVerifier`.
    for (const name of ['alg none, no signature', 'another secret', 'an end 30 s ago', 'a jti that is taken back']) {
      it(`with ${name} gets 401 and reaches no cache`, async () => {
        const token = forgedTokens(nowSeconds())[name] ?? assert.fail();
        const counting = countQuestions(app.cache);
        const response = await ask(PULSE, token);
        const body = await response.text();
        assert.deepEqual([response.status, JSON.parse(body).code], [401, 'token_invalid']);
        assert.match(response.headers.get('WWW-Authenticate') ?? '', /error="invalid_token"/);
        assert.equal(response.headers.get('Cache-Control'), 'no-store');
        assert.equal(counting.stop(), 0);
        assert.ok(!(JSON.stringify([...response.headers]) + body).includes(token.slice(0, 10)));
      });
    }

    it('is told apart in the log alone', async () => {
      const before_ = await (await ask(PULSE, 'x.y.z')).text();
      assert.equal(app.answered.at(-1)?.detail, 'malformed');
      assert.equal(await (await ask(PULSE, tokenFor({ jti: 'taken-back' }))).text(), before_);
      assert.equal(app.answered.at(-1)?.detail, 'revoked');
    });
  });

  it('two Authorization headers are one too many', async () => {
    const header = `Authorization: Bearer ${tokenFor()}`;
    const [answer] = await sendRaw(app.port, rawGet(PULSE, [header, 'Authorization: Bearer x', 'Connection: close']));
    assert.equal(answer?.status, 401);
  });

  describe('a good token', () => {
    it('gets answers that no shared cache keeps', async () => {
      for (const path of [PULSE, '/v1/pulses?ids=src_1', '/v1/sources']) {
        const { headers } = await ask(path, tokenFor());
        assert.match(headers.get('Cache-Control') ?? '', /^private, max-age=/);
        assert.equal(headers.get('Vary'), 'Accept-Encoding, Origin, Authorization');
        assert.ok(headers.get('ETag'));
      }
    });

    it('gets pages for frames, and what tells of them, for its sources alone', async () => {
      const logged = (id: string) => `/oembed?url=${encodeURIComponent(`${AUDIENCE}/embed/${id}`)}`;
      for (const path of ['/embed/src_1', logged('src_1')]) {
        const { status, headers } = await ask(path, tokenFor());
        assert.equal(status, 200);
        assert.match(headers.get('Cache-Control') ?? '', /^private/);
        assert.equal(headers.get('CDN-Cache-Control'), 'no-store');
        assert.match(headers.get('Vary') ?? '', /\bAuthorization\b/);
      }
      for (const path of ['/embed/src_bare', logged('src_bare')])
        assert.equal((await ask(path, tokenFor())).status, 403);
    });

    it('gets errors that no cache keeps', async () => {
      const response = await ask('/v1/sources/src_bare/pulse', tokenFor({ sources: ['src_bare'] }));
      assert.deepEqual([response.status, response.headers.get('Cache-Control')], [404, 'no-store']);
    });

    it('works by HEAD, and with the scheme in any case', async () => {
      assert.equal((await ask(PULSE, tokenFor(), {}, 'HEAD')).status, 200);
      assert.equal((await ask(PULSE, undefined, { Authorization: `bEARER  ${tokenFor()}` })).status, 200);
    });
  });

  describe('a token for some sources', () => {
    it('gets 403 for another, known or not, and no question reaches the cache', async () => {
      for (const id of ['src_bare', 'src_none']) {
        const counting = countQuestions(app.cache);
        const response = await ask(`/v1/sources/${id}/pulse`, tokenFor());
        assert.equal(response.status, 403);
        assert.equal(await codeOf(response), 'token_forbidden');
        assert.match(response.headers.get('WWW-Authenticate') ?? '', /insufficient_scope/);
        assert.equal(counting.stop(), 0);
      }
    });

    it('gets an outcome for each id of a batch', async () => {
      const counting = countQuestions(app.cache);
      const response = await ask('/v1/pulses?ids=src_1,src_bare,..,src_none', tokenFor());
      const { pulses } = pulsesAnswerSchema.parse(await response.json());
      assert.deepEqual(
        pulses.map((outcome) => (outcome.ok ? 'ok' : outcome.code)),
        ['ok', 'token_forbidden', 'invalid_source_id', 'token_forbidden'],
      );
      assert.equal(counting.stop(), 1);
    });

    it('never gets what another token was answered for the same address', async () => {
      const outcomes = async (sources: unknown) => {
        const { pulses } = pulsesAnswerSchema.parse(
          await (await ask('/v1/pulses?ids=src_1,src_bare', tokenFor({ sources }))).json(),
        );
        return pulses.map((outcome) => (outcome.ok ? 'ok' : outcome.code));
      };
      for (let round = 0; round < 3; round += 1) {
        assert.deepEqual(await outcomes(['src_1']), ['ok', 'token_forbidden']);
        assert.deepEqual(await outcomes(['src_bare']), ['token_forbidden', 'pulse_not_found']);
        assert.deepEqual(await outcomes('*'), ['ok', 'pulse_not_found']);
      }
    });

    it('sees these alone in the list', async () => {
      const idsFor = async (sources: unknown, query = '') => {
        const response = await ask(`/v1/sources${query}`, tokenFor({ sources }));
        return sourcesAnswerSchema.parse(await response.json()).sources.map(({ id }) => id);
      };
      assert.deepEqual(await idsFor(['src_1']), ['src_1']);
      assert.deepEqual(await idsFor('*'), ['src_1', 'src_bare']);
      assert.deepEqual(await idsFor(['src_none']), []);
      assert.deepEqual(await idsFor([]), []);
      assert.deepEqual(await idsFor('*', '?provider=NONE'), []);
    });
  });

  describe('a token for pages of some origins', () => {
    const bound = () => tokenFor({ origins: [PORTAL] });

    it('works for these', async () => {
      assert.equal((await ask(PULSE, bound(), { Origin: PORTAL })).status, 200);
    });

    it('gets 403 for another page that is allowed, and without a page', async () => {
      for (const headers of [{ Origin: AUDIENCE }, {}]) {
        const response = await ask(PULSE, bound(), headers);
        assert.equal(await codeOf(response), 'token_forbidden');
      }
    });

    it('gets 403 for a page that no token may be used on', async () => {
      const response = await ask(PULSE, tokenFor({ origins: ['https://evil.test'] }), { Origin: 'https://evil.test' });
      assert.equal(await codeOf(response), 'origin_forbidden');
    });

    it("works on the BFF's own pages, whose origin browsers leave out", async () => {
      assert.equal((await ask(PULSE, tokenFor({ origins: [AUDIENCE] }))).status, 200);
    });
  });
});

describe('Where access is public', () => {
  it('a token counts for nothing, and its header is not asked for', async () => {
    await using open = await serveApp({ PULSE_CLIENT_RATE: '0' });
    const response = await fetch(open.url + PULSE, { headers: { Authorization: 'Bearer x.y.z' } });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('Cache-Control') ?? '', /^public/);
    const preflight = await fetch(open.url + PULSE, { method: 'OPTIONS' });
    assert.equal(preflight.headers.get('Access-Control-Allow-Headers'), 'If-None-Match');
  });
});

describe('The address of a chart, where access is by token', () => {
  let cdn: FakeCdn;
  let proxying: ServedApp;
  let address: URL;
  before(async () => {
    cdn = await startFakeCdn();
    proxying = await serveApp({
      ...tokenVariables,
      PULSE_IMAGES: 'proxy',
      PULSE_IMAGE_HOSTS: cdn.host,
      PULSE_CLIENT_RATE: '0',
    });
    const pulse = { ...cardWithPulse.pulse, imageUrl: `http://${cdn.host}/run_1.png` };
    proxying.cache.peeks.set('src_1', hit({ ...cardWithPulse, pulse } as typeof cardWithPulse));
    const response = await fetch(proxying.url + PULSE, { headers: { Authorization: `Bearer ${tokenFor()}` } });
    address = new URL(((await response.json()) as { pulse: { imageUrl: string } }).pulse.imageUrl);
  });
  after(async () => {
    await proxying[Symbol.asyncDispose]();
    await cdn[Symbol.asyncDispose]();
  });

  const load = (query: URLSearchParams | string, path = address.pathname) =>
    fetch(`${proxying.url}${path}?${query}`, { method: 'HEAD' });
  const changed = (more: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams(address.searchParams);
    for (const [name, value] of Object.entries(more)) query.set(name, value);
    return query;
  };

  it('stands for a token, for this reader alone', async () => {
    const response = await load(address.searchParams);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Cache-Control'), 'private, max-age=7200, immutable');
  });

  it('holds no token', () => {
    assert.doesNotMatch(address.href, /eyJ[\w-]*\./);
    assert.deepEqual([...address.searchParams.keys()], ['run', 'exp', 'sig']);
  });

  it('is refused when anything about it is another, and no question reaches the cache', async () => {
    const signature = address.searchParams.get('sig') ?? '';
    const end = Number(address.searchParams.get('exp'));
    const queries = [
      changed({ exp: `0${end}` }),
      changed({ sig: `${signature}=` }),
      changed({ sig: 'x'.repeat(4_000) }),
      `${address.searchParams}&run=run_1`,
      `${address.searchParams}&sig=${signature}`,
      `sig=${signature}`,
    ];
    const counting = countQuestions(proxying.cache);
    for (const query of queries) assert.equal((await load(query)).status, 401, String(query));
    assert.equal((await load(address.searchParams, '/v1/sources/src_bare/image')).status, 401);
    assert.equal((await load(address.searchParams, '/v1/sources/%E0%A4%A/image')).status, 401);
    assert.equal(counting.stop(), 0);
  });

  it('opens nothing but this chart', async () => {
    for (const path of [PULSE, '/v1/sources', '/v1/pulses', '/v1/sources/src_1/image/', '/embed/src_1']) {
      assert.equal((await load(`ids=src_1&${address.searchParams}`, path)).status, 401);
    }
  });

  it('may be asked for with a token in its place', async () => {
    const withToken = (sources: string[]) =>
      fetch(`${proxying.url}${address.pathname}?run=run_1`, {
        method: 'HEAD',
        headers: { Authorization: `Bearer ${tokenFor({ sources })}` },
      });
    assert.equal((await withToken(['src_1'])).status, 200);
    assert.equal((await withToken(['src_bare'])).status, 403);
  });

  it('may be asked for without a run, and is then asked for each time: another run is soon there', async () => {
    const headers = { Authorization: `Bearer ${tokenFor()}` };
    const response = await fetch(proxying.url + address.pathname, { method: 'HEAD', headers });
    assert.equal(response.headers.get('Cache-Control'), 'private, no-cache');
  });
});
