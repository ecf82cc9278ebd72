import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../../../testkit/src/until.ts';
import { createHttpServer, finish, listen } from './server.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** A server whose responses a test ends, and a connection to it. */
async function open(t: TestContext) {
  const begun: ServerResponse[] = [];
  const server = createHttpServer((_req, res) => void begun.push(res));
  await listen(server, 0, '127.0.0.1', 'PORT');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  t.after(() => client.destroy());
  client.resume();
  await once(client, 'connect');
  return { server, client, begun };
}

describe('createHttpServer()', () => {
  it('handles a connection’s pipelined requests one at a time', async (t) => {
    const { client, begun, server } = await open(t);
    const received = once(server, 'request');
    client.write(REQUEST.repeat(3));
    await received;
    for (const count of [1, 2, 3]) {
      await until('the next request begins', () => begun.length >= count, { everyMs: 1 });
      assert.equal(begun.length, count);
      begun.at(-1)?.end('done');
    }
  });

  it('closes a connection with more than 100 waiting requests', async (t) => {
    const { client, begun } = await open(t);
    const closed = once(client, 'close');
    client.write(REQUEST.repeat(102));
    await closed;
    assert.equal(begun.length, 1);
  });

  it('limits how long requests can take and how long connections can be idle (T-23)', () => {
    const server = createHttpServer(() => {});
    assert.ok(server.headersTimeout <= 10_000 && server.requestTimeout <= 15_000, 'a slow request');
    assert.ok(server.timeout > 0 && server.timeout <= 60_000 && server.keepAliveTimeout > 60_000, 'an idle connection');
    server.emit('error', new Error('a connection that can’t be accepted'));
    assert.ok((server.maxConnections ?? Infinity) <= 15_000);
  });
});

describe('finish()', () => {
  it('waits for in-flight requests, but closes connections that take too long', async (t) => {
    const { server, client, begun } = await open(t);
    client.write(REQUEST);
    await until('it begins', () => begun.length === 1, { everyMs: 1 });
    let isFinished = false;
    const finished = finish(server, 60_000).then(() => (isFinished = true));
    assert.equal(isFinished, false);
    begun[0]?.end('done');
    client.end();
    await finished;

    const slow = await open(t);
    slow.client.write(REQUEST);
    await until('it begins', () => slow.begun.length === 1, { everyMs: 1 });
    await finish(slow.server, 1);
    assert.equal(slow.begun[0]?.writableFinished, false);
  });
});

describe('listen()', () => {
  it('listens only on the given address, and reports which variable sets a port that’s in use', async (t) => {
    const { server } = await open(t);
    const { port, address } = server.address() as AddressInfo;
    assert.equal(address, '127.0.0.1');
    const again = createHttpServer(() => {});
    await assert.rejects(listen(again, port, '127.0.0.1', 'PULSE_ADMIN_PORT'), /PULSE_ADMIN_PORT.*in use/);
  });
});
