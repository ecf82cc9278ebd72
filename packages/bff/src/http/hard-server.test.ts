import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { createHardServer, listenAt, PortRefused } from './hard-server.ts';

describe('createHardServer()', () => {
  it('sets a time-out for everything a slow client can draw out', () => {
    const server = createHardServer();
    assert.deepEqual(
      [server.headersTimeout, server.requestTimeout, server.keepAliveTimeout, server.maxRequestsPerSocket],
      [10_000, 15_000, 5_000, 1_000],
    );
    assert.equal(server.maxConnections, 15_000);
  });
});

describe('listenAt()', () => {
  it('gives the port that was free', async () => {
    const server = createServer();
    assert.ok((await listenAt(server, { port: 0, host: '127.0.0.1', variable: 'PORT' })) > 0);
    server.close();
  });

  it('names port, variable and reason where it can not', async () => {
    const first = createServer();
    const port = await listenAt(first, { port: 0, host: '127.0.0.1', variable: 'PORT' });
    const refusal = listenAt(createServer(), { port, host: '127.0.0.1', variable: 'PORT' });
    await assert.rejects(refusal, new PortRefused({ port, host: '127.0.0.1', variable: 'PORT' }, 'EADDRINUSE'));
    first.close();
  });
});
