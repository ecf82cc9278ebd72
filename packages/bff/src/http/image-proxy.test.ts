import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import type { Resolve } from '../access/public-lookup.ts';
import { pngOf, startFakeCdn } from '../testing/fake-cdn.ts';
import { Exchange } from './exchange.ts';
import { createImageProxy } from './image-proxy.ts';

/** Serves one address through the proxy. */
async function serveImage(address: string, options: { resolve?: Resolve; deadlineMs?: number }) {
  const passImage = createImageProxy(options);
  const server = createServer((request, response) =>
    passImage(new Exchange(request, response, () => {}), new URL(address), ['Content-Type', 'image/png']),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

describe('createImageProxy()', () => {
  it('connects to no private address that a name leads to, although it led outside before', async () => {
    await using cdn = await startFakeCdn();
    const answers = [['203.0.113.9', '127.0.0.1'], ['127.0.0.1'], ['10.0.0.7'], ['::ffff:127.0.0.1']];
    let at = 0;
    const resolve: Resolve = (_name, found) => {
      const addresses = answers[at++] ?? [];
      found(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    await using image = await serveImage(`http://rebound.test:${cdn.host.split(':')[1]}/a.png`, { resolve });
    for (let asked = 0; asked < answers.length; asked += 1) assert.equal((await fetch(image.url)).status, 503);
    assert.equal(at, answers.length);
    assert.deepEqual(cdn.arrivals, []);
  });

  it('gives up on a host that says nothing, with an answer that may be tried again', async () => {
    await using cdn = await startFakeCdn();
    cdn.answer = () => {};
    await using image = await serveImage(`http://${cdn.host}/a.png`, { deadlineMs: 50 });
    const response = await fetch(image.url);
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('Retry-After'), '5');
  });

  it('cuts off a host that never ends', async () => {
    await using cdn = await startFakeCdn();
    cdn.answer = (_, response) => void response.writeHead(200, { 'Content-Type': 'image/png' }).write(pngOf());
    await using image = await serveImage(`http://${cdn.host}/a.png`, { deadlineMs: 100 });
    await assert.rejects(async () => (await fetch(image.url)).arrayBuffer());
  });

  it('leaves the host alone when the reader goes', async () => {
    await using cdn = await startFakeCdn();
    const left = new Promise<void>((resolve) => {
      cdn.answer = (request, response) => {
        request.socket.on('close', () => resolve());
        response.writeHead(200, { 'Content-Type': 'image/png' }).write(pngOf());
      };
    });
    await using image = await serveImage(`http://${cdn.host}/a.png`, {});
    const reader = new AbortController();
    const response = await fetch(image.url, { signal: reader.signal });
    assert.equal(response.status, 200);
    reader.abort();
    await left;
  });
});
