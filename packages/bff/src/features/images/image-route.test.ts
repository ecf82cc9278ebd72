import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { codedErrorBodySchema, pulseAnswerSchema } from '@pulse-card/contract';
import { fullPulse } from '@pulse-card/contract/examples';
import { type FakeCdn, pngOf, sendPng, startFakeCdn } from '../../testing/fake-cdn.ts';
import { until } from '../../../../testkit/src/until.ts';
import { rawGet, sendRaw } from '../../testing/raw-request.ts';
import { cardWithPulse, hit } from '../../testing/fake-cache.ts';
import { type ServedApp, serveApp } from '../../testing/served-app.ts';

const IMAGE = '/v1/sources/src_1/image';
const OF_RUN = `${IMAGE}?run=run_1`;
const MEBIBYTE = 1024 * 1024;

const [cdn, trap] = [await startFakeCdn(), await startFakeCdn()];
const app = await serveApp({
  PULSE_IMAGES: 'proxy',
  PULSE_IMAGE_HOSTS: `${cdn.host},cdn.test`,
  PULSE_PUBLIC_URL: 'https://pulse.test/cards',
  PULSE_CLIENT_RATE: '0',
});
after(async () => {
  for (const served of [app, cdn, trap]) await served[Symbol.asyncDispose]();
});
let tests = 0;
beforeEach(() => {
  app.cache.reset();
  // Each test has a different address, because charts are cached.
  show(`http://${cdn.host}/charts/run_1.png?size=${(tests += 1)}`);
  cdn.arrivals.length = 0;
  cdn.answer = sendPng(pngOf());
});

function show(imageUrl: string | null, { cache } = app): void {
  cache.peeks.set('src_1', hit({ ...cardWithPulse, pulse: { ...fullPulse, imageUrl } }));
}

const get = (path = OF_RUN, init?: RequestInit) => fetch(app.url + path, init);
const codeOf = async (response: Response) => codedErrorBodySchema.parse(await response.json()).code;

describe('GET /v1/sources/{sourceId}/image', () => {
  it('T-50: responds with 502 if the address isn’t allowed, and with 404 if there is none', async () => {
    for (const [imageUrl, status, code] of [
      ['http://cdn.test/a.png', 502, 'upstream_invalid'],
      ['about:invalid', 502, 'upstream_invalid'],
      [null, 404, 'not_found'],
    ] as const) {
      show(imageUrl);
      const response = await get(IMAGE);
      assert.equal(response.status, status);
      assert.equal(await codeOf(response), code);
      const pulse = await get('/v1/sources/src_1/pulse');
      assert.equal(pulseAnswerSchema.parse(await pulse.json()).pulse.imageUrl, null);
    }
  });

  it('T-54: sends the chart unchanged, with the BFF’s headers only', async () => {
    const png = pngOf(300_000);
    cdn.answer = sendPng(png, { 'Set-Cookie': 'a=b', Server: 'cdn', 'X-Own': '1', 'Cache-Control': 'private' });
    const response = await get();
    assert.equal(response.status, 200);
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(png));
    assert.deepEqual(Object.fromEntries([...response.headers].filter(([name]) => !OF_EVERY_ANSWER.includes(name))), {
      age: '2',
      'cache-status': 'PulseCard;hit;ttl=12',
      'accept-ranges': 'none',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-disposition': 'inline; filename="pulse.png"',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': 'image/png',
      'cross-origin-resource-policy': 'cross-origin',
      'server-timing': 'run;desc="run_1"',
      'timing-allow-origin': '*',
      vary: 'Accept-Encoding, Origin',
      'x-content-type-options': 'nosniff',
    });
  });

  // A request with `Expect` is also tested, because Node would send the proxied headers early in this case.
  for (const more of [[], ['Expect: 100-continue']])
    it(`T-04, T-18: sends the image host nothing about the reader or the key${more.map((header) => `, with ${header}`).join()}`, async () => {
      const own = ['Cookie: a=b', 'Authorization: Bearer x', 'Referer: https://page.test', 'User-Agent: me'];
      const others = ['Range: bytes=0-1', 'X-API-Key: k', 'X-Forwarded-For: 1.2.3.4', 'Accept-Language: de'];
      await sendRaw(app.port, rawGet(OF_RUN, [...more, ...own, ...others, 'Connection: close']));
      const [arrival] = cdn.arrivals;
      assert.equal(arrival?.url, `/charts/run_1.png?size=${tests}`);
      assert.deepEqual(arrival.headers, {
        accept: 'image/png',
        'accept-encoding': 'identity',
        connection: 'close',
        host: cdn.host,
        'user-agent': 'pulse-bff',
      });
    });

  it('sends the chart to a waiting reader even if the reader who caused the fetch leaves', async () => {
    const held: (() => void)[] = [];
    cdn.answer = (request, response) => void held.push(() => sendPng(pngOf())(request, response));
    const leaving = new AbortController();
    const first = get(IMAGE, { signal: leaving.signal }).catch(() => 'left');
    await until('the first fetch', () => held.length === 1);
    const second = get(IMAGE);
    await until('the second reader', () => app.cache.viewers.length >= 2);
    leaving.abort();
    assert.equal(await first, 'left');
    await until('the second fetch', () => held.length === 2);
    held[1]?.();
    assert.equal((await second).status, 200);
  });

  it('makes caches revalidate, and responds with 304 until the next run', async () => {
    const response = await get(IMAGE);
    assert.equal(response.headers.get('Cache-Control'), 'no-cache');
    assert.deepEqual(
      [response.headers.get('Age'), response.headers.get('Cache-Status')],
      ['2', 'PulseCard;hit;ttl=12'],
    );
    assert.equal(response.headers.get('CDN-Cache-Control'), null);
    cdn.arrivals.length = 0;
    const tag = response.headers.get('ETag') ?? '';
    for (const path of [IMAGE, OF_RUN]) {
      assert.equal((await get(path, { headers: { 'If-None-Match': tag } })).status, 304);
      assert.equal((await get(path, { method: 'HEAD' })).headers.get('ETag'), tag);
    }
    assert.deepEqual(cdn.arrivals, []);
  });

  it('also fetches the chart for a HEAD request', async () => {
    const response = await get(IMAGE, { method: 'HEAD' });
    assert.deepEqual([response.status, response.headers.get('Content-Length')], [200, String(pngOf().length)]);
    assert.equal(cdn.arrivals[0]?.method, 'GET');
  });

  it('counts as a view only if its address has no run', async () => {
    await get(OF_RUN);
    await get(IMAGE);
    assert.deepEqual(app.cache.viewers, [null, '127.0.0.1']);
  });

  it('T-50: ignores chart addresses that the reader sends', async () => {
    const query = `&url=http://${trap.host}/&imageUrl=http://${trap.host}/`;
    assert.equal((await get(OF_RUN + query, { headers: { 'X-Original-URL': `http://${trap.host}/` } })).status, 200);
    assert.deepEqual(trap.arrivals, []);
  });

  for (const [what, path, code, imageUrl] of [
    ['a pulse without a chart', OF_RUN, 'not_found', null],
    ['another run', `${IMAGE}?run=run_0`, 'not_found', undefined],
    ['a source without a pulse', '/v1/sources/src_bare/image', 'pulse_not_found', undefined],
    ['an unknown source', '/v1/sources/none/image', 'source_unknown', undefined],
    ['an invalid id', '/v1/sources/..%2f/image', 'invalid_source_id', undefined],
  ] as const)
    it(`T-55: responds to ${what} with an uncached error, without a call`, async () => {
      if (imageUrl === null) show(null);
      const response = await get(path);
      assert.deepEqual([await codeOf(response), response.headers.get('Cache-Control')], [code, 'no-store']);
      assert.deepEqual(cdn.arrivals, []);
    });

  it('is the imageUrl of a pulse if the BFF can load the chart', async () => {
    const imageUrlNow = async () =>
      pulseAnswerSchema.parse(await (await get('/v1/sources/src_1/pulse')).json()).pulse.imageUrl;
    assert.equal(await imageUrlNow(), 'https://pulse.test/cards/v1/sources/src_1/image?run=run_1');
    show('https://elsewhere.test/a.png');
    assert.equal(await imageUrlNow(), null);
  });

  describe('when cards load charts from the CDN', () => {
    const serveDirect = (variables = {}) => serveApp({ PULSE_CLIENT_RATE: '0', ...variables });

    it('sends the chart itself, never a redirect', async () => {
      await using direct = await serveDirect({ PULSE_IMAGE_HOSTS: cdn.host });
      show(`http://${cdn.host}/direct.png`, direct);
      const response = await fetch(direct.url + IMAGE, { redirect: 'manual' });
      assert.equal(response.status, 200);
      assert.ok(Buffer.from(await response.arrayBuffer()).equals(pngOf()));
    });

    it('accepts charts from the service itself if no chart host is set (T-50)', async () => {
      await using direct = await serveDirect({ PULSE_BASE_URL: `http://${cdn.host}` });
      show(`http://${cdn.host}/charts/a.png`, direct);
      assert.equal((await fetch(direct.url + IMAGE)).status, 200);
    });

    it('doesn’t let shared caches store the chart if responses are private', async () => {
      await using own = await serveDirect({ PULSE_CACHE: 'private', PULSE_IMAGE_HOSTS: cdn.host });
      show(`http://${cdn.host}/private.png`, own);
      assert.equal((await fetch(own.url + IMAGE)).headers.get('Cache-Control'), 'private, no-cache');
    });
  });

  describe('with an address that isn’t allowed (T-50)', () => {
    // The property test of `ImageHosts` and `addresses.test.ts` cover more spellings of a host.
    const elsewhere = [
      `http://${trap.host}/a.png`,
      ...['localhost', '127.1', '2130706433', '①②⑦.0.0.1', '[::ffff:7f00:1]', '0'].map(
        (host) => `http://${host}:${trap.port}/a.png`,
      ),
      'https://10.0.0.1/a.png',
      'https://169.254.169.254/latest/meta-data/',
      'https://[64:ff9b::7f00:1]/a.png',
      'http://cdn.test/a.png',
      'https://cdn.test:8443/a.png',
      'https://user:pass@cdn.test/a.png',
      'file:///etc/passwd',
      'data:image/svg+xml,<svg/>',
      'javascript:alert(1)',
      '//cdn.test/a.png',
      'https://cdn.test/a\n.png',
      '',
    ];
    const notNamed = [
      `http://${cdn.host}@${trap.host}/a.png`,
      `http://${cdn.host}//${trap.host}/a.png`,
      `http://${cdn.host}.evil.test/a.png`,
      'https://cdn.test./a.png',
      'https://sub.cdn.test/a.png',
      'https://cdn。evil.test/a.png',
      'https://cdn.test\\@evil.test/a.png',
    ];

    async function assertRefused(served: ServedApp, addresses: readonly string[]): Promise<void> {
      trap.arrivals.length = 0;
      for (const address of addresses) {
        show(address, served);
        const response = await fetch(served.url + OF_RUN, { redirect: 'manual' });
        assert.deepEqual([response.status, await codeOf(response)], [502, 'upstream_invalid'], address);
      }
      assert.deepEqual([...trap.arrivals, ...cdn.arrivals], []);
    }

    it('doesn’t make a request or give details if chart hosts are set', () =>
      assertRefused(app, [...elsewhere, ...notNamed]));

    it('doesn’t make a request, even if any public address is allowed', async () => {
      await using direct = await serveApp({ PULSE_CLIENT_RATE: '0' });
      await assertRefused(direct, elsewhere);
    });
  });

  describe('with content that isn’t a plain PNG', () => {
    const redirect =
      (status: number, header = 'Location'): FakeCdn['answer'] =>
      (_, response) =>
        void response.writeHead(status, { [header]: `http://${trap.host}/` }).end();
    const text = (words: string) => sendPng(Buffer.from(words.padEnd(99)));
    const notFound: FakeCdn['answer'] = (_, response) =>
      void response.writeHead(404, { 'Content-Type': 'image/png' }).end(pngOf());
    const tooLarge: FakeCdn['answer'] = (_, response) =>
      void response.writeHead(200, { 'Content-Type': 'image/png' }).end(pngOf(6 * MEBIBYTE));
    const tooShort: FakeCdn['answer'] = (_, response) => {
      response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': '9999' });
      response.write(pngOf(500), () => response.destroy());
    };
    for (const [what, answer, status = 502] of [
      ['T-52: a 301 to another host', redirect(301)],
      ['T-52: a 302 to another host', redirect(302)],
      ['T-52: a 307 to another host', redirect(307)],
      ['T-52: a Refresh header and no image', redirect(200, 'Refresh')],
      ['T-53: a PNG with a Content-Encoding', sendPng(pngOf(), { 'Content-Encoding': 'gzip' })],
      ['T-53: a length of 6 MiB', sendPng(pngOf(6 * MEBIBYTE))],
      ['T-53: a chart that turns out to be too large', tooLarge],
      ['T-53: a truncated chart', tooShort, 503],
      ['T-54: 404', notFound],
      ['T-54: an SVG sent as PNG', text('<svg xmlns="…"><script>alert(1)</script></svg>')],
      ['T-54: HTML sent as PNG', text('<!doctype html>')],
      ['T-54: HTML instead of a PNG’s size', sendPng(withText('<html>', 0))],
      ['T-54: a different first chunk', sendPng(withText('tEXt', 12))],
      ['T-54: an empty body', sendPng(Buffer.alloc(0))],
      ['T-54: only a signature', sendPng(pngOf().subarray(0, 12))],
      ['T-54: a PNG without its end', sendPng(pngOf().subarray(0, -12))],
      ['T-54: HTML after a PNG’s header', sendPng(Buffer.concat([pngOf().subarray(0, 33), Buffer.from('<html>')]))],
      ['T-54: a PNG sent as HTML', sendPng(pngOf(), { 'Content-Type': 'text/html' })],
      ['T-54: two content types', sendPng(pngOf(), { 'Content-Type': 'image/png, text/html' })],
      ['T-54: 65,535 by 65,535 pixels', sendPng(pngOf(99, { width: 65_535, height: 65_535 }))],
      ['T-54: a width of 0 pixels', sendPng(pngOf(99, { width: 0 }))],
      ['a host that hangs up', (request) => void request.socket.destroy(), 503],
    ] satisfies readonly (readonly [string, FakeCdn['answer'], 503?])[])
      it(`${what} results in ${status}, and is never cached`, async () => {
        cdn.answer = answer;
        const response = await get();
        const code = status === 502 ? 'upstream_invalid' : 'upstream_unavailable';
        assert.deepEqual([response.status, await codeOf(response)], [status, code]);
        assert.equal(response.headers.get('Cache-Control'), 'no-store');
        assert.deepEqual(trap.arrivals, []);
      });
  });
});

/** A PNG with `text` at `offset`. */
function withText(text: string, offset: number): Buffer {
  const png = pngOf();
  png.write(text, offset);
  return png;
}

const OF_EVERY_ANSWER = ['date', 'connection', 'keep-alive', 'etag', 'content-length'];
