import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { sendRaw } from '../testing/raw-request.ts';
import { listenAt } from './hardened-server.ts';
import { limitPipelining } from './limit-pipelining.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** A server that lets five answers wait, and holds the first of each connection until it is told to give it. */
async function openServer({ maxPerConnection = 99 } = {}) {
  const held: ServerResponse[] = [];
  const server = createServer((_, response) => {
    if (response.socket === null) response.end('behind');
    else held.push(response);
  });
  limitPipelining(server, { maxPerConnection, maxTotal: 5 });
  const port = await listenAt(server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
  const clients: Socket[] = [];
  return {
    port,
    /** A client that asks so often at once; resolves when the server has ended it. */
    ask(times: number): { readonly ended: Promise<void> } {
      const client = connect(port, '127.0.0.1', () => client.write(GET.repeat(times)));
      clients.push(client);
      client.on('error', () => {}).resume();
      return { ended: new Promise((resolve) => client.once('close', () => resolve())) };
    },
    /** Resolves once so many first answers are held. */
    async holds(count: number): Promise<void> {
      while (held.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    give: () => {
      for (const response of held.splice(0)) response.end('first');
    },
    [Symbol.dispose]() {
      for (const client of clients) client.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('limitPipelining() (T-23)', () => {
  it('lets answers wait behind others up to a total', async () => {
    using server = await openServer();
    const answers = sendRaw(
      server.port,
      GET.repeat(5) + GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
      5_000,
    );
    await server.holds(1);
    server.give();
    assert.deepEqual(
      (await answers).map(({ body }) => body),
      ['first', 'behind', 'behind', 'behind', 'behind', 'behind'],
    );
  });

  it('ends the connection whose answer is one too many', async () => {
    using server = await openServer();
    await server.ask(7).ended;
  });

  it('ends a connection on which too many wait, though there is room for them', async () => {
    using server = await openServer({ maxPerConnection: 3 });
    server.ask(4);
    await server.holds(1);
    server.give();
    await server.ask(5).ended;
  });

  it('counts those of all connections, and harms none that waits for one answer alone', async () => {
    using server = await openServer();
    const patient = sendRaw(server.port, GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'), 5_000);
    await server.holds(1);
    server.ask(5);
    await server.holds(2);
    await server.ask(3).ended;
    server.give();
    assert.deepEqual(
      (await patient).map(({ body }) => body),
      ['first'],
    );
  });

  it('forgets what waited on a connection that has ended', async () => {
    using server = await openServer();
    for (let turn = 0; turn < 4; turn += 1) await server.ask(7).ended;
    server.give();
    const answers = sendRaw(
      server.port,
      GET.repeat(5) + GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
      5_000,
    );
    await server.holds(1);
    server.give();
    assert.equal((await answers).length, 6);
  });

  it('forgets what has been read', async () => {
    using server = await openServer();
    for (let turn = 0; turn < 4; turn += 1) {
      const answers = sendRaw(
        server.port,
        GET.repeat(4) + GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
        5_000,
      );
      await server.holds(1);
      server.give();
      assert.equal((await answers).length, 5);
    }
  });
});
