import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FakeService } from '../../testkit/src/service/fake-service.ts';
import { type Answer, ask, mount, pulsePath, PUBLIC_URL, startNet, tokenVariables, withToken } from './kit.ts';

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

/** What each mode's responses to Alice say about her. */
const OF_ALICE: Readonly<Record<string, { readonly reader: string; readonly vary: RegExp }>> = {
  token: { reader: 'alice', vary: /authorization/i },
  mounted: { reader: encodeURIComponent('reader alice ü'), vary: /cookie/i },
};

function fill({ account }: FakeService): void {
  account.deliver('src_001', { aiSummaryShort: 'text-of-alice' });
  account.deliver('src_002', { aiSummaryShort: 'text-of-bob', aiSummaryLong: 'text-of-bob, longer' });
}

before(async () => {
  const net = await startNet({ service: { hasCharts: true }, prepare: fill, env: { ...CHARTS, ...tokenVariables() } });
  const authorize = (request: { get(name: string): string | undefined }) => {
    const reader = request.get('X-User') ?? '';
    return { sources: RIGHTS[reader] ?? [], reader: `reader ${reader} ü` };
  };
  const mounted = await mount(net.service, { authorize }, CHARTS);
  opened.push(net, mounted);
  modes['token'] = async (path, reader = 'alice', headers = {}) =>
    net.get(path, { ...(await withToken(RIGHTS[reader] ?? [], reader)), ...headers });
  modes['mounted'] = (path, reader = 'alice', headers = {}) =>
    ask(mounted.url + path, { headers: { 'X-User': reader, ...headers } });
  for (const asker of Object.values(modes))
    for (const reader of ['alice', 'bob'])
      for (const route of Object.values(ROUTES)) await asker(route(RIGHTS[reader]![0]!), reader);
});
after(async () => {
  for (const each of opened.toReversed()) await each[Symbol.asyncDispose]();
});

const isKeptByOthers = ({ headers }: Answer): boolean =>
  /public|s-maxage/.test(`${headers.get('cache-control')} ${headers.get('cdn-cache-control') ?? ''}`) ||
  !/private|no-store/.test(headers.get('cache-control') ?? '');

for (const [mode, { reader, vary }] of Object.entries(OF_ALICE))
  describe(`Two readers never see each other’s data: ${mode}`, () => {
    /** Checks that a response names its reader, whose cache is the only one that may keep it. */
    function isOnlyForAlice(answer: Answer): void {
      assert.ok(!isKeptByOthers(answer), answer.headers.get('cache-control') ?? '');
      assert.match(answer.headers.get('vary') ?? '', vary);
      assert.equal(answer.headers.get('pulse-reader'), reader);
    }

    for (const [name, route] of Object.entries(ROUTES)) {
      it(`${name}: only the source's reader gets it, or a 304, and no shared cache may keep it`, async () => {
        const answer = await modes[mode]!(route('src_001'));
        assert.equal(answer.status, 200, answer.text);
        isOnlyForAlice(answer);
        assert.doesNotMatch(answer.text, SECRETS);
        const tag = answer.headers.get('etag');
        if (tag === null) return assert.ok(['oembed', 'embed', 'fragment'].includes(name), name);
        const again = await modes[mode]!(route('src_001'), 'alice', { 'If-None-Match': tag });
        assert.equal(again.status, 304);
        isOnlyForAlice(again);
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
          isOnlyForAlice(answer);
        }
      });
    }

    it('image: a run’s chart can only be shown, and no other page can tell which run it is', async () => {
      const { json } = await modes[mode]!(pulsePath('src_001'));
      const { pathname, search } = new URL(json.pulse.imageUrl);
      const answer = await modes[mode]!(pathname + search);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(!isKeptByOthers(answer));
      assert.equal(answer.headers.get('timing-allow-origin'), null);
      assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox");
      assert.equal(answer.headers.get('content-type'), 'image/png');
    });

    it('the list contains only the reader’s own sources', async () => {
      for (const [of, ids] of Object.entries(RIGHTS)) {
        const answer = await modes[mode]!('/v1/sources', of);
        const listed = answer.json.sources.map(({ id }: { id: string }) => id);
        assert.deepEqual(listed, ids);
        assert.ok(!isKeptByOthers(answer));
      }
    });

    it('concurrent readers each get their own responses', async () => {
      const readers = Array.from({ length: 100 }, (_, at) => (at % 2 ? 'alice' : 'bob'));
      const answers = await Promise.all(readers.map((each) => modes[mode]!('/v1/pulses?ids=src_001,src_002', each)));
      for (const [at, { text }] of answers.entries()) {
        assert.match(text, readers[at] === 'alice' ? /text-of-alice/ : /text-of-bob/);
        assert.doesNotMatch(text, readers[at] === 'alice' ? /text-of-bob/ : /text-of-alice/);
      }
    });
  });

it('A mounted router’s data isn’t shared with other origins', async () => {
  for (const route of [ROUTES['pulse']!, ROUTES['batch']!, ROUTES['image']!]) {
    const { headers } = await modes['mounted']!(route('src_001'));
    assert.match(headers.get('cache-control') ?? '', /private.*no-cache/);
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
  }
});
