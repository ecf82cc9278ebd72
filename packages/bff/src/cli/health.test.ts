import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { serve } from '../testing/serve.ts';
import { checkHealth } from './health.ts';

/** What is said of an instance that answers as `listener` does. */
async function healthOf(listener: RequestListener, host = '127.0.0.1') {
  await using served = await serve(listener);
  const health = await checkHealth({ port: served.port, host });
  return { ...health, line: health.line.replace(String(served.port), 'PORT') };
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

  it('says so where something else answers, or hangs up', async () => {
    const other = await healthOf((_request, response) => response.writeHead(404).end('<html>'));
    assert.deepEqual(other, { isReady: false, line: 'http://127.0.0.1:PORT/readyz answers 404' });
    const cut = await healthOf((request) => request.socket.destroy());
    assert.deepEqual(cut, { isReady: false, line: 'Cannot reach http://127.0.0.1:PORT/readyz (ECONNRESET)' });
  });
});
