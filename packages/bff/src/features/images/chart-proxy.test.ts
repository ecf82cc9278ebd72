import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ApiError } from '../../http/errors.ts';
import type { Resolve } from '../../lib/ip-address.ts';
import { type FakeCdn, pngOf, startFakeCdn } from '../../testing/fake-cdn.ts';
import { until } from '../../../../testkit/src/until.ts';
import { createSelfSignedServer } from '../../testing/self-signed.ts';
import { type ChartProxyOptions, createChartProxy } from './chart-proxy.ts';

const isUnavailable = (chart: Buffer | ApiError) => chart instanceof ApiError && chart.code === 'upstream_unavailable';

/** A resolver that returns a different result each time. */
function fickle(answers: readonly (readonly string[])[]): { readonly resolve: Resolve; readonly asked: () => number } {
  let at = 0;
  const resolve: Resolve = async () => answers[at++] ?? [];
  return { resolve, asked: () => at };
}

type FetchOptions = Partial<ChartProxyOptions & Record<'host' | 'protocol' | 'path', string>>;

/** Fetches a chart from `cdn` by a host name that resolves to the IP address of `cdn`, and returns the outcome. */
function fetchedFrom(
  cdn: FakeCdn,
  { host = '127.0.0.1', protocol = 'http:', path = '/a.png', ...options }: FetchOptions = {},
) {
  const address = new URL(`${protocol}//${host}:${cdn.port}${path}`);
  const proxy = createChartProxy({ isService: () => false, proxies: {}, deadlineMs: 60_000, ...options });
  return proxy(address);
}

describe('createChartProxy()', () => {
  let cdn: FakeCdn;
  beforeEach(async () => (cdn = await startFakeCdn()));
  afterEach(() => cdn[Symbol.asyncDispose]());

  it('T-51: doesn’t connect to private IP addresses, even if the name previously resolved to a public one', async () => {
    const answers = [['127.0.0.1', '1.1.1.1'], ['127.0.0.1'], ['10.0.0.7'], ['::ffff:127.0.0.1'], ['1.1.1.1', '::1']];
    const { resolve, asked } = fickle(answers);
    for (const _ of answers) assert.ok(isUnavailable(await fetchedFrom(cdn, { host: 'rebound.test', resolve })));
    assert.equal(asked(), answers.length);
    assert.equal(cdn.connections(), 0);
  });

  it('connects to the service’s own host without checking its IP address', async () => {
    const facts = { host: 'localhost', isService: () => true, resolve: async () => ['10.0.0.7'] };
    assert.ok(Buffer.isBuffer(await fetchedFrom(cdn, facts)));
  });

  it('T-51: resolves the name again for each connection, without caching it', async () => {
    const { resolve, asked } = fickle([['127.0.0.1'], ['127.0.0.1'], ['10.0.0.7']]);
    const fetchChart = createChartProxy({ isService: () => false, proxies: {}, deadlineMs: 60_000, resolve });
    for (const isGiven of [true, true, false])
      assert.equal(Buffer.isBuffer(await fetchChart(new URL(`http://localhost:${cdn.port}/a.png`))), isGiven);
    assert.deepEqual([asked(), cdn.connections()], [3, 2]);
  });

  for (const headers of [
    { 'Content-Type': 'text/html' },
    { 'Content-Encoding': 'Identity' },
    { 'Content-Encoding': 'aws-chunked' },
    { 'Content-Encoding': 'gzip' },
    {},
  ])
    it(`accepts a PNG with ${JSON.stringify(headers)}, because only the bytes matter`, async () => {
      const png = pngOf();
      cdn.answer = (_request, response) => void response.writeHead(200, headers).end(png);
      assert.deepEqual(await fetchedFrom(cdn), png);
    });

  it('unzips a PNG from a host that sends it compressed to every client', async () => {
    const png = pngOf();
    cdn.answer = (_request, response) =>
      void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(png));
    assert.deepEqual(await fetchedFrom(cdn), png);
  });

  it('drops any data after the end of the PNG', async () => {
    const png = pngOf();
    cdn.answer = (_request, response) =>
      void response.writeHead(200).end(Buffer.concat([png, Buffer.from('<script>')]));
    assert.deepEqual(await fetchedFrom(cdn), png);
  });

  const bad: readonly (readonly [what: string, status: number, body: Buffer, cause: RegExp])[] = [
    ['a page', 200, Buffer.from('<!doctype html>'), /^no complete PNG: text\/html, 15 bytes, 3c21646f…$/],
    ['a cut PNG', 200, pngOf().subarray(0, -4), /^no complete PNG/],
    ['a PNG without its first chunk', 200, Buffer.from(pngOf()).fill('IDAT', 12, 16), /^no complete PNG/],
    ['a PNG without a width', 200, pngOf(400, { width: 0, height: 1 }), /^no complete PNG/],
    ['more than 25 megapixels', 200, pngOf(400, { width: 9_000, height: 9_000 }), /^no complete PNG/],
    ['a chart that is too wide', 200, pngOf(400, { width: 10_001, height: 1 }), /^no complete PNG/],
    ['a chart that is too high', 200, pngOf(400, { width: 1, height: 10_001 }), /^no complete PNG/],
    ['a PNG that is too large once it is unzipped', 200, gzipSync(pngOf(5 * 1024 * 1024 + 1)), /^gzip that/],
    ['an empty body', 200, Buffer.alloc(0), /^no complete PNG: text\/html, 0 bytes/],
    ['a redirect', 302, Buffer.alloc(0), /^status 302$/],
    ['an error', 403, pngOf(), /^status 403$/],
    ['more than 5 MiB', 200, Buffer.alloc(5 * 1024 * 1024 + 1), /^more than 5 MiB$/],
  ];
  for (const [what, status, body, cause] of bad)
    it(`rejects ${what} and reports what it was`, async () => {
      cdn.answer = (_request, response) =>
        void response.writeHead(status, { 'Content-Type': 'text/html', Location: '/other.png' }).end(body);
      const failure = await fetchedFrom(cdn);
      assert.ok(failure instanceof ApiError);
      assert.equal(failure.code, 'upstream_invalid');
      assert.match(failure.details.detail ?? '', cause);
      assert.equal(cdn.arrivals.length, 1);
    });

  it('sends only four headers and the host', async () => {
    await fetchedFrom(cdn);
    const [arrival] = cdn.arrivals;
    assert.deepEqual(Object.keys(arrival?.headers ?? {}).sort(), [
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
  });

  it('reports a connection that the host resets, without waiting for the deadline', async () => {
    cdn.answer = ({ socket }) => void socket.resetAndDestroy();
    const failure = await fetchedFrom(cdn);
    assert.ok(failure instanceof ApiError && failure.code === 'upstream_unavailable');
    assert.equal(failure.details.detail, 'ECONNRESET');
  });

  it('requests a path that begins with two slashes from the URL’s own host', async () => {
    assert.ok(Buffer.isBuffer(await fetchedFrom(cdn, { path: '//evil.test/a.png' })));
    assert.equal(cdn.arrivals[0]?.url, '//evil.test/a.png');
  });

  it('fetches at most eight charts from a host at the same time', async () => {
    const waiting: (() => void)[] = [];
    cdn.answer = (_request, response) => void waiting.push(() => response.end(pngOf()));
    const fetchChart = createChartProxy({ isService: () => false, proxies: {}, deadlineMs: 60_000 });
    const url = new URL(`http://127.0.0.1:${cdn.port}/a.png`);
    const charts = Array.from({ length: 9 }, () => fetchChart(url));
    await until('eight requests have arrived', () => waiting.length >= 8, { everyMs: 5 });
    // By then, a ninth connection would have been accepted.
    await using other = await startFakeCdn();
    await fetchedFrom(other);
    assert.equal(cdn.connections(), 8);
    for (const answer of waiting) answer();
    await until('the last request has arrived', () => waiting.length === 9, { everyMs: 5 });
    waiting[8]?.();
    for (const chart of charts) assert.deepEqual(await chart, pngOf());
  });

  it('T-53: gives up on a host that sends nothing', async () => {
    cdn.answer = () => {};
    assert.ok(isUnavailable(await fetchedFrom(cdn, { deadlineMs: 50 })));
  });

  it('T-53: gives up on an outgoing proxy that sends nothing and closes the connection', async () => {
    const closed = Promise.withResolvers<void>();
    const connected: unknown[] = [];
    const server = createServer((socket) => {
      connected.push(socket);
      socket.on('error', closed.resolve).on('end', closed.resolve).resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxies = { https: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    // On a busy machine, a short deadline can pass before the proxy is connected.
    for (let deadlineMs = 50; connected.length === 0; deadlineMs *= 2) {
      const fetchChart = createChartProxy({ isService: () => false, proxies, deadlineMs });
      assert.ok(isUnavailable(await fetchChart(new URL('https://cdn.test/a.png'))));
    }
    await closed.promise;
    server.close();
  });

  it('T-53: gives up on an endless response and closes the connection', async () => {
    const left = new Promise<void>((resolve) => {
      cdn.answer = (request, response) => {
        request.socket.on('close', () => resolve());
        response.writeHead(200, { 'Content-Type': 'image/png' }).write(pngOf());
      };
    });
    // The deadlines get longer with each try, because a deadline can pass before the request arrives on a busy machine.
    for (let deadlineMs = 50; cdn.arrivals.length === 0; deadlineMs *= 2)
      assert.ok(isUnavailable(await fetchedFrom(cdn, { deadlineMs })));
    await left;
  });

  it('sends nothing unencrypted if the URL is https:', async () => {
    assert.ok(isUnavailable(await fetchedFrom(cdn, { protocol: 'https:' })));
    assert.deepEqual(cdn.arrivals, []);
  });

  it('T-03: sends no requests to a host with an untrusted certificate', async () => {
    await using secure = await startFakeCdn(createSelfSignedServer());
    assert.ok(isUnavailable(await fetchedFrom(secure, { protocol: 'https:' })));
    assert.deepEqual([secure.connections(), secure.arrivals], [1, []]);
  });
});
