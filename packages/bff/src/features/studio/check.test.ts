import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { readConfig } from '../../config.ts';
import { originPolicy } from '../../http/origins.ts';
import { serve } from '../../testing/serve.ts';
import { failed, type FailureCode } from '../../upstream/failure.ts';
import { LIST } from '../../upstream/target.ts';
import { type CheckParts, pageChecker } from './check.ts';

const requests: string[] = [];
const listener: RequestListener = (req, res) => {
  requests.push(req.url ?? '');
  if (req.url === '/away') {
    res.writeHead(302, { Location: `${origin.replace('127.0.0.1', 'localhost')}/private` }).end();
    return;
  }
  const script = '<script type="module" src="https://pulse.test/pulse-card.js"></script>';
  res.writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': "img-src 'self'" });
  res.end(`${script}<pulse-card source-id="src_1"></pulse-card><pulse-card source-id="src_unlisted"></pulse-card>`);
};
const server = await serve(listener);
const origin = server.url;
beforeEach(() => void requests.splice(0));
after(() => server[Symbol.asyncDispose]());

function partsFor(allowedOrigins: string, world: World = {}): CheckParts {
  const { images = 'direct', imageUrl = 'https://cdn.test/1.png', ...more } = world;
  const config = readConfig({
    PULSE_API_KEY: 'canary-key-0123456789',
    PULSE_BASE_URL: 'https://service.test',
    PULSE_PUBLIC_URL: 'https://pulse.test',
    PULSE_ALLOWED_ORIGINS: allowedOrigins,
    PULSE_IMAGES: images,
  });
  const pulse = { imageUrl };
  const targetOf = (sourceId: string) => {
    const isServed = sourceId === 'src_1' || more.freshness === undefined;
    const lastFailure = more.lastFailure ? failed(more.lastFailure) : null;
    return { sourceId, hasPulse: sourceId === 'src_1', lastsMs: isServed ? 1 : 0, lastFailure };
  };
  const pulses = {
    ids: { followsList: more.followsList ?? true },
    peek: (id: string) => (id === 'src_1' ? { value: { pulse } } : undefined),
    status: () => ({
      list: { ...targetOf(LIST), freshness: more.freshness ?? 'fresh' },
      sources: ['src_9', 'src_1'].map(targetOf),
    }),
    answers: { upstream: { blocks: () => more.failure && failed(more.failure) } },
  };
  const origins = originPolicy(config.allowedOrigins, config.publicUrl);
  return { config, origins, pulses, tokens: undefined, resolve: more.resolve } as unknown as CheckParts;
}

/** Checks a page, for a BFF that allows these origins. */
async function check(url: string, allowedOrigins: string, world?: World) {
  return pageChecker(partsFor(allowedOrigins, world))({ url });
}

interface World extends Pick<CheckParts, 'resolve'> {
  readonly images?: string;
  readonly imageUrl?: string;
  readonly freshness?: string;
  /** Why no source can be requested. */
  readonly failure?: FailureCode;
  readonly lastFailure?: FailureCode;
  /** @default true */
  readonly followsList?: boolean;
}

/** Whether the page was read. */
async function wasRead(url: string, allowedOrigins: string): Promise<boolean> {
  return (await check(url, allowedOrigins)).page.wasRead;
}

describe('pageChecker()', () => {
  it('reads a page on this machine if its origin is allowed', async () => {
    assert.equal(await wasRead(`${origin}/page`, origin), true);
    assert.deepEqual(requests, ['/page']);
  });

  for (const allowed of ['https://site.test', '*'])
    it(`never requests another page on this machine if PULSE_ALLOWED_ORIGINS is ${allowed}`, async () => {
      for (const url of [origin, origin.replace('127.0.0.1', 'localhost')])
        assert.equal(await wasRead(url, allowed), false, url);
      assert.deepEqual(requests, []);
    });

  it('doesn’t follow a redirect to another page on this machine', async () => {
    const { findings } = await check(`${origin}/away`, origin);
    assert.match(findings[0]?.title ?? '', /its IP address is private/);
    assert.deepEqual(requests, ['/away']);
  });

  for (const url of ['http://10.0.0.1', 'http://169.254.169.254', 'http://[fd00::1]'])
    it(`never requests ${url}, even if its origin is allowed`, async () => {
      const { findings } = await check(url, url);
      assert.match(findings[0]?.title ?? '', /its IP address is private/);
    });

  it('never requests a host whose name resolves to an IP address that isn’t public', async () => {
    const url = origin.replace('127.0.0.1', 'pages.test');
    const { findings } = await check(url, url, { resolve: async () => ['127.0.0.1'] });
    assert.match(findings[0]?.title ?? '', /its IP address is private/);
    assert.deepEqual(requests, []);
  });

  it('checks the page against what this BFF knows: IDs with a pulse first, and charts', async () => {
    const fixesOf = async (world?: World) =>
      (await check(`${origin}/page`, origin, world)).findings.map(({ fix }) => fix);
    const unknown = 'Choose one of the listed sources: src_1, src_9';
    assert.deepEqual(await fixesOf(), [unknown, "img-src 'self' https://cdn.test"]);
    assert.deepEqual(await fixesOf({ images: 'proxy' }), [unknown, "img-src 'self' https://pulse.test"]);
    // Readers don't get this chart.
    assert.deepEqual(await fixesOf({ imageUrl: 'http://cdn.test/1.png' }), [unknown]);
    assert.deepEqual(await fixesOf({ freshness: 'never-answered' }), ["img-src 'self' https://cdn.test"]);
    assert.equal((await fixesOf({ freshness: 'never-answered', followsList: false }))[0], unknown);
  });

  it('says which sources of the page readers don’t get, and why', async () => {
    const titlesFor = async (world: World) =>
      (await check(`${origin}/page`, origin, world)).findings.map(({ title }) => title).slice(0, -1);
    const titles = ['The BFF responds with upstream_auth for src_unlisted.'];
    assert.deepEqual(await titlesFor({ freshness: 'never-answered', failure: 'key_rejected' }), titles);
    assert.deepEqual(await titlesFor({ freshness: 'never-answered', lastFailure: 'key_rejected' }), titles);
    assert.deepEqual(await titlesFor({ freshness: 'never-answered' }), []);
    assert.deepEqual(await titlesFor({ failure: 'key_rejected' }), ['The source "src_unlisted" isn’t known.']);
  });

  it('checks the next page even if a check fails', async (t) => {
    const parts = partsFor(origin);
    t.mock.method(parts.pulses, 'status', () => assert.fail('broken'), { times: 1 });
    const checkPage = pageChecker(parts);
    await assert.rejects(checkPage({ url: origin }), /broken/);
    assert.equal((await checkPage({ url: origin })).page.wasRead, true);
  });

  it('checks one page at a time', async () => {
    const waiting: ((why: Error) => void)[] = [];
    const resolve = () => new Promise<never>((_resolve, reject) => void waiting.push(reject));
    const checkPage = pageChecker(partsFor('*', { resolve }));
    const checks = ['https://a.test', 'https://b.test'].map((url) => checkPage({ url }));
    for (const each of checks) {
      for (let turn = 0; turn < 5 || waiting.length === 0; turn += 1) await setImmediate();
      assert.equal(waiting.length, 1);
      waiting.shift()?.(new Error('no such host'));
      assert.match((await each).findings[0]?.title ?? '', /couldn’t be fetched/);
    }
  });
});
