import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError } from '../command-error.ts';
import { GracefulServer, type GracefulServerOptions } from './server.ts';

/** A server that hands every response to the test. */
async function heldServer(options: GracefulServerOptions = {}) {
  const server = new GracefulServer(options);
  const held: ServerResponse[] = [];
  let wake = () => {};
  const app = (_req: unknown, res: ServerResponse) => {
    held.push(res);
    wake();
  };
  await server.listen(app, { host: '127.0.0.1', port: 0, portVariable: 'PORT' });
  const next = async (): Promise<ServerResponse> => {
    if (held.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return held.shift()!;
  };
  return { server, next, url: `http://127.0.0.1:${server.port}` };
}

describe('GracefulServer', () => {
  it('finishes pending responses when it closes, then closes their connections', async () => {
    const { server, next, url } = await heldServer();
    const asked = fetch(url);
    const res = await next();
    const closed = server.close();
    res.end('whole');
    const answer = await asked;
    assert.equal(await answer.text(), 'whole');
    assert.equal(answer.headers.get('connection'), 'close');
    await closed;
  });

  it('still reports its port while pending responses finish', async () => {
    const { server, next, url } = await heldServer();
    const asked = fetch(url);
    const res = await next();
    const closed = server.close();
    res.end(String(server.port));
    assert.equal(await (await asked).text(), new URL(url).port);
    await closed;
  });

  it('stops accepting connections once it is closing', async () => {
    const { server, next, url } = await heldServer();
    const asked = fetch(url);
    const res = await next();
    const closed = server.close();
    await assert.rejects(fetch(url));
    res.end();
    await asked;
    await closed;
  });

  it('handles a connection’s requests one at a time and in order, without reading ahead', async () => {
    const { server, next, url } = await heldServer();
    const socket = connect(server.port, '127.0.0.1');
    socket.write(['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    const order: (string | undefined)[] = [];
    for (const waiting of [2, 1, 0]) {
      const res = await next();
      const other = fetch(`${url}/other`);
      const otherRes = await next();
      order.push(res.req.url, otherRes.req.url);
      assert.equal(res.req.socket.isPaused(), waiting > 0, res.req.url);
      otherRes.end();
      await other;
      res.end('done');
    }
    assert.deepEqual(order, ['/1', '/other', '/2', '/other', '/3', '/other']);
    socket.destroy();
    await server.close();
  });

  it('closes a connection if its client doesn’t read a response', async () => {
    const { server, next } = await heldServer({ stalledMs: 500 });
    const socket = connect(server.port, '127.0.0.1').pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const res = await next();
    res.write(Buffer.alloc(64 * 1024 * 1024));
    const isClosed = await Promise.race([once(res, 'close').then(() => true), pause(20_000, false, { ref: false })]);
    socket.destroy();
    await server.close();
    assert.equal(isClosed, true);
  });

  it('drops the pending requests of a closed connection', async () => {
    const { server, next, url } = await heldServer();
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n');
    const first = await next();
    first.req.socket.destroy();
    await once(socket, 'close');
    const other = fetch(`${url}/other`);
    const res = await next();
    assert.equal(res.req.url, '/other');
    res.end();
    await other;
    await server.close();
  });

  it('closes a connection after the next response if a response has already started', async () => {
    const { server, next } = await heldServer();
    const socket = connect(server.port, '127.0.0.1');
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    socket.write(request);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const first = await next();
    first.writeHead(200, { 'Content-Length': 3 });
    first.write('o');
    const closed = server.close();
    socket.write(request);
    first.end('ne');
    (await next()).end('two');
    await once(socket, 'close');
    await closed;
    assert.match(Buffer.concat(chunks).toString(), /keep-alive[\s\S]*one[\s\S]*Connection: close[\s\S]*two$/);
  });

  it('cuts off pending responses when the drain time is over', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const { server, next, url } = await heldServer();
    const asked = fetch(url);
    await next();
    const closed = server.close();
    test.mock.timers.tick(8_000);
    await assert.rejects(asked);
    await closed;
  });

  it('reports the port and the variable when the port is in use', async () => {
    const { server } = await heldServer();
    const second = new GracefulServer();
    const address = { host: '127.0.0.1', port: server.port, portVariable: 'ALT_PORT' };
    await assert.rejects(
      second.listen(() => {}, address),
      new CommandError(`Can’t listen on port ${server.port} (ALT_PORT): the port is in use`),
    );
    await second.close();
    await server.close();
  });
});
