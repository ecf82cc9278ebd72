import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { startDemo, type RunningDemo } from './server.ts';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return (server.address() as AddressInfo).port;
}

describe('startDemo()', () => {
  let demo: RunningDemo;
  let bff: Server;
  let seen: { url: string | undefined; headers: IncomingHttpHeaders } | undefined;

  before(async () => {
    bff = createServer((request, response) => {
      seen = { url: request.url, headers: request.headers };
      if (!request.url?.includes('/assets/')) return response.end('from the BFF');
      response.setHeader('Content-Encoding', 'br');
      return response.end(brotliCompressSync('compressed'));
    });
    demo = await startDemo({
      port: 0,
      adminUrl: `http://localhost:${await listening(bff)}`,
      startCommand: "PULSE_DATA_DIR='Küche' npm start",
    });
  });
  after(async () => {
    await demo.close();
    bff.close();
  });

  it('redirects / to the Studio', async () => {
    const response = await fetch(demo.url, { redirect: 'manual' });
    assert.deepEqual([response.status, response.headers.get('location')], [302, '/studio/']);
  });

  it('serves the Studio and its data and forwards the requested host', async () => {
    const response = await fetch(`${demo.url}/studio/api/config?x=1`);
    assert.equal(await response.text(), 'from the BFF');
    assert.equal(seen?.url, '/studio/api/config?x=1');
    assert.equal(seen?.headers.host, new URL(demo.url).host);
  });

  it('forwards compressed files unchanged to browsers that accept them', async () => {
    const response = await fetch(`${demo.url}/studio/assets/app.js`, { headers: { 'Accept-Encoding': 'br' } });
    assert.equal(seen?.headers['accept-encoding'], 'br');
    assert.deepEqual([response.headers.get('Content-Encoding'), await response.text()], ['br', 'compressed']);
  });

  it('sends the start command to the Studio in an encoded header', async () => {
    const { headers } = await fetch(`${demo.url}/studio/api/config`);
    const command = headers.get('X-Pulse-Start-Command') ?? '';
    assert.equal(decodeURIComponent(command), "PULSE_DATA_DIR='Küche' npm start");
  });

  it('serves Markdown as text, because some browsers download it, and images as images', async () => {
    const typeOf = async (path: string) => (await fetch(`${demo.url}/docs/${path}`)).headers.get('Content-Type');
    assert.equal(await typeOf('README.md'), 'text/plain; charset=utf-8');
    assert.equal(await typeOf('images/board-dark.png'), 'image/png');
  });

  for (const path of ['/status', '/metrics', '/v1/sources']) {
    it(`doesn’t serve ${path}`, async () => {
      assert.equal((await fetch(demo.url + path)).status, 404);
    });
  }

  it('names the port in use and the variable that changes it', async () => {
    const { port } = bff.address() as AddressInfo;
    await assert.rejects(startDemo({ port, adminUrl: 'http://localhost:2' }), {
      message: `Can’t serve the demo: port ${port} is in use; set PULSE_DEMO_PORT to a different port`,
    });
  });
});

describe('startDemo() if the BFF isn’t running', () => {
  it('returns an error instead of hanging and continues to serve requests', async () => {
    const demo = await startDemo({ port: 0, adminUrl: 'http://localhost:2' });
    for (const _ of [1, 2]) assert.ok((await fetch(`${demo.url}/studio/`)).status >= 500);
    await demo.close();
  });
});
