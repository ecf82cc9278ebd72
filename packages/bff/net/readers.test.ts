import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeService, startFakeService } from '../../testkit/src/service/fake-service.ts';
import { type Answer, ask, mount, Net, pulsePath, PUBLIC_URL, tokenVariables, withToken } from './kit.ts';

/** Charts come from the service itself, through the BFF. */
const CHARTS = { PULSE_IMAGES: 'proxy', PULSE_ALLOW_HTTP_UPSTREAM: 'on', PULSE_HISTORY: '5', PULSE_FRESH_MS: '60000' };

/** Alice can see src_001, and Bob can see src_002. The text names its reader. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = { alice: ['src_001'], bob: ['src_002'], none: [] };
const SECRETS = /text-of-bob|src_002|"?run_src_002/;

/** Every route with data, for one source. */
const ROUTES: Readonly<Record<string, (id: string) => string>> = {
  pulse: pulsePath,
  batch: (id) => `/v1/pulses?ids=${id}`,
  image: (id) => `/v1/sources/${id}/image`,
  runs: (id) => `/v1/sources/${id}/runs`,
  fragment: (id) => `/v1/sources/${id}/fragment`,
  embed: (id) => `/embed/${id}`,
  oembed: (id) => `/oembed?url=${encodeURIComponent(`${PUBLIC_URL}/embed/${id}`)}`,
};

type Asker = (path: string, reader?: string, headers?: Record<string, string>) => Promise<Answer>;
const modes: Record<string, Asker> = {};
const opened: AsyncDisposable[] = [];
let services: FakeService[] = [];

function filled(service: FakeService): FakeService {
  service.account.deliver('src_001', { aiSummaryShort: 'text-of-alice' });
  service.account.deliver('src_002', { aiSummaryShort: 'text-of-bob', aiSummaryLong: 'text-of-bob, longer' });
  services.push(service);
  return service;
}

async function process(env: Record<string, string>, headersOf: (reader: string) => Promise<Record<string, string>>) {
  const net = await Net.start({ service: { hasCharts: true }, prepare: filled, env: { ...CHARTS, ...env } });
  opened.push(net);
  return async (path: string, reader = 'alice', headers: Record<string, string> = {}) =>
    net.get(path, { ...(await headersOf(reader)), ...headers });
}

before(async () => {
  const byToken = (reader: string) => withToken(RIGHTS[reader] ?? [], reader);
  const service = filled(await startFakeService({ limit: 1_000_000, sources: 3, hasCharts: true }));
  const [tokens, open, isPrivate, mounted] = await Promise.all([
    process(tokenVariables(), byToken),
    process({}, async () => ({})),
    process({ PULSE_CACHE: 'private' }, async () => ({})),
    mount(
      service,
      {
        authorize: (request) => {
          const reader = request.get('X-User') ?? '';
          return { sources: RIGHTS[reader] ?? [], reader: `reader ${reader} ü` };
        },
      },
      CHARTS,
    ),
  ]);
  opened.push(mounted, service);
  Object.assign(modes, {
    token: tokens,
    public: open,
    private: isPrivate,
    mounted: (path: string, reader = 'alice', headers: Record<string, string> = {}) =>
      ask(mounted.url + path, { headers: { 'X-User': reader, ...headers } }),
  });
  for (const asker of Object.values(modes))
    for (const reader of ['alice', 'bob'])
      for (const route of Object.values(ROUTES)) await asker(route(RIGHTS[reader]![0]!), reader);
});
after(async () => {
  for (const each of opened.toReversed()) await each[Symbol.asyncDispose]();
  services = [];
});

const isKeptByOthers = ({ headers }: Answer): boolean =>
  /public|s-maxage/.test(`${headers.get('cache-control')} ${headers.get('cdn-cache-control') ?? ''}`) ||
  !/private|no-store/.test(headers.get('cache-control') ?? '');

for (const mode of ['token', 'mounted'])
  describe(`Two readers never see each other’s data: ${mode}`, () => {
    for (const [name, route] of Object.entries(ROUTES)) {
      it(`${name}: shows a reader's own source, and no shared cache may keep it`, async () => {
        const answer = await modes[mode]!(route('src_001'));
        assert.equal(answer.status, 200, answer.text);
        assert.ok(!isKeptByOthers(answer), answer.headers.get('cache-control') ?? '');
        assert.doesNotMatch(answer.text, SECRETS);
      });

      it(`${name}: shows nothing of another reader's source, even with its ETag or If-None-Match: *`, async () => {
        const bobs = await modes[mode]!(route('src_002'), 'bob');
        assert.equal(bobs.status, 200, bobs.text);
        for (const tag of ['', bobs.headers.get('etag') ?? '', '*']) {
          const answer = await modes[mode]!(route('src_002'), 'alice', tag === '' ? {} : { 'If-None-Match': tag });
          if (answer.status === 304) assert.deepEqual([name, tag], ['batch', '*']);
          else if (name === 'batch') assert.equal(answer.json.pulses[0].code, 'token_forbidden');
          else assert.equal(answer.status, 403, `${tag} ${answer.text}`);
          assert.doesNotMatch(answer.text, /text-of-bob|run_src_002/);
          assert.ok(!isKeptByOthers(answer));
        }
      });

      it(`${name}: only the source's reader gets a 304`, async () => {
        const first = await modes[mode]!(route('src_001'));
        const tag = first.headers.get('etag');
        if (tag === null) return assert.ok(['oembed', 'embed', 'fragment'].includes(name), name);
        const again = await modes[mode]!(route('src_001'), 'alice', { 'If-None-Match': tag });
        assert.equal(again.status, 304);
        assert.ok(!isKeptByOthers(again));
      });
    }

    it('image: only its reader gets a run’s chart, and no other page can tell which run it is', async () => {
      const { json } = await modes[mode]!(pulsePath('src_001'));
      const { pathname, search } = new URL(json.pulse.imageUrl);
      for (const path of [ROUTES['image']!('src_001'), `${pathname}${search}`]) {
        const answer = await modes[mode]!(path);
        assert.equal(answer.status, 200, answer.text);
        assert.ok(!isKeptByOthers(answer), `${path}: ${answer.headers.get('cache-control')}`);
        assert.equal(answer.headers.get('timing-allow-origin'), null, path);
        assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox", path);
        assert.equal(answer.headers.get('content-type'), 'image/png', path);
      }
    });

    it('the list contains only the reader’s own sources', async () => {
      for (const [reader, ids] of Object.entries(RIGHTS)) {
        const answer = await modes[mode]!('/v1/sources', reader);
        const listed = answer.json.sources.map(({ id }: { id: string }) => id);
        assert.deepEqual(listed, ids);
        assert.ok(!isKeptByOthers(answer));
      }
    });

    it('a batch never mixes permissions', async () => {
      const { json, text } = await modes[mode]!('/v1/pulses?ids=src_002,src_001,src_002');
      const outcomes = json.pulses.map(({ sourceId, ok }: { sourceId: string; ok: boolean }) => [sourceId, ok]);
      assert.deepEqual(outcomes, [
        ['src_002', false],
        ['src_001', true],
      ]);
      assert.doesNotMatch(text, /text-of-bob/);
    });

    it('concurrent readers each get their own responses', async () => {
      const readers = Array.from({ length: 100 }, (_, at) => (at % 2 ? 'alice' : 'bob'));
      const answers = await Promise.all(
        readers.map((reader) => modes[mode]!('/v1/pulses?ids=src_001,src_002', reader)),
      );
      for (const [at, { text }] of answers.entries()) {
        assert.match(text, readers[at] === 'alice' ? /text-of-alice/ : /text-of-bob/);
        assert.doesNotMatch(text, readers[at] === 'alice' ? /text-of-bob/ : /text-of-alice/);
      }
    });
  });

describe('What shared caches may store', () => {
  for (const [name, route] of Object.entries(ROUTES)) {
    it(`public, ${name}: every response varies with the encoding and the origin`, async () => {
      const answer = await modes['public']!(route('src_001'));
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.headers.get('cache-control'), name);
      const vary = answer.headers.get('vary') ?? '';
      assert.match(vary, /accept-encoding/i);
      // Frames and fragments send no `Origin`.
      if (name !== 'embed' && name !== 'fragment') assert.match(vary, /origin/i);
    });

    it(`token, ${name}: every response varies with the token`, async () => {
      const { headers } = await modes['token']!(route('src_001'));
      assert.match(headers.get('vary') ?? '', /authorization/i);
    });

    it(`PULSE_CACHE=private, ${name}: no shared cache may store a response`, async () => {
      for (const path of [route('src_001'), route('src_unknown')]) {
        const answer = await modes['private']!(path);
        assert.ok(!isKeptByOthers(answer), `${path} ${answer.headers.get('cache-control')}`);
      }
    });
  }

  it('PULSE_CACHE=private, list: no shared cache may store it', async () =>
    assert.ok(!isKeptByOthers(await modes['private']!('/v1/sources'))));

  it('mounted: data varies with the cookie and isn’t shared with other origins', async () => {
    for (const route of [ROUTES['pulse']!, ROUTES['batch']!, ROUTES['image']!]) {
      const { headers } = await modes['mounted']!(route('src_001'));
      assert.match(headers.get('cache-control') ?? '', /private.*no-cache/);
      assert.match(headers.get('vary') ?? '', /cookie/i);
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    }
  });
});

describe('Pulse-Reader', () => {
  const reader = encodeURIComponent('reader alice ü');

  it('is included in every response that a mounted router sends once the reader is known', async () => {
    for (const [name, route] of Object.entries(ROUTES)) {
      const own = await modes['mounted']!(route('src_001'));
      assert.equal(own.headers.get('pulse-reader'), reader, name);
      const other = await modes['mounted']!(route('src_002'));
      assert.equal(other.headers.get('pulse-reader'), reader, `${name}, refused`);
    }
    const list = await modes['mounted']!('/v1/sources');
    assert.equal(list.headers.get('pulse-reader'), reader);
  });

  it('is on a 304', async () => {
    for (const path of [
      pulsePath('src_001'),
      ROUTES['batch']!('src_001'),
      '/v1/sources',
      ROUTES['image']!('src_001'),
    ]) {
      const tag = (await modes['mounted']!(path)).headers.get('etag') ?? '';
      const again = await modes['mounted']!(path, 'alice', { 'If-None-Match': tag });
      assert.deepEqual([again.status, again.headers.get('pulse-reader')], [304, reader], path);
    }
  });

  it('is readable across origins and doesn’t identify anyone in a public response', async () => {
    const { headers } = await modes['mounted']!(pulsePath('src_001'), 'alice', { Origin: PUBLIC_URL });
    assert.match(headers.get('access-control-expose-headers') ?? '', /Pulse-Reader/i);
    assert.equal((await modes['public']!(pulsePath('src_001'))).headers.get('pulse-reader'), null);
  });
});
