import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { checkHealth } from './health.ts';

/** What is said of an instance that answers as `listener` does. */
async function healthOf(listener: RequestListener, host = '127.0.0.1') {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const health = await checkHealth({ port, host });
  server.close();
  return { ...health, line: health.line.replace(String(port), 'PORT') };
}

describe('checkHealth()', () => {
  it('asks /readyz, by loopback where the instance listens on all addresses', async () => {
    const urls: (string | undefined)[] = [];
    for (const host of ['127.0.0.1', '0.0.0.0', 'localhost']) {
      const health = await healthOf((request, response) => {
        urls.push(request.url);
        response.end('{"status":"ready"}');
      }, host);
      assert.deepEqual(health, { isReady: true, line: 'Ready' });
    }
    assert.deepEqual(urls, ['/readyz', '/readyz', '/readyz']);
  });

  it('gives the reason of an instance that is not ready', async () => {
    const body = { success: false, error: 'Not ready: stopping', code: 'upstream_unavailable' };
    const health = await healthOf((_request, response) => response.writeHead(503).end(JSON.stringify(body)));
    assert.deepEqual(health, { isReady: false, line: 'Not ready: stopping' });
  });

  it('says so where something else answers, or nothing', async () => {
    const other = await healthOf((_request, response) => response.writeHead(404).end('<html>'));
    assert.deepEqual(other, { isReady: false, line: 'http://127.0.0.1:PORT/readyz answers 404' });
    const cut = await healthOf((request) => request.socket.destroy());
    assert.deepEqual(cut, { isReady: false, line: 'Cannot reach http://127.0.0.1:PORT/readyz (ECONNRESET)' });
    const nobody = await checkHealth({ port: 9, host: '127.0.0.1' });
    assert.deepEqual(nobody, { isReady: false, line: 'Cannot reach http://127.0.0.1:9/readyz (ECONNREFUSED)' });
  });
});
