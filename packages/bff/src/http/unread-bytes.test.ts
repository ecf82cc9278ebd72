import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { rawGet } from '../testing/raw-request.ts';
import { serve } from '../testing/serve.ts';
import { UnreadBytes } from './unread-bytes.ts';

const MEBIBYTE = 1024 * 1024;

/** More bytes than the operating system buffers for a client that isn't reading. */
const LARGE = Buffer.alloc(16 * MEBIBYTE);

/** Answers each `GET /mebibytes` with this many MiB in addition to the bytes that the operating system buffers. */
async function serveBytes(limits: { perConnection: number; total: number }) {
  const unread = new UnreadBytes(limits);
  const served = await serve((request, response) => {
    const bytes = Number((request.url ?? '').slice(1)) * MEBIBYTE;
    response.end(bytes === 0 ? 'small' : Buffer.concat([LARGE, Buffer.alloc(bytes)]));
    unread.add(response, bytes);
  });
  return {
    ...served,
    /** A client that requests `mebibytes` and doesn't read the response. */
    async ask(mebibytes: number): Promise<Socket> {
      const client = connect(served.port, '127.0.0.1')
        .on('error', () => {})
        .pause();
      client.write(rawGet(`/${mebibytes}`));
      // After this event, the first bytes have arrived.
      await once(client, 'readable');
      return client;
    },
  };
}

/** Reads `bytes` of a response. Returns whether the server closed the connection first. */
function isCut(client: Socket, bytes: number): Promise<boolean> {
  let read = 0;
  return new Promise((resolve) => {
    client.on('close', () => resolve(read < bytes));
    client.on('data', (chunk: Buffer) => (read += chunk.length) >= bytes && resolve(false));
    client.resume();
  });
}

describe('UnreadBytes (T-81)', () => {
  it('closes a connection if it has more unread bytes than allowed per connection', async () => {
    await using server = await serveBytes({ perConnection: 2 * MEBIBYTE, total: 100 * MEBIBYTE });
    const [within, over] = [await server.ask(2), await server.ask(3)];
    assert.equal(await isCut(over, LARGE.length + 3 * MEBIBYTE), true);
    assert.equal(await isCut(within, LARGE.length + 2 * MEBIBYTE), false);
  });

  it('closes the connections with the most unread bytes when the total limit is reached', async () => {
    await using server = await serveBytes({ perConnection: 9 * MEBIBYTE, total: 10 * MEBIBYTE });
    const reading = connect(server.port, '127.0.0.1');
    const [small, largest] = [await server.ask(2), await server.ask(5)];
    const latest = await server.ask(4);
    assert.equal(await isCut(largest, LARGE.length + 5 * MEBIBYTE), true);
    assert.equal(await isCut(small, LARGE.length + 2 * MEBIBYTE), false);
    assert.equal(await isCut(latest, LARGE.length + 4 * MEBIBYTE), false);
    reading.write(rawGet('/0'));
    assert.match(String(await once(reading, 'data')), /small$/);
    reading.destroy();
  });

  it('doesn’t count the bytes of a connection that is closed or has read everything', async () => {
    await using server = await serveBytes({ perConnection: 9 * MEBIBYTE, total: 10 * MEBIBYTE });
    const clients: Socket[] = [];
    for (let round = 0; round < 3; round += 1) {
      const [read, closed] = [await server.ask(4), await server.ask(4)];
      assert.equal(await isCut(read, LARGE.length + 4 * MEBIBYTE), false);
      closed.destroy();
      await once(closed, 'close');
      clients.push(read);
    }
    for (const client of clients) {
      assert.equal(client.destroyed, false);
      client.destroy();
    }
  });
});
