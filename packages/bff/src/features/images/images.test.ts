import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import type { ReadPulse } from '@pulse-card/contract';
import { fullPulse } from '@pulse-card/contract/examples';
import type { Request } from 'express';
import { tokenAt } from '../../../../token/src/testing/forged-tokens.ts';
import type { Config } from '../../config.ts';
import { ApiError } from '../../http/errors.ts';
import { systemClock } from '../../lib/clock.ts';
import { pngOf } from '../../testing/fake-cdn.ts';
import { serve } from '../../testing/serve.ts';
import { cardWithPulse, hit, serveApp, tokenVariables } from '../../testing/served-app.ts';
import { testLog } from '../../testing/test-log.ts';
import { Counters } from '../status/counters.ts';
import { imageUrlSigner } from './image-url-signer.ts';
import { openImages } from './images.ts';

const CONFIG = {
  baseUrl: 'https://pulses.test',
  publicUrl: 'https://bff.test',
  images: 'proxy',
  imageHosts: [],
  access: 'public',
  proxies: {},
} as unknown as Config;

const pulse = { sourceId: 'src_1', jobRunId: 'run_1', imageUrl: 'https://cdn.test/a.png' } as ReadPulse;

function imagesWith(fetchChart: (url: URL) => Promise<Buffer | ApiError>, config: Partial<Config> = {}) {
  const { log, messages } = testLog();
  const clock = { ...systemClock, at: 0, now: () => clock.at };
  let name = 'key_1';
  const images = openImages({
    config: { ...CONFIG, ...config },
    key: { derive: () => Buffer.alloc(32, name) },
    clock,
    log,
    fetchChart,
  });
  const rotate = (next: string): void => void (name = next);
  return { images, messages, clock, rotate };
}

const URL_A = new URL('https://cdn.test/a.png');

const none = async () => new ApiError('upstream_unavailable');

describe('Images.read()', () => {
  it('fetches a chart once for all waiting readers and caches it', async () => {
    let fetched = 0;
    const { images, clock } = imagesWith(async () => ((fetched += 1), pngOf()));
    await Promise.all([images.read('run_1', URL_A), images.read('run_1', URL_A)]);
    clock.at += 86_400_000;
    assert.deepEqual(await images.read('run_1', URL_A), pngOf());
    assert.equal(fetched, 1);
    assert.deepEqual(images.sizeOf(pulse), { width: 1_600, height: 900 });
  });

  it('fetches a chart again if the service returns a different URL for the run', async () => {
    let fetched = 0;
    const { images } = imagesWith(async () => ((fetched += 1), pngOf()));
    await images.read('run_1', URL_A);
    await images.read('run_1', new URL('https://cdn.test/b.png'));
    await images.read('run_2', URL_A);
    assert.equal(fetched, 3);
  });

  it('keeps up to 32 MiB of charts', async () => {
    const fetched: string[] = [];
    const { images } = imagesWith(async (url) => (fetched.push(url.pathname), pngOf(5 * 1024 * 1024)));
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'f', 'g', 'a'])
      await images.read('run_1', new URL(`https://cdn.test/${name}`));
    assert.equal(fetched.join(''), '/a/b/c/d/e/f/g/a');
  });

  it('caches a failure for five seconds and reports the host and the cause to the operator once a minute', async () => {
    let fetched = 0;
    const failure = () => new ApiError('upstream_invalid', { detail: `${(fetched += 1)} bytes` });
    const { images, clock, messages } = imagesWith(async () => failure());
    clock.at = 1_000;
    for (const ms of [0, 4_999, 5_001]) {
      clock.at = 1_000 + ms;
      await assert.rejects(images.read('run_1', URL_A), { code: 'upstream_invalid' });
    }
    assert.equal(fetched, 2);
    assert.deepEqual(messages(), ['Can’t show a chart from cdn.test: 1 bytes']);
  });
});

describe('Images.refused()', () => {
  it('counts the charts that readers don’t get, by host, highest count first', () => {
    const urls = ['http://a.test/1.png', 'https://cdn.test/a.png', 'http://b.test/1.png', 'http://b.test/2.png'];
    const { images } = imagesWith(none);
    assert.deepEqual(images.refused(urls.map((imageUrl) => ({ ...pulse, imageUrl }))), [
      { host: 'b.test', reason: 'http', charts: 2 },
      { host: 'a.test', reason: 'http', charts: 1 },
    ]);
  });
});

describe('Images.hostUrlOf()', () => {
  it('returns the chart’s own URL, and throws if its host isn’t allowed', () => {
    const { images } = imagesWith(none);
    assert.equal(images.hostUrlOf(URL_A.href).href, URL_A.href);
    assert.throws(() => images.hostUrlOf('http://cdn.test/a.png'), { code: 'upstream_invalid' });
  });
});

describe('Images.urlOf()', () => {
  it('is this server’s URL for the run in proxy mode', () =>
    assert.equal(imagesWith(none).images.urlOf(pulse), 'https://bff.test/v1/sources/src_1/image?run=run_1'));

  it('is the chart’s own URL in direct mode', () =>
    assert.equal(imagesWith(none, { images: 'direct' }).images.urlOf(pulse), pulse.imageUrl));

  it('is null if the chart can’t be fetched or shown', () => {
    for (const images of ['proxy', 'direct'] as const)
      assert.equal(imagesWith(none, { images }).images.urlOf({ ...pulse, imageUrl: 'http://cdn.test/a.png' }), null);
  });
});

describe('GET /v1/sources/:sourceId/image', () => {
  it('reports what the cache did, and counts as a view only if the URL doesn’t name a run', async () => {
    await using app = await serveApp();
    const tags = new Set<string>();
    for (const query of ['', '?run=run_2']) {
      const { status, of } = await app.ask(`/v1/sources/src_1/image${query}`, { 'If-None-Match': '*' });
      assert.deepEqual([status, of('cache-status'), of('age')], [304, 'PulseCard; hit', '2']);
      tags.add(of('etag'));
      app.pulses.found.set('src_1', hit({ ...cardWithPulse, pulse: { ...fullPulse, jobRunId: 'run_2' } }));
    }
    assert.equal(tags.size, 2, 'each run’s chart has its own tag');
    const areViews = app.pulses.viewers.map((viewer) => viewer !== null);
    assert.deepEqual(areViews, [true, false]);
  });

  it('is recorded as a failed image if a known pulse’s chart can’t be fetched', async (t) => {
    await using app = await serveApp();
    const counters = new Counters(systemClock, { ids: app.pulses.ids, isReady: () => true });
    const ask = async (imageUrl: string | null) => {
      app.pulses.found.set('src_1', hit({ ...cardWithPulse, pulse: { ...fullPulse, imageUrl } }));
      const { status, of } = await app.ask('/v1/sources/src_1/image');
      assert.equal(of('age'), '');
      for (const record of app.records.splice(0)) counters.record(record);
      return status;
    };
    t.mock.method(app.images, 'read', () => Promise.reject(new ApiError('upstream_unavailable')));
    assert.equal(await ask('https://cdn.test/a.png'), 503);
    assert.equal(await ask('http://cdn.test/a.png'), 502);
    assert.equal(await ask(null), 404);
    assert.deepEqual(counters.counts().images, { loaded: 0, failed: 2 });
    assert.equal(counters.counts().outcomes.total, 0);
  });
});

describe('Images.orSigned()', () => {
  it('lets a signed URL access only its own source’s chart', async () => {
    await using app = await serveApp({ ...tokenVariables, PULSE_IMAGES: 'proxy' });
    const secret = createSecretKey(Buffer.alloc(32, 1));
    const query = imageUrlSigner(() => [secret], systemClock).queryFor('src_1', 'run_1');
    const ask = async (path: string) => {
      const { status, text } = await app.ask(`/v1/sources/${path}`, { 'If-None-Match': '*' });
      return status === 304 ? 304 : (JSON.parse(text) as { readonly code: string }).code;
    };
    for (const [path, outcome] of [
      [`src_1/image?${query}`, 304],
      [`src%5F1/image?${query}`, 304],
      [`src_2/image?${query}`, 'token_invalid'],
      [`src_1/pulse?${query}`, 'token_missing'],
      ['src_1/image?run=run_1', 'token_missing'],
    ] as const)
      assert.equal(await ask(path), outcome, path);
  });

  it('accepts URLs signed with the previous key, but not with older keys', async () => {
    const { images, rotate } = imagesWith(none, { access: 'token' });
    const check = images.orSigned(() => Promise.reject(new ApiError('token_missing')));
    const url = images.urlOf(pulse) ?? '';
    const request = { url, route: { path: '/v1/sources/:sourceId/image' }, params: { sourceId: 'src_1' } };
    rotate('key_2');
    assert.deepEqual(await check(request as unknown as Request), { sources: new Set(['src_1']) });
    rotate('key_3');
    await assert.rejects(check(request as unknown as Request), { code: 'token_invalid' });
  });

  it('signs chart URLs again before they expire, even in unchanged bodies', async (t) => {
    await using app = await serveApp({ ...tokenVariables, PULSE_IMAGES: 'proxy' });
    const read = async () => {
      const headers = { authorization: `Bearer ${tokenAt(Math.floor(Date.now() / 1_000))}` };
      return JSON.parse((await app.ask('/v1/sources/src_1/pulse', headers)).text).pulse.imageUrl;
    };
    const before = await read();
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
    assert.notEqual(await read(), before);
  });
});

describe('openImages() behind an outgoing proxy', () => {
  it('fetches charts through the proxy', async () => {
    const connected = Promise.withResolvers<string | undefined>();
    const server = createServer().on('connect', ({ url }, socket) => {
      connected.resolve(url);
      socket.end('HTTP/1.1 502 No\r\n\r\n');
    });
    await using proxy = await serve(() => {}, server);
    const config = { ...CONFIG, imageHosts: ['cdn.test'], proxies: { https: proxy.url } } as unknown as Config;
    const parts = { config, key: { derive: () => Buffer.alloc(32) }, clock: systemClock };
    const images = openImages({ ...parts, log: testLog().log });
    await images.read('run_1', URL_A).catch(() => undefined);
    assert.equal(await connected.promise, 'cdn.test:443');
  });
});
