import assert from 'node:assert/strict';
import { createServer, type ServerResponse, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { errorBodySchema } from '@pulse-card/contract';
import { rawGet, sendRaw } from '../testing/raw-request.ts';
import { createHardenedServer, listenAt, PortError, deferUntilReady, limitPipelining } from './server.ts';

describe('createHardenedServer() (T-23)', () => {
  it('sets a time-out for everything a slow client can draw out', () => {
    const server = createHardenedServer();
    assert.deepEqual(
      [server.headersTimeout, server.requestTimeout, server.keepAliveTimeout, server.maxRequestsPerSocket],
      [10_000, 15_000, 65_000, 1_000],
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
      const [answer] = await sendRaw(port, text);
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
          const answers = await sendRaw(port, text);
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
    const answers = await sendRaw(port, requests(99) + rawGet('/99', ['Connection: close']));
    assert.deepEqual(
      answers.map(({ body }) => body),
      Array.from({ length: 100 }, (_, at) => `/${at}`),
    );
    assert.ok((await sendRaw(port, requests(900))).length < 900);
    server.close();
  });

  it('refuses headers beyond 8 KiB, and more of them than anyone needs', async () => {
    const server = createHardenedServer();
    server.on('request', (_, response) => response.end('{}'));
    const port = await listenAt(server, { port: 0, host: '127.0.0.1', variable: 'PORT' });
    for (const headers of [`X-A: ${'b'.repeat(65_000)}\r\n`, 'X-A: b\r\n'.repeat(2_000)]) {
      const [answer] = await sendRaw(port, `GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
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

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** A server that lets five answers wait, and holds the first of each connection until it is told to give it. */
async function openServer() {
  const held: ServerResponse[] = [];
  const server = createServer((_, response) => {
    if (response.socket === null) response.end('behind');
    else held.push(response);
  });
  limitPipelining(server, { maxPerConnection: 99, maxTotal: 5 });
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
  it('counts those of all connections, and harms none that waits for one answer alone', async () => {
    using server = await openServer();
    const patient = sendRaw(server.port, GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
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
    const answers = sendRaw(server.port, GET.repeat(5) + GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    await server.holds(1);
    server.give();
    assert.equal((await answers).length, 6);
  });

  it('forgets what has been read', async () => {
    using server = await openServer();
    for (let turn = 0; turn < 4; turn += 1) {
      const answers = sendRaw(server.port, GET.repeat(4) + GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
      await server.holds(1);
      server.give();
      assert.equal((await answers).length, 5);
    }
  });
});
