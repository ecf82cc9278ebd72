import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { HardenedServer } from '../http/server.ts';
import { stopGracefully } from './graceful-stop.ts';

/** The status of a response, or an error code if there was no response. */
const statusOf = (port: number, path: string): Promise<number | string | undefined> =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    ({ status }) => status,
    ({ cause }: { cause: NodeJS.ErrnoException }) => cause.code,
  );

/** More bytes than a connection can buffer if its client isn't reading. */
const LARGE = Buffer.alloc(16 * 1024 * 1024);

/** A server with a request to `/slow` under way. */
async function openServer() {
  const held = Promise.withResolvers<ServerResponse>();
  const server = new HardenedServer();
  server.answerWith(({ url }, response) => {
    if (url === '/slow') held.resolve(response);
    else response.end(url === '/large' ? LARGE : undefined);
  });
  const port = await server.listenAt({ port: 0, host: '127.0.0.1', variable: 'PORT' });
  const slow = statusOf(port, '/slow');
  const response = await held.promise;
  const steps: string[] = [];
  const stop = (drainMs: number): Promise<void> =>
    stopGracefully({
      servers: [server],
      drainMs,
      beginStop: () => void steps.push('readiness fails'),
      close: async () => void steps.push('all is closed'),
    });
  return { server, port, slow, response, steps, stop, ask: () => statusOf(port, '/') };
}

/** Lets time pass, so that pending work continues. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  await new Promise(setImmediate);
}

describe('stopGracefully()', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('still serves requests during the drain, and finishes pending responses after it', async () => {
    const { slow, response, steps, stop, ask } = await openServer();
    const stopped = stop(5_000);
    await pass(4_999);
    assert.deepEqual(steps, ['readiness fails']);
    assert.equal(await ask(), 200);
    await pass(1);
    assert.equal(await ask(), 'ECONNREFUSED');
    response.end();
    assert.equal(await slow, 200);
    await stopped;
    assert.deepEqual(steps, ['readiness fails', 'all is closed']);
  });

  it('cuts off pending responses 3 s after the drain', async () => {
    const { slow, stop } = await openServer();
    const stopped = stop(5_000);
    await pass(5_000);
    await pass(3_000);
    assert.equal(await slow, 'UND_ERR_SOCKET');
    await stopped;
  });

  for (const [what, bytes] of [
    ['sends nothing', ''],
    ['has sent half of a request', 'GET / HTTP/1.1\r\nHost: a'],
    ['has been answered', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ] as const) {
    it(`doesn’t wait for a connection that ${what}`, async () => {
      const { port, response, stop } = await openServer();
      const halfOpen = connect(port, '127.0.0.1', () => halfOpen.write(bytes)).on('error', () => {});
      const isClosed = new Promise((resolve) => halfOpen.on('close', resolve).resume());
      await once(halfOpen, 'connect');
      const stopped = stop(0);
      response.end();
      await Promise.all([stopped, isClosed]);
    });
  }

  it('doesn’t wait for a CONNECT request that follows an unread response', async () => {
    const { port, response, stop, server } = await openServer();
    const asked = once(server, 'connect');
    const client = connect(port, '127.0.0.1')
      .on('error', () => {})
      .pause();
    client.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    await asked;
    const stopped = stop(0);
    response.end();
    await stopped;
    client.destroy();
  });
});
