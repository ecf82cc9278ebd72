import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Resolve } from '../addresses.ts';
import type { PageResult } from '@pulse-card/doctor';
import { serve, type Served } from '../testing/serve.ts';
import { type FetchGuards, fetchPage } from './fetch-page.ts';

const arrivals: string[] = [];
let answer: RequestListener = () => {};
const listener: RequestListener = (request, response) => {
  arrivals.push(request.url ?? '');
  answer(request, response);
};
let served: Served;
let origin = '';
before(async () => {
  served = await serve(listener);
  origin = served.url;
});
after(() => served[Symbol.asyncDispose]());

const HTML = { 'Content-Type': 'text/html' };

/** What comes of a page that the server answers with `given`. */
async function fetched(given: RequestListener, guards: Partial<FetchGuards> = {}, path = '/page'): Promise<PageResult> {
  answer = given;
  arrivals.length = 0;
  return fetchPage(new URL(`${origin}${path}`), { trustedOrigins: [], allowLoopback: true, ...guards });
}

const send =
  (body: string | Buffer, headers: Record<string, string> = HTML): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, headers).end(body);

const redirect =
  (location: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(302, { Location: location }).end();

const htmlOf = (result: PageResult): string =>
  result.ok ? Buffer.from(result.body).toString() : JSON.stringify(result.fault);
const faultOf = (result: PageResult) => (result.ok ? 'a page' : result.fault);

describe('fetchPage()', () => {
  it('asks for a page that is not compressed', async () => {
    const page = await fetched(({ headers }, response) =>
      send(`<p>${headers['accept-encoding']}`)({} as IncomingMessage, response),
    );
    assert.equal(htmlOf(page), '<p>identity');
  });

  for (const [encoding, compress] of Object.entries({ gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync })) {
    it(`reads a page that is sent in ${encoding} all the same`, async () => {
      const headers = { ...HTML, 'Content-Encoding': encoding };
      assert.equal(htmlOf(await fetched(send(compress(Buffer.from('<p>Hello')), headers))), '<p>Hello');
    });
  }

  it('follows three redirects and no more', async () => {
    const chain: RequestListener = ({ url }, response) => {
      const left = Number(url?.slice(1));
      if (left === 0) send('<p>')({} as IncomingMessage, response);
      else redirect(`/${left - 1}`)({} as IncomingMessage, response);
    };
    const page = await fetched(chain, {}, '/3');
    assert.deepEqual([page.ok, page.redirects, page.url], [true, 3, `${origin}/0`]);
    assert.deepEqual(faultOf(await fetched(chain, {}, '/4')), { kind: 'redirects' });
    assert.equal(arrivals.length, 4);
  });

  it('ends a redirect loop, and one to what is no web page', async () => {
    assert.deepEqual(faultOf(await fetched(redirect('/page'))), { kind: 'redirects' });
    assert.deepEqual(faultOf(await fetched(redirect('file:///etc/passwd'))), { kind: 'redirects' });
  });

  it('sends no user name and password', async () => {
    let sent: string | undefined;
    const see: RequestListener = (request, response) => {
      sent = request.headers.authorization;
      send('<p>')(request, response);
    };
    answer = see;
    const url = new URL(origin.replace('//', '//user:canary@'));
    const page = await fetchPage(url, { trustedOrigins: [], allowLoopback: true });
    assert.deepEqual([page.ok, sent, page.url], [true, undefined, `${origin}/`]);
  });

  for (const address of [
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
    'http://[fd00::1]/',
    'http://0.0.0.0/',
    'http://192.168.1.1/',
  ])
    it(`T-69: goes to no private address, be it asked for or redirected to: ${address}`, async () => {
      const guards = { trustedOrigins: [], allowLoopback: true };
      assert.deepEqual(faultOf(await fetchPage(new URL(address), guards)), { kind: 'private' });
      assert.deepEqual(faultOf(await fetched(redirect(address))), { kind: 'private' });
    });

  it('goes to loopback only where it is asked for and allowed, or named by the operator', async () => {
    const of = async (guards: Partial<FetchGuards>) => faultOf(await fetched(send('<p>'), guards));
    assert.deepEqual(await of({ allowLoopback: false }), { kind: 'private' });
    assert.equal(arrivals.length, 0);
    assert.equal(await of({ allowLoopback: false, trustedOrigins: [origin] }), 'a page');
    assert.equal(await of({ allowPrivate: true, allowLoopback: false }), 'a page');
  });

  it('T-69: is not redirected from the outside to loopback', async () => {
    answer = redirect(`${origin}/inside`);
    arrivals.length = 0;
    // A public name that leads here, as if this were a server of the internet.
    const { port } = new URL(origin);
    const guards = { trustedOrigins: [`http://localhost:${port}`], allowLoopback: false };
    assert.deepEqual(faultOf(await fetchPage(new URL(`http://localhost:${port}/page`), guards)), { kind: 'private' });
    assert.deepEqual(arrivals, ['/page']);
  });

  it('T-69: connects to no name that leads to a private address, at once or later (DNS rebinding)', async () => {
    const answers = [['93.184.216.34', '127.0.0.1'], ['10.0.0.1'], ['::ffff:127.0.0.1'], ['169.254.169.254']];
    for (const addresses of answers) {
      const resolve: Resolve = (_name, found) =>
        found(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
      const url = new URL(origin.replace('127.0.0.1', 'rebind.test'));
      arrivals.length = 0;
      assert.deepEqual(faultOf(await fetchPage(url, { trustedOrigins: [url.origin], allowLoopback: true, resolve })), {
        kind: 'private',
      });
      assert.deepEqual(arrivals, []);
    }
  });

  it('says which layer failed', async () => {
    const guards = { trustedOrigins: [], allowLoopback: true };
    const layerOf = async (url: string, more: Partial<FetchGuards> = {}) => {
      const fault = faultOf(await fetchPage(new URL(url), { ...guards, ...more }));
      return typeof fault === 'object' && fault.kind === 'unreachable' ? fault.layer : fault;
    };
    const unknown: Resolve = (_name, found) => found(Object.assign(new Error(), { code: 'ENOTFOUND' }), []);
    assert.equal(await layerOf('https://nowhere.test/', { resolve: unknown }), 'DNS');
    assert.equal(await layerOf(origin.replace('http:', 'https:')), 'TLS');
    assert.equal(await layerOf('http://127.0.0.1:9/'), 'connection');
    const cut: RequestListener = (request) => request.socket.destroy();
    assert.deepEqual(faultOf(await fetched(cut)), { kind: 'unreachable', layer: 'connection' });
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    for (const [encoding, body] of Object.entries({ gzip: bomb, br: Buffer.from('<p>'), canary: Buffer.from('<p>') })) {
      const page = await fetched(send(body, { ...HTML, 'Content-Encoding': encoding }));
      assert.deepEqual(faultOf(page), { kind: 'unreachable', layer: 'body' }, encoding);
    }
  });

  it('gives a page that is slow in its head or in its body up', { timeout: 120_000 }, async () => {
    const timeout = { kind: 'unreachable', layer: 'timeout' };
    assert.deepEqual(faultOf(await fetched(() => {}, { deadlineMs: 100 })), timeout);
    const drip: RequestListener = (_request, response) => void response.writeHead(200, HTML).write('<p>');
    assert.deepEqual(faultOf(await fetched(drip, { deadlineMs: 100 })), timeout);
  });

  it('reads the first 2 MiB of a page that is longer or never ends', { timeout: 120_000 }, async () => {
    const unended: RequestListener = (_request, response) =>
      void response.writeHead(200, HTML).write(Buffer.alloc(3 * 1024 * 1024, 'a'));
    const page = await fetched(unended, { deadlineMs: 60_000 });
    assert.ok(page.ok);
    assert.deepEqual([page.isTruncated, page.body.length], [true, 2 * 1024 * 1024]);
  });

  it('takes nothing but HTML that was answered with 200', async () => {
    assert.deepEqual(faultOf(await fetched(send('{}', { 'Content-Type': 'application/json' }))), {
      kind: 'not-html',
      contentType: 'application/json',
    });
    const missing: RequestListener = (_request, response) => void response.writeHead(404, HTML).end('<p>');
    assert.deepEqual(faultOf(await fetched(missing)), { kind: 'status', status: 404 });
  });
});
