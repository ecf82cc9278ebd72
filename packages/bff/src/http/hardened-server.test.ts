import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { errorBodySchema } from '@pulse-card/contract';
import { sendRaw, UNTIL_CLOSED } from '../testing/raw-request.ts';
import { createHardenedServer, listenAt, PortError } from './hardened-server.ts';

describe('createHardenedServer() (T-23)', () => {
  it('sets a time-out for everything a slow client can draw out', () => {
    const server = createHardenedServer();
    assert.deepEqual(
      [server.headersTimeout, server.requestTimeout, server.keepAliveTimeout, server.maxRequestsPerSocket],
      [10_000, 15_000, 5_000, 1_000],
    );
    assert.equal(server.maxConnections, 15_000);
    assert.equal(server.timeout, 60_000);
  });

  for (const [name, text] of [
    ['never ends its headers', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: b'],
    ['says nothing at all', ''],
    ['never ends its body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc'],
  ] as const) {
    it(`cuts off a client that ${name}, and says so in JSON`, async () => {
      const server = createHardenedServer({ headersTimeout: 40, requestTimeout: 50, connectionsCheckingInterval: 10 });
      const port = await listenAt(server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
      const [answer] = await sendRaw(port, text, 5_000);
      server.close();
      assert.equal(answer?.status, 408);
      // In the shape of all errors, and with no code, since none of the closed list means this.
      assert.deepEqual(Object.keys(errorBodySchema.parse(JSON.parse(answer.body))), ['success', 'error']);
    });
  }

  describe('when a request cannot be read to its end (T-17)', () => {
    const bad = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\nhello\r\n0\r\n\r\n';
    const close = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const answerings: Record<string, (response: ServerResponse) => void> = {
      'at once': (response) => void response.end('{}'),
      'at once, with its end': (response) => void response.writeHead(405, { Connection: 'close' }).end('{}'),
      later: (response) => void setTimeout(() => response.end('{}'), 20),
      'in two parts': (response) => {
        response.write('{');
        setTimeout(() => response.end('}'), 20);
      },
    };
    for (const [when, answer] of Object.entries(answerings)) {
      const texts: Record<string, string> = {
        'a malformed chunk': bad,
        'a malformed chunk and another request': `${bad}GET / HTTP/1.1\r\nHost: a\r\n\r\n`,
        'nonsense behind a last request': `${close}nonsense\r\n\r\n`,
        'nonsense behind a last request of HTTP/1.0': 'GET / HTTP/1.0\r\n\r\nnonsense\r\n\r\n',
      };
      for (const [what, text] of Object.entries(texts)) {
        it(`gives ${what} one answer, and closes, where that comes ${when}`, async () => {
          const server = createHardenedServer();
          server.on('request', (_request, response) => answer(response));
          const port = await listenAt(server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
          const answers = await sendRaw(port, text, UNTIL_CLOSED);
          assert.equal(answers.length, 1);
          server.close();
        });
      }
    }
  });

  it('cuts off a client that does not read what it asked for', async () => {
    const server = createHardenedServer();
    server.timeout = 50;
    const cut = new Promise<void>((resolve) => {
      server.on('request', (request, response) => {
        request.socket.on('close', () => resolve());
        response.end(Buffer.alloc(64 * 1024 * 1024));
      });
    });
    const port = await listenAt(server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
    const client = connect(port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')).pause();
    await cut;
    client.destroy();
    server.close();
  });

  it('answers a hundred requests that come at once, in their order, and ends a connection with more', async () => {
    const server = createHardenedServer();
    server.on('request', ({ url }, response) => response.end(url));
    const port = await listenAt(server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
    const requests = (count: number): string =>
      Array.from({ length: count }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
    const answers = await sendRaw(port, requests(100), 1_000);
    assert.deepEqual(
      answers.map(({ body }) => body),
      Array.from({ length: 100 }, (_, at) => `/${at}`),
    );
    assert.ok((await sendRaw(port, requests(900), 5_000)).length < 900);
    server.close();
  });

  it('refuses headers beyond 8 KiB, and more of them than anyone needs', async () => {
    const server = createHardenedServer();
    server.on('request', (_, response) => response.end('{}'));
    const port = await listenAt(server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
    for (const headers of [`X-A: ${'b'.repeat(65_000)}\r\n`, 'X-A: b\r\n'.repeat(2_000)]) {
      const [answer] = await sendRaw(port, `GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`, 5_000);
      assert.equal(answer?.status, 431);
      assert.deepEqual(Object.keys(errorBodySchema.parse(JSON.parse(answer?.body ?? ''))), ['success', 'error']);
      assert.match(answer?.head ?? '', /\r\nConnection: close/);
    }
    server.close();
  });

  it('hands on what Node would refuse without a body', async () => {
    const server = createHardenedServer();
    server.on('request', (_, response) => response.end('{}'));
    const port = await listenAt(server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
    for (const headers of ['', 'Host: a\r\nExpect: the-moon\r\n']) {
      const [answer] = await sendRaw(port, `GET / HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
      assert.equal(answer?.status, 200);
    }
    server.close();
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
    await assert.rejects(refusal, new PortError({ port, host: '127.0.0.1', variable: 'PORT' }, 'EADDRINUSE'));
    first.close();
  });
});
