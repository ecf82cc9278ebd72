import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { rawGet, sendRaw } from '../testing/raw-request.ts';
import { deferUntilReady } from '../cli/graceful-stop.ts';
import { HardenedServer } from './server.ts';

/** Listens on a free port until the test ends. */
async function listen(listener: RequestListener = () => {}, server = new HardenedServer()) {
  const port = await server.answerWith(listener).listenAt({ port: 0, host: '127.0.0.1', variable: 'PORT' });
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { port, [Symbol.dispose]: close };
}

describe('HardenedServer (T-23)', () => {
  it('sets a time limit for everything that a slow client can delay', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, timeout, ...server } = new HardenedServer();
    assert.deepEqual([headersTimeout, requestTimeout, keepAliveTimeout, timeout], [10_000, 15_000, 65_000, 60_000]);
    assert.deepEqual([server.maxConnections, server.maxRequestsPerSocket], [15_000, 1_000]);
  });

  for (const [name, text] of [
    ['never ends its headers', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: b'],
    ['sends nothing', ''],
    ['never ends its body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc'],
  ] as const) {
    it(`cuts off a client that ${name}`, async () => {
      const timeouts = { headersTimeout: 40, requestTimeout: 50, connectionsCheckingInterval: 10 };
      using server = await listen(undefined, new HardenedServer(timeouts));
      const [answer] = await sendRaw(server.port, text);
      assert.equal(answer?.status, 408);
    });
  }

  describe('when the end of a request can’t be parsed (T-17)', () => {
    const chunk = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\nhello\r\n0\r\n\r\n';
    const answerings: Record<string, (response: ServerResponse) => void> = {
      immediately: (response) => void response.end('{}'),
      'immediately, with Connection: close': (response) =>
        void response.writeHead(405, { Connection: 'close' }).end('{}'),
      later: (response) => void setTimeout(() => response.end('{}'), 20),
      'in two parts': (response) => {
        response.write('{');
        setTimeout(() => response.end('}'), 20);
      },
    };
    for (const [when, answer] of Object.entries(answerings))
      for (const [what, text] of [
        ['a malformed chunk', chunk],
        ['a malformed chunk and another request', chunk + rawGet('/')],
        ['nonsense after a last request', `${rawGet('/', ['Connection: close'])}nonsense\r\n\r\n`],
        ['nonsense after an HTTP/1.0 request', 'GET / HTTP/1.0\r\n\r\nnonsense\r\n\r\n'],
      ] as const)
        it(`sends only one response and closes the connection: ${what}, answered ${when}`, async () => {
          using server = await listen((_request, response) => answer(response));
          assert.equal((await sendRaw(server.port, text)).length, 1);
        });
  });

  it('cuts off a client that isn’t reading its response', async () => {
    const quick = new HardenedServer();
    quick.timeout = 50;
    const cut = Promise.withResolvers<void>();
    using server = await listen((request, response) => {
      request.socket.on('close', () => cut.resolve());
      response.end(Buffer.alloc(64 * 1024 * 1024));
    }, quick);
    const client = connect(server.port, '127.0.0.1', () => client.write(rawGet('/'))).pause();
    await cut.promise;
    client.destroy();
  });

  describe('with pipelined requests (T-85)', () => {
    const requests = (count: number): string => Array.from({ length: count }, (_, at) => rawGet(`/${at}`)).join('');

    it('processes four requests on a connection at a time, and responds in order', async () => {
      const [started, responses] = [Promise.withResolvers<void>(), [] as ServerResponse[]];
      let isHeld = true;
      using server = await listen(({ url }, response) => {
        if (!isHeld) response.end(url);
        else if (responses.push(response) === 4) setImmediate(() => setImmediate(started.resolve));
      });
      const answers = sendRaw(server.port, requests(99) + rawGet('/99', ['Connection: close']));
      await started.promise;
      assert.equal(responses.length, 4);
      isHeld = false;
      for (const response of responses.toReversed()) response.end(response.req.url);
      assert.deepEqual(
        (await answers).map(({ body }) => body),
        Array.from({ length: 100 }, (_, at) => `/${at}`),
      );
    });

    it('also processes requests on other connections in between', async () => {
      const order: string[] = [];
      using server = await listen(({ url = '' }, response) => {
        order.push(url);
        response.end(url);
      });
      const [, quick] = await Promise.all([
        sendRaw(server.port, rawGet('/many').repeat(99) + rawGet('/many', ['Connection: close'])),
        sendRaw(server.port, rawGet('/one', ['Connection: close'])),
      ]);
      assert.equal(quick.length, 1);
      assert.ok(order.indexOf('/one') < order.length - 1, String(order.indexOf('/one')));
    });

    it('closes a connection with more than a hundred waiting requests', async () => {
      using server = await listen((_request, response) => void setTimeout(() => response.end('late'), 5));
      assert.deepEqual(await sendRaw(server.port, requests(105)), []);
      assert.equal((await sendRaw(server.port, requests(103) + rawGet('/', ['Connection: close']))).length, 104);
    });
  });

  it('doesn’t count a request as waiting once it has been answered', async () => {
    using server = await listen((_request, response) => response.end('answered'));
    const client = connect(server.port, '127.0.0.1');
    for (let round = 0; round < 3; round += 1) {
      client.write(rawGet('/').repeat(60));
      for (let answers = 0; answers < 60;) answers += String(await once(client, 'data')).split('answered').length - 1;
    }
    client.destroy();
  });

  it('rejects headers of more than 8 KiB, and too many headers', async () => {
    using server = await listen((_request, response) => response.end('{}'));
    for (const headers of [[`X-A: ${'b'.repeat(9_000)}`], Array<string>(2_000).fill('X-A: b')]) {
      const [answer] = await sendRaw(server.port, rawGet('/', ['Connection: close', ...headers]));
      assert.equal(answer?.status, 431);
      assert.match(answer?.head ?? '', /\r\nConnection: close/);
    }
  });
});

describe('deferUntilReady()', () => {
  it('responds to requests that arrived before the listener was ready', async () => {
    const { promise, resolve } = Promise.withResolvers<RequestListener>();
    const waiting = new HardenedServer();
    using server = await listen(deferUntilReady(promise), waiting);
    const early = sendRaw(server.port, rawGet('/', ['Connection: close']));
    await once(waiting, 'request');
    resolve((_request, response) => response.end('here'));
    assert.equal((await early)[0]?.body, 'here');
  });

  it('cuts off waiting requests if the listener fails to become ready', async () => {
    const { promise, reject } = Promise.withResolvers<RequestListener>();
    using server = await listen(deferUntilReady(promise));
    const early = sendRaw(server.port, rawGet('/'));
    reject(new Error('never'));
    assert.deepEqual(await early, []);
  });
});
