import assert from 'node:assert/strict';
import { lookup } from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { pulseBody } from '@pulse-card/contract/examples';
import { ApiKey } from '../lib/api-key.ts';
import { systemClock } from '../lib/clock.ts';
import { openAgents, openOutgoing, type OutgoingOptions, proxyFor } from '../lib/outgoing.ts';
import { createSelfSignedServer } from '../testing/self-signed.ts';
import { serve } from '../testing/serve.ts';
import { type Call, callService } from './call-service.ts';
import { LIST } from './target.ts';

const KEY = ApiKey.from('secret-key-of-a-test') ?? assert.fail('not a key');
/** The deadline keeps a call from hanging. Tests of deadlines set a short one. */
const CALL = { host: 'main', target: 'src_1', key: KEY, deadlineMs: 30_000 } as const;

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

async function answering(listener: RequestListener, server?: Server): Promise<string> {
  const served = await serve(listener, server);
  closers.push(() => void served[Symbol.asyncDispose]());
  return served.url;
}

/** The port of a service with a certificate that no one trusts. */
const insecure = async () => Number(new URL(await answering(() => {}, createSelfSignedServer())).port);

function clientFor(baseUrl: string, options: OutgoingOptions = {}) {
  const outgoing = openOutgoing(options);
  closers.push(() => outgoing.close());
  return { call: (call: Call) => callService({ baseUrl, clock: systemClock, outgoing }, call) };
}

const PULSE = JSON.stringify({ ...pulseBody, pulse: { ...pulseBody.pulse, sourceId: 'src_1' } });

function sendPulse(response: Parameters<RequestListener>[1], before = ''): void {
  response.setHeader('Content-Type', 'application/json');
  response.end(before + PULSE);
}

describe('callService()', () => {
  it('sends the key in its header and nothing about the reader', async () => {
    let seen: object = {};
    const url = await answering(({ headers, url: path, method }, response) => {
      seen = { key: headers['x-api-key'], accept: headers.accept, path, method, cookie: headers.cookie };
      sendPulse(response);
    });
    const reply = await clientFor(`${url}/base/`).call(CALL);
    assert.ok(reply.ok);
    assert.deepEqual(seen, {
      key: KEY.reveal(),
      accept: 'application/json',
      path: '/base/v1/sources/src_1/pulse',
      method: 'GET',
      cookie: undefined,
    });
  });

  it('fails if the service switches protocols, which ends the connection without an error', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n';
    const reply = await clientFor(await answering(({ socket }) => void socket.end(upgrade))).call(CALL);
    assert.deepEqual(reply, { ok: false, code: 'connection' });
  });

  it('calls nothing if the target isn’t an ID', async () => {
    let calls = 0;
    const url = await answering((_request, response) => ((calls += 1), sendPulse(response)));
    for (const target of ['..', 'a/../b', 'a?b']) assert.ok(!(await clientFor(url).call({ ...CALL, target })).ok);
    assert.equal(calls, 0);
  });

  for (const [what, status, target] of [
    ['a rejected request', 400, 'src_1'],
    ['a list that doesn’t exist', 404, LIST],
  ] as const)
    it(`reads the rate headers of ${what}`, async () => {
      const url = await answering((_request, response) => {
        response.writeHead(status, { 'Content-Type': 'application/json', 'X-RateLimit-Remaining': '3' });
        response.end('{"success":false,"error":"No"}');
      });
      const { rate } = await clientFor(url).call({ ...CALL, target });
      assert.equal(rate?.remaining, 3);
    });

  it('reads JSON with a byte order mark', async () => {
    const reply = await clientFor(await answering((_request, response) => sendPulse(response, '\uFEFF'))).call(CALL);
    assert.ok(reply.ok && reply.account?.id !== undefined);
  });

  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['Identity', (text: string) => text],
    ['constructor', (text: string) => text],
  ] as const)
    it(`reads a body with Content-Encoding: ${encoding}, even though it didn’t ask for it`, async () => {
      const url = await answering((_request, response) => {
        response.writeHead(404, { 'Content-Type': 'application/json', 'Content-Encoding': encoding });
        response.end(compress(JSON.stringify({ success: false, error: 'No pulse found' })));
      });
      const reply = await clientFor(url).call(CALL);
      assert.ok(reply.ok && reply.value === null);
    });

  it('rejects a small body that’s too large once decompressed', async () => {
    const url = await answering((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      response.end(gzipSync(PULSE + ' '.repeat(20_000_000)));
    });
    const reply = await clientFor(url).call(CALL);
    assert.ok(!reply.ok);
    assert.deepEqual([reply.code, reply.detail], ['invalid', 'not JSON, or too long']);
  });

  it('doesn’t follow a redirect', async () => {
    let calls = 0;
    const url = await answering((_request, response) => {
      calls += 1;
      response.writeHead(302, { Location: 'https://login.test/x' }).end();
    });
    const reply = await clientFor(url).call(CALL);
    assert.ok(!reply.ok);
    assert.deepEqual([reply.code, reply.detail, calls], ['redirect', 'login.test', 1]);
  });

  for (const [what, status] of [
    ['a server error', 500],
    ['a response that isn’t JSON', 200],
  ] as const)
    it(`closes the connection of ${what} without reading its body`, async () => {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      const url = await answering(({ socket }, response) => {
        socket.once('close', resolve);
        response.writeHead(status).write('endless');
      });
      await clientFor(url).call(CALL);
      await closed;
    });

  it('treats an invalid status as a server error', async () => {
    const url = await answering((_request, response) => void response.writeHead(999).end('Request denied'));
    const reply = await clientFor(url).call(CALL);
    assert.ok(!reply.ok && reply.code === 'server_error');
  });

  it('has a single deadline for the connection, headers, and body', async () => {
    for (const listener of [
      () => {},
      (_request, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).write('{'),
    ] as RequestListener[]) {
      const reply = await clientFor(await answering(listener)).call({ ...CALL, deadlineMs: 100 });
      assert.ok(!reply.ok && reply.code === 'timeout' && !('isReset' in reply));
    }
  });

  it('reports that a keep-alive connection was closed before any of the response arrived', async () => {
    let calls = 0;
    const url = await answering((request, response) => {
      calls += 1;
      if (calls === 2) request.socket.resetAndDestroy();
      else sendPulse(response);
    });
    const client = clientFor(url);
    assert.ok((await client.call(CALL)).ok);
    assert.deepEqual(await client.call(CALL), { ok: false, code: 'connection', isReset: true });
    assert.ok((await client.call({ ...CALL, usesNewConnection: true })).ok);
  });

  it('doesn’t report a closed keep-alive connection once part of the response has arrived', async () => {
    const url = await answering((request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1_000 });
      response.write('{"pulse":');
      setTimeout(() => request.socket.destroy(), 20);
    });
    const reply = await clientFor(url).call(CALL);
    assert.ok(!reply.ok && reply.code === 'connection' && !('isReset' in reply));
  });

  it('counts a 429 even if its body is cut off', async () => {
    const url = await answering((request, response) => {
      response.writeHead(429, { 'Content-Type': 'application/json', 'Content-Length': 1_000 });
      response.write('{', () => request.socket.destroy());
    });
    const reply = await clientFor(url).call(CALL);
    assert.ok(!reply.ok && reply.code === 'rate_limited');
  });

  it('opens a fresh connection on request', async () => {
    const ports = new Set<number | undefined>();
    const url = await answering((request, response) => {
      ports.add(request.socket.remotePort);
      sendPulse(response);
    });
    const client = clientFor(url);
    await client.call(CALL);
    await client.call(CALL);
    assert.equal(ports.size, 1);
    await client.call({ ...CALL, usesNewConnection: true });
    assert.equal(ports.size, 2);
  });

  it('reports which layer failed', async () => {
    const refused = await clientFor('http://127.0.0.1:1').call(CALL);
    // No more, because an error may quote the request.
    assert.deepEqual(refused, { ok: false, code: 'connection' });
    const unknown = await clientFor('https://nowhere.invalid').call(CALL);
    assert.ok(!unknown.ok && (unknown.code === 'dns' || unknown.code === 'timeout'));
    const untrusted = await clientFor(`https://localhost:${await insecure()}`).call(CALL);
    assert.ok(!untrusted.ok && untrusted.code === 'tls');
  });

  it('reports that this machine has no file descriptors left', async () => {
    const outgoing = { fetch: () => Promise.reject(Object.assign(new Error('open'), { code: 'EMFILE' })), close() {} };
    const reply = await callService({ baseUrl: 'http://127.0.0.1:1', clock: systemClock, outgoing }, CALL);
    assert.deepEqual(reply, { ok: false, code: 'no_descriptors' });
  });

  it('sends the key over plain HTTP only to a private IP address', async () => {
    const reply = await clientFor('http://service.internal:9', { resolve: async () => ['8.8.8.8'] }).call(CALL);
    assert.ok(!reply.ok && reply.code === 'plain_http');
  });

  it('resolves the host name within the deadline', async () => {
    const client = clientFor('http://service.internal:9', { resolve: () => new Promise(() => {}) });
    const reply = await client.call({ ...CALL, deadlineMs: 100 });
    assert.ok(!reply.ok && reply.code === 'timeout');
  });
});

describe('callService() behind an outgoing proxy', () => {
  /** A proxy that tunnels to `port`, or responds with `status`. */
  async function proxyTo(port: number, status = 200) {
    const seen: (string | undefined)[] = [];
    const server = createServer().on('connect', (request, socket: Socket) => {
      seen.push(request.url, request.headers['proxy-authorization']);
      if (status !== 200) {
        socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
        return;
      }
      const tunnel = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        tunnel.pipe(socket).pipe(tunnel);
      });
      tunnel.on('error', () => socket.destroy());
      socket.on('error', () => tunnel.destroy());
    });
    return { url: (await answering(() => {}, server)).replace('//', '//user:secret@'), seen };
  }

  it('calls an https: service through the proxy, with the proxy’s credentials', async () => {
    const { url, seen } = await proxyTo(await insecure());
    const reply = await clientFor('https://service.test', { proxies: { https: url } }).call(CALL);
    assert.deepEqual(seen, ['service.test:443', `Basic ${Buffer.from('user:secret').toString('base64')}`]);
    // The certificate isn't trusted, which shows that the tunnel has reached the service.
    assert.ok(!reply.ok && reply.code === 'tls');
  });

  it('reports the status if the proxy rejects the call, but not the proxy’s secret', async () => {
    const { url } = await proxyTo(0, 407);
    const reply = await clientFor('https://service.test', { proxies: { https: url } }).call(CALL);
    assert.ok(!reply.ok);
    assert.deepEqual([reply.code, reply.status], ['proxy', 407]);
    assert.doesNotMatch(JSON.stringify(reply), /secret/);
  });

  it('reports that the proxy can’t be used, without a status, if it isn’t an HTTP proxy', async () => {
    const server = createServer().on('connect', (_request, socket) => socket.end('220 mail.test ESMTP\r\n\r\n'));
    for (const [https, detail] of [
      [await answering(() => {}, server), 'not an HTTP proxy'],
      ['http://127.0.0.1:1', 'ECONNREFUSED'],
    ] as const) {
      const reply = await clientFor('https://service.test', { proxies: { https } }).call(CALL);
      assert.deepEqual(reply, { ok: false, code: 'proxy', status: undefined, detail });
    }
  });

  it('ends a call at its deadline, and its connection, if the proxy never responds', async () => {
    const closed = Promise.withResolvers<void>();
    const connected: unknown[] = [];
    const proxy = createServer().on('connect', (_request, socket) => {
      connected.push(socket);
      socket.on('error', () => closed.resolve()).on('end', () => closed.resolve());
      socket.resume();
    });
    const proxies = { https: await answering(() => {}, proxy) };
    // On a busy machine, a short deadline can pass before the proxy is connected.
    for (let deadlineMs = 50; connected.length === 0; deadlineMs *= 2) {
      const reply = await clientFor('https://service.test', { proxies }).call({ ...CALL, deadlineMs });
      assert.deepEqual(reply, { ok: false, code: 'timeout' });
    }
    await closed.promise;
  });

  it('never uses the proxy for loopback addresses, plain HTTP, or hosts in NO_PROXY', () => {
    const hostOf = (target: string, no = '') =>
      proxyFor(new URL(target), { http: 'http://p.test:1', https: 'http://proxy.test:3128', no })?.host;
    assert.equal(hostOf('https://service.test'), 'proxy.test:3128');
    for (const [target, no] of [
      ['https://127.0.0.1:4010', ''],
      ['https://localhost', ''],
      ['https://localhost.', ''],
      ['https://[::ffff:127.0.0.1]', ''],
      ['http://service.internal', ''],
      ['https://service.test', 'service.test'],
      ['https://a.service.test', '.service.test'],
      ['https://a.service.test', 'other.test, service.test'],
      ['https://service.test:8443', 'service.test:8443'],
      ['https://service.test', '*'],
      ['https://10.1.2.3', 'service.test,10.0.0.0/8'],
      ['https://10.1.2.3', '10.1.2.3'],
      ['https://[fd00::7]:8443', 'fd00::/8'],
      ['https://[fd00::7]', 'fd00:0::7'],
      ['https://[fd00::7]', '[fd00::7]'],
    ] as const)
      assert.equal(hostOf(target, no), undefined, `${target} ${no}`);
    for (const no of ['vice.test', 'service.test:8443', 'test.service'])
      assert.equal(hostOf('https://service.test', no), 'proxy.test:3128', no);
    for (const no of ['10.2.0.0/16', 'fd00::/8', '10.0.0.0/40', '10.1.2'])
      assert.equal(hostOf('https://10.1.2.3', no), 'proxy.test:3128', no);
  });
});

describe('openAgents()', () => {
  it('keeps one agent for each kind of connection, so that no connection skips the check of another kind', (t) => {
    const agents = openAgents({});
    const agentFor = (options: object, url = 'https://a.test') =>
      agents.agentFor(new URL(url), AbortSignal.abort(), { keepAlive: true, ...options });
    const kinds = [agentFor({}), agentFor({ lookup }), agentFor({ keepAlive: false }), agentFor({}, 'http://a.test')];
    assert.equal(new Set(kinds).size, kinds.length);
    assert.equal(agentFor({}, 'https://b.test'), kinds[0]);
    const ended = kinds.map((agent) => t.mock.method(agent, 'destroy').mock);
    agents.close();
    const ends = ended.map((each) => each.callCount());
    assert.deepEqual(ends, [1, 1, 1, 1]);
  });
});
