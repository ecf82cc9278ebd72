import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Resolve } from '../../lib/ip-address.ts';
import type { PageResult } from '@pulse-card/doctor';
import { type FakeService, startFakeService } from '../../testing/fake-service.ts';
import { type FetchGuards, fetchPage } from './fetch-page.ts';

let site: FakeService;
before(async () => (site = await startFakeService()));
after(() => site[Symbol.asyncDispose]());

const HTML = { 'Content-Type': 'text/html' };

const GUARDS: FetchGuards = { trustedOrigins: [], allowLoopback: true };

/** The result of fetching a page if the server responds with `answer`. */
async function fetched(answer: RequestListener, guards: Partial<FetchGuards> = {}, url = `${site.url}/page`) {
  site.answer = answer;
  site.arrivals.length = 0;
  return fetchPage(new URL(url), { ...GUARDS, ...guards });
}

const send =
  (body: string | Buffer, headers: Record<string, string> = HTML): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, headers).end(body);

const redirect =
  (location: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(302, { Location: location }).end();

const resolvingTo =
  (...addresses: readonly string[]): Resolve =>
  async () =>
    addresses;

const htmlOf = (result: PageResult): string =>
  result.ok ? Buffer.from(result.body).toString() : JSON.stringify(result.fault);
const faultOf = (result: PageResult) => (result.ok ? 'a page' : result.fault);

describe('fetchPage()', () => {
  it('requests an uncompressed page, and omits the address’s user name and password', async () => {
    const page = await fetched(send('<p>'), {}, site.url.replace('//', '//user:canary@'));
    const { 'accept-encoding': encoding, authorization } = site.arrivals[0]?.headers ?? {};
    assert.deepEqual([page.url, encoding, authorization], [`${site.url}/`, 'identity', undefined]);
  });

  for (const [encoding, compress] of Object.entries({ gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }))
    it(`reads a page that is sent in ${encoding}`, async () => {
      const headers = { ...HTML, 'Content-Encoding': encoding };
      assert.equal(htmlOf(await fetched(send(compress(Buffer.from('<p>Hello')), headers))), '<p>Hello');
    });

  it('follows at most three redirects', async () => {
    const chain: RequestListener = (request, response) => {
      const left = Number(request.url?.slice(1));
      (left === 0 ? send('<p>') : redirect(`/${left - 1}`))(request, response);
    };
    const page = await fetched(chain, {}, `${site.url}/3`);
    assert.deepEqual([page.ok, page.redirects, page.url], [true, 3, `${site.url}/0`]);
    assert.deepEqual(faultOf(await fetched(chain, {}, `${site.url}/4`)), { kind: 'redirects' });
    assert.equal(site.arrivals.length, 4);
  });

  for (const target of ['/page', 'file:///etc/passwd'])
    it(`stops at a redirect to itself, or to something other than a web page: ${target}`, async () =>
      assert.deepEqual(faultOf(await fetched(redirect(target))), { kind: 'redirects' }));

  for (const address of [
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
    'http://[fd00::1]/',
    'http://0.0.0.0/',
    'http://192.168.1.1/',
  ])
    it(`T-69: doesn’t connect to private addresses, even after a redirect: ${address}`, async () => {
      assert.deepEqual(faultOf(await fetchPage(new URL(address), GUARDS)), { kind: 'private' });
      assert.deepEqual(faultOf(await fetched(redirect(address))), { kind: 'private' });
    });

  it('connects to a loopback address only if the settings allow or name it', async () => {
    const of = async (guards: Partial<FetchGuards>) => faultOf(await fetched(send('<p>'), guards));
    assert.deepEqual(await of({ allowLoopback: false }), { kind: 'private' });
    assert.equal(site.arrivals.length, 0);
    assert.equal(await of({ allowLoopback: false, trustedOrigins: [site.url] }), 'a page');
    assert.equal(await of({ allowPrivate: true, allowLoopback: false }), 'a page');
  });

  it('T-69: doesn’t follow redirects from outside to loopback', async () => {
    // A public name that resolves to this machine, as if it were a server on the internet.
    const outside = site.url.replace('127.0.0.1', 'localhost');
    const guards = { trustedOrigins: [outside], allowLoopback: false };
    const page = await fetched(redirect(`${site.url}/inside`), guards, `${outside}/page`);
    assert.deepEqual(faultOf(page), { kind: 'private' });
    assert.deepEqual([site.arrivals.length, site.arrivals[0]?.url], [1, '/page']);
  });

  for (const addresses of [['93.184.216.34', '127.0.0.1'], ['10.0.0.1'], ['::ffff:127.0.0.1'], ['169.254.169.254']])
    it(`T-69: doesn’t connect to a name that resolves to ${addresses.join(' and ')} (DNS rebinding)`, async () => {
      const url = site.url.replace('127.0.0.1', 'rebind.test');
      const page = await fetched(send('<p>'), { trustedOrigins: [url], resolve: resolvingTo(...addresses) }, url);
      assert.deepEqual(faultOf(page), { kind: 'private' });
      assert.deepEqual(site.arrivals, []);
    });

  const unknown: Resolve = () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }));
  for (const [layer, what, urlOf, guards] of [
    ['DNS', 'an unknown name', () => 'https://nowhere.test/', { resolve: unknown }],
    ['TLS', 'a port without TLS', () => site.url.replace('http:', 'https:'), {}],
    ['connection', 'a port without a server', () => 'http://127.0.0.1:2/', {}],
    ['connection', 'a server that hangs up', () => site.url, {}],
  ] as const)
    it(`reports a failure in the "${layer}" layer for ${what}`, async () => {
      const page = await fetched((request) => void request.socket.destroy(), guards, urlOf());
      assert.deepEqual(faultOf(page), { kind: 'unreachable', layer });
    });

  for (const [encoding, what, body] of [
    ['gzip', 'that grows to 64 MiB', gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ['br', 'that is invalid', Buffer.from('<p>')],
    ['canary', 'of an unknown kind', Buffer.from('<p>')],
  ] as const)
    it(`reports an unreadable body for a ${encoding} body ${what}`, async () => {
      const page = await fetched(send(body, { ...HTML, 'Content-Encoding': encoding }));
      assert.deepEqual(faultOf(page), { kind: 'unreachable', layer: 'body' });
    });

  it('gives up on a page whose head or body takes too long', { timeout: 120_000 }, async () => {
    const drip: RequestListener = (_request, response) => void response.writeHead(200, HTML).write('<p>');
    for (const answer of [() => {}, drip])
      assert.deepEqual(faultOf(await fetched(answer, { deadlineMs: 100 })), { kind: 'unreachable', layer: 'timeout' });
  });

  it('reads the first 2 MiB of a page that is longer or endless', { timeout: 120_000 }, async () => {
    const unended: RequestListener = (_request, response) =>
      void response.writeHead(200, HTML).write(Buffer.alloc(3 * 1024 * 1024, 'a'));
    const page = await fetched(unended, { deadlineMs: 60_000 });
    assert.ok(page.ok);
    assert.deepEqual([page.isTruncated, page.body.length], [true, 2 * 1024 * 1024]);
  });

  for (const [what, status, type, fault] of [
    ['a page', 404, 'text/html', { kind: 'status', status: 404 }],
    ['no HTML', 200, 'application/json', { kind: 'not-html', contentType: 'application/json' }],
  ] as const)
    it(`accepts only HTML with status 200, and rejects ${what} with ${status}`, async () => {
      const page = await fetched((_, response) => void response.writeHead(status, { 'Content-Type': type }).end('<p>'));
      assert.deepEqual(faultOf(page), fault);
    });
});
