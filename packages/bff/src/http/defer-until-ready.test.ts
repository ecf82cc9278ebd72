import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { deferUntilReady } from './defer-until-ready.ts';
import { listenAt } from './hardened-server.ts';

async function serve(opening: Promise<RequestListener>) {
  const server = createServer(deferUntilReady(opening));
  const port = await listenAt(server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
  return { server, url: `http://127.0.0.1:${port}` };
}

describe('deferUntilReady()', () => {
  it('answers what came before it could, and what comes after', async () => {
    const { promise, resolve } = Promise.withResolvers<RequestListener>();
    const { server, url } = await serve(promise);
    const arrived = new Promise((settle) => {
      server.once('request', settle);
    });
    const early = fetch(url);
    await arrived;
    resolve((_request, response) => response.end('here'));
    assert.equal(await (await early).text(), 'here');
    assert.equal(await (await fetch(url)).text(), 'here');
    server.closeAllConnections();
    server.close();
  });

  it('cuts off what came where nobody will ever answer', async () => {
    const { promise, reject } = Promise.withResolvers<RequestListener>();
    const { server, url } = await serve(promise);
    const early = fetch(url);
    reject(new Error('never'));
    await assert.rejects(early);
    server.close();
  });
});
