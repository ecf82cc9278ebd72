import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { chartIdOf } from '../../pulses/chart.ts';
import { openapiDocument } from '../../openapi/document.ts';
import { pngOf } from '../chart-file.ts';
import { aRun, aSource } from '../documents.ts';
import type { TestService } from '../test-service.ts';

/** The service's guarantees for paths, methods, the description, and the log. */
export function httpPromises(service: () => TestService): void {
  describe('Paths and methods', () => {
    it('have the same responses on both hosts', async () => {
      const { key } = await service().account((acc) => ({ sources: [aSource(acc, `${acc}-s`)] }));
      for (const path of ['/v1/sources', '/v1/openapi.yaml', '/healthz', '/v1/nothing']) {
        const [first, second] = [await service().ask(path, { key }), await service().ask(path, { key, alt: true })];
        assert.deepEqual(first.bytes, second.bytes, path);
        assert.equal(first.status, second.status, path);
      }
    });

    it('respond with 404 to every path that the specification doesn’t name', async () => {
      const { key } = await service().account();
      const paths = ['/', '/v1', '/v1/', '/v1/sources/', '/V1/sources', '/v1/sources/a', '/v1/sources/a/pulse/'];
      for (const path of [...paths, '/v1/sources/a/pulse/x.css', '/v2/sources', '/sources', '/v1/sources;x=1']) {
        const { status, bytes } = await service().ask(path, { key });
        assert.equal(status, 404, path);
        assert.equal(bytes.toString(), '{"success":false,"error":"Not found"}', path);
      }
    });

    it('have a page for each source’s link, which doesn’t require a key or show anything about the account', async () => {
      const { id, key } = await service().account((acc) => ({
        sources: [aSource(acc, `${acc}-s`, { name: 'Secret' })],
      }));
      const [source] = await service().sources(key);
      const { status, headers, bytes } = await service().ask(source!.link.slice(service().url.length));
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
      for (const secret of [`${id}@acme.test`, 'Acme', 'Secret']) assert.ok(!bytes.toString().includes(secret));
      const unknown = await service().ask(`/admin/sources/${id}-nothing`);
      assert.equal(unknown.bytes.toString(), bytes.toString().replaceAll(`${id}-s`, `${id}-nothing`));
      for (const path of ['/admin', '/admin/sources', '/admin/sources/', '/admin/sources/%3Cb%3E'])
        assert.equal((await service().ask(path)).status, 404, path);
    });

    it('respond with 405 and Allow to every method except GET and HEAD', async () => {
      for (const path of [
        '/v1/sources',
        '/v1/sources/a/pulse',
        '/v1/openapi.yaml',
        '/healthz',
        '/charts/a.png',
        '/admin/sources/a',
      ]) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          const { status, headers, json } = await service().ask(path, { method });
          assert.equal(status, 405, `${method} ${path}`);
          assert.equal(headers.get('allow'), 'GET, HEAD', `${method} ${path}`);
          assert.deepEqual(json, { success: false, error: 'Method not allowed' });
        }
        service().clock.push(60_000);
      }
    });

    it('respond with 400 to a path that can’t be decoded', async () => {
      const { key } = await service().account();
      for (const bad of ['%', '%E0%A4%A', '%zz', '%ED%A0%80']) {
        for (const path of [`/v1/sources/${bad}/pulse`, `/charts/${bad}.png`]) {
          const { status, json } = await service().ask(path, { key });
          assert.equal(status, 400, path);
          assert.deepEqual(json, { success: false, error: 'Bad request' }, path);
        }
      }
      assert.ok(!service().log.some((line) => line.includes('Failed to decode')));
    });

    it('respond with 400 to two Host headers and to invalid HTTP', async () => {
      const heads = [
        'GET /v1/sources HTTP/1.1',
        'GET /v1/sources HTTP/1.1\r\nHost: a\r\nHost: b',
        'GET /v1/sources HTTP/1.1\r\nHost : a',
        'nonsense',
      ];
      for (const head of heads) {
        const answer = await rawAnswer(service().url, `${head}\r\nConnection: close\r\n\r\n`);
        assert.match(answer, /^HTTP\/1\.1 400 /, head);
        assert.ok(answer.endsWith('{"success":false,"error":"Bad request"}'), head);
      }
    });

    it('respond regardless of other headers', async () => {
      for (const name of ['__proto__', 'constructor']) {
        const head = `GET /healthz HTTP/1.1\r\nHost: a\r\n${name}: x\r\nConnection: close\r\n\r\n`;
        assert.match(await rawAnswer(service().url, head), /^HTTP\/1\.1 200 /, name);
      }
    });

    it('respond to a client with an unknown Expect header', async () => {
      const head = 'GET /v1/sources HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n';
      const answer = await rawAnswer(service().url, head);
      assert.match(answer, /^HTTP\/1\.1 401 /);
      assert.ok(answer.endsWith('{"success":false,"error":"Authentication required"}'));
    });

    it('respond with 431 to extremely large headers', async () => {
      const answer = await rawAnswer(
        service().url,
        `GET / HTTP/1.1\r\nHost: a\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`,
      );
      assert.match(answer, /^HTTP\/1\.1 431 /);
    });

    it('don’t read the body of a GET request', async () => {
      const { key } = await service().account();
      const head = `GET /v1/sources HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nConnection: close\r\n`;
      const answer = await rawAnswer(service().url, `${head}Content-Length: 9\r\n\r\n{"not":1`);
      assert.match(answer, /^HTTP\/1\.1 200 /);
    });

    it('send no-store with data and rejections', async () => {
      const { key } = await service().account();
      for (const path of ['/v1/sources', '/v1/sources/none/pulse', '/v1/nothing']) {
        assert.equal((await service().ask(path, { key })).headers.get('cache-control'), 'no-store', path);
      }
    });
  });

  describe('GET /v1/openapi.yaml', () => {
    it('serves the description as YAML to anyone', async () => {
      const { status, headers, bytes } = await service().ask('/v1/openapi.yaml');
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'application/yaml; charset=utf-8');
      const publicUrl = service().url.replace('127.0.0.1', 'localhost');
      assert.deepEqual(parse(bytes.toString()), JSON.parse(JSON.stringify(openapiDocument(publicUrl))));
    });
  });

  describe('The log', () => {
    it('is one JSON object per line, with the route, the status, and the key ID', async () => {
      const { key } = await service().account();
      await service().ask('/v1/sources/none/pulse', { key });
      const last = JSON.parse(service().log.at(-1)!) as Record<string, unknown>;
      assert.equal(last['route'], '/v1/sources/:sourceId/pulse');
      assert.equal(last['status'], 404);
      assert.equal(last['keyId'], key.split('_')[1]);
    });

    it('doesn’t contain a key, a query string, or anything else that a client invented', async () => {
      const { key } = await service().account();
      const from = service().log.length;
      const secret = key.split('_').slice(2).join('_');
      await service().ask(`/v1/sources?token=${key}`, { key, headers: { 'User-Agent': 'canary-agent' } });
      await service().ask(`/v1/sources/${key}/pulse`, { key: `${key}x` });
      await service().ask(`/${key}%0d%0acanary-line`, { method: 'POST' });
      const lines = service().log.slice(from);
      assert.equal(lines.length, 3);
      for (const line of lines) {
        assert.ok(!line.includes(secret) && !line.includes('canary') && !line.includes('token='), line);
        assert.ok(line.endsWith('\n') && !line.slice(0, -1).includes('\n'));
      }
    });
  });
}

/** The service's guarantees for charts. */
export function chartPromises(service: () => TestService): void {
  describe('GET /charts/{chart}.png', () => {
    const png = pngOf(77);
    const withChart = (file = png) =>
      service().account(
        (acc) => ({
          sources: [aSource(acc, `${acc}-s`)],
          connections: [{ id: `${acc}-c`, sourceId: `${acc}-s` }],
          runs: [aRun(`${acc}-c`, `${acc}-r`, { image: 'a.png' })],
        }),
        { 'a.png': file },
      );

    it('serves the imported bytes at imageUrl, without a key', async () => {
      const { id, key } = await withChart();
      const pulse = await service().pulse(key, `${id}-s`);
      assert.ok(typeof pulse === 'object' && pulse.imageUrl !== null);
      const { status, headers, bytes } = await service().ask(new URL(pulse.imageUrl).pathname);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'image/png');
      assert.deepEqual(bytes, png);
    });

    it('lets every page embed the chart, and every cache keep it permanently', async () => {
      await withChart();
      const { headers } = await service().ask(`/charts/${chartIdOf(png)}.png`);
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
    });

    it('responds with 304 to clients that already have the chart', async () => {
      await withChart();
      const path = `/charts/${chartIdOf(png)}.png`;
      const etag = (await service().ask(path)).headers.get('etag') ?? '';
      const response = await fetch(service().url + path, {
        headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' },
      });
      assert.equal(response.status, 304);
    });

    it('serves a large chart in full, but only its length for HEAD', async () => {
      const large = pngOf(78, 1_300_000);
      const { id, key } = await withChart(large);
      const pulse = await service().pulse(key, `${id}-s`);
      assert.ok(typeof pulse === 'object' && pulse.imageUrl !== null);
      const path = new URL(pulse.imageUrl).pathname;
      assert.deepEqual((await service().ask(path)).bytes, large);
      const { headers, bytes } = await service().ask(path, { method: 'HEAD' });
      assert.deepEqual([headers.get('content-length'), bytes.length], [String(large.length), 0]);
    });

    it('keeps memory use low for a client that requests a 9.9 MB chart 100 times but doesn’t read the responses', async () => {
      const large = pngOf(79, 9_900_000);
      await withChart(large);
      const { hostname, port } = new URL(service().url);
      const socket = connect(Number(port), hostname).pause();
      const before = process.memoryUsage().arrayBuffers;
      socket.write(`GET /charts/${chartIdOf(large)}.png HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(100));
      // Each of these requests waits behind those that the service is already processing.
      for (let request = 0; request < 20; request += 1) await service().ask('/healthz');
      const keptMb = (process.memoryUsage().arrayBuffers - before) / 1e6;
      socket.destroy();
      assert.ok(keptMb < 50, `${keptMb} MB`);
    });

    it('responds with 404 to any other name', async () => {
      for (const name of [`${'0'.repeat(32)}.png`, 'x.png', '..%2f..%2fpackage.json', `${chartIdOf(png)}.jpg`]) {
        assert.equal((await service().ask(`/charts/${name}`)).status, 404, name);
      }
    });
  });
}

/** The response to bytes that no HTTP client would send. */
async function rawAnswer(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The connection stays open, because half-closing it would mean that the client gave up.
  socket.write(bytes);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}
