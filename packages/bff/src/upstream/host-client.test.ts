import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { brokenPulseBodies, fullPulse, pulseBody, sourcesBody } from '@pulse-card/contract/examples';
import { answersWith, startFakeService } from '../testing/fake-service.ts';
import { createSelfSignedServer } from '../testing/self-signed.ts';
import { systemClock } from '../lib/clock.ts';
import { fixedKey } from './key-source.ts';
import { ApiKey } from '../lib/api-key.ts';
import { HostClient, type HostClientOptions, type UpstreamSettings } from './host-client.ts';
import { listOperation, pulseOperation } from './subject.ts';

const KEY = 'CANARYk3y_0123456789abcdef';

const PULSE = pulseOperation('src_1');

function openClient(
  settings: Partial<UpstreamSettings>,
  options: Pick<HostClientOptions, 'fetch' | 'resolve'> = {},
): HostClient {
  const key = ApiKey.from(KEY);
  assert.ok(key);
  return new HostClient(
    { baseUrl: 'https://service.test', upstreamTimeoutMs: 60_000, ...settings },
    { key: fixedKey(key), clock: systemClock, ...options },
  );
}

function clientOf({ url }: { url: string }, upstreamTimeoutMs = 60_000): HostClient {
  return openClient({ baseUrl: url, upstreamTimeoutMs });
}

async function failureOf(answer: Parameters<typeof startFakeService>[0], timeoutMs?: number) {
  await using server = await startFakeService(answer);
  const { outcome } = await clientOf(server, timeoutMs).call('main', PULSE);
  return outcome.ok ? undefined : outcome.failure;
}

/** Error responses with this status, in the formats of programs other than the service. */
function foreignErrors(status: number): Record<string, RequestListener> {
  return {
    nginx: answersWith('<html><h1>Error</h1></html>', status, { 'Content-Type': 'text/html' }),
    Fastify: answersWith({ statusCode: status, error: 'Not Found', message: 'Route GET:/ not found' }, status),
    Spring: answersWith({ timestamp: '2026-05-08', status, error: 'Not Found', path: '/v1/sources' }, status),
    'a gateway': answersWith({ message: 'Forbidden' }, status),
    'a framework that reports success': answersWith({ success: true, error: 'none' }, status),
    'a framework whose error is an object': answersWith({ success: false, error: { code: 'E1' } }, status),
    'a server that sends JSON as text': answersWith({ success: false, error: 'No' }, status, {
      'Content-Type': 'text/plain',
    }),
    'a server that sends nothing': answersWith('', status),
  };
}

describe('HostClient.call()', () => {
  it('reads JSON that begins with a byte order mark, in an error too', async () => {
    assert.equal(await failureOf(answersWith(`\ufeff${JSON.stringify(pulseBody)}`)), undefined);
    const refusal = `\ufeff${JSON.stringify({ success: false, error: 'Invalid or expired API key' })}`;
    assert.deepEqual(await failureOf(answersWith(refusal, 401)), { kind: 'key-refused', status: 401 });
  });

  it('rejects a list that has no readable row', async () => {
    await using server = await startFakeService(answersWith({ ...sourcesBody, sources: [{ id: 'sources/1' }] }));
    const { outcome } = await clientOf(server).call('main', listOperation);
    assert.deepEqual(outcome, { ok: false, failure: { kind: 'invalid', reason: 'schema' } });
  });

  it('keeps the path of the base address', async () => {
    await using server = await startFakeService(answersWith(sourcesBody));
    await clientOf({ url: `${server.url}/pulse/api/` }).call('main', listOperation);
    assert.equal(server.arrivals[0]?.url, '/pulse/api/v1/sources');
  });

  it('T-03: sends nothing to a service with an untrusted certificate', async () => {
    await using server = await startFakeService(answersWith(pulseBody), createSelfSignedServer());
    const { outcome } = await clientOf({ url: `https://127.0.0.1:${server.port}` }).call('main', PULSE);
    assert.deepEqual([outcome.ok, server.connections(), server.arrivals], [false, 1, []]);
  });

  describe('when the response is a redirect', () => {
    for (const status of [301, 302, 303, 307, 308])
      it(`T-03: doesn’t connect to the target of a ${status}`, async () => {
        await using trap = await startFakeService(answersWith(pulseBody));
        for (const location of [`${trap.url}/x`, trap.url.replace('http:', ''), '/elsewhere']) {
          const failure = await failureOf(answersWith('', status, { Location: location }));
          assert.deepEqual(failure, { kind: 'invalid', reason: 'redirect' });
        }
        assert.equal(trap.connections(), 0);
      });
  });

  describe('when the upstream rejects a call', () => {
    for (const status of [401, 403] as const)
      it(`treats a ${status} as a rejected key, not as an outage`, async () => {
        const failure = await failureOf(answersWith({ success: false, error: `Invalid key ${KEY}` }, status));
        assert.deepEqual(failure, { kind: 'key-refused', status });
      });

    it('respects a 429 in any format', async () => {
      for (const answer of Object.values(foreignErrors(429)))
        assert.equal((await failureOf(answer))?.kind, 'rate-limited');
    });

    it('respects a 429 whose body doesn’t end', async () => {
      await using server = await startFakeService((_request, response) => {
        response.writeHead(429, { 'Content-Type': 'application/json', 'Retry-After': '7' });
        response.write('{"success":');
      });
      const client = openClient(
        { baseUrl: server.url },
        { fetch: (input, init) => fetch(input, init).finally(() => setImmediate(() => client.close())) },
      );
      const { outcome } = await client.call('main', PULSE);
      assert.deepEqual(outcome, { ok: false, failure: { kind: 'rate-limited', retryAfterMs: 7_000 } });
    });
  });

  describe('when the response is unusable (T-26, T-43)', () => {
    for (const [what, body] of Object.entries(brokenPulseBodies))
      it(`rejects ${what}`, async () => {
        assert.equal((await failureOf(answersWith(body)))?.kind, 'invalid');
      });

    const answers: Record<string, Parameters<typeof startFakeService>[0]> = {
      'another source’s pulse': answersWith({ ...pulseBody, pulse: { ...fullPulse, sourceId: 'src_2' } }),
      'an HTML page': answersWith('<html></html>', 200, { 'Content-Type': 'text/html' }),
      'JSON with the content type of text': answersWith(pulseBody, 200, { 'Content-Type': 'text/plain' }),
      'half a document': answersWith(JSON.stringify(pulseBody).slice(0, 100)),
      nothing: answersWith(''),
      'a body of more than 256 KiB': answersWith({ ...pulseBody, padding: 'x'.repeat(300_000) }),
      'JSON null': answersWith('null'),
      'an empty list': answersWith('[]'),
      'very many nested brackets': answersWith('['.repeat(100_000) + ']'.repeat(100_000)),
      'a number that is too large for JavaScript': answersWith(
        `{"pulse":${JSON.stringify({ ...fullPulse, sourceId: 1 })}}`.replace('1', '1e400'),
      ),
      'a prototype instead of a pulse': answersWith(
        '{"__proto__":{"pulse":{}},"constructor":{"prototype":{"polluted":1}}}',
      ),
      'an unknown encoding': answersWith(pulseBody, 200, { 'Content-Encoding': 'gzip, gzip, gzip, gzip, gzip, gzip' }),
      'a 204': (_request, response) => void response.writeHead(204).end(),
    };
    for (const [what, answer] of Object.entries(answers))
      it(`rejects ${what}`, async () => {
        const failure = await failureOf(answer);
        // A body that can't be decompressed looks like a broken connection.
        assert.equal(failure?.kind, what === 'an unknown encoding' ? 'unreachable' : 'invalid');
        assert.equal(({} as { polluted?: unknown }).polluted, undefined);
      });

    it('stops reading a body that grows when decompressed', async () => {
      const bomb = gzipSync(Buffer.alloc(50_000_000));
      const failure = await failureOf((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
        response.end(bomb);
      });
      assert.deepEqual(failure, { kind: 'invalid', reason: 'too long' });
    });
  });

  describe('when an intermediary responds instead (T-29)', () => {
    for (const status of [401, 403, 404, 418])
      it(`treats a ${status} in another format as an outage`, async () => {
        for (const [whose, answer] of Object.entries(foreignErrors(status)))
          assert.deepEqual(await failureOf(answer), { kind: 'intermediary-error', status }, whose);
      });

    it('treats a pulse with status 404 as an outage', async () => {
      assert.deepEqual(await failureOf(answersWith(pulseBody, 404)), { kind: 'intermediary-error', status: 404 });
    });
  });

  describe('the rate-limit headers (T-28)', () => {
    const HEADERS = { 'X-RateLimit-Limit': '5', 'X-RateLimit-Remaining': '4' };
    const LOGGED = { limit: 5, remaining: 4, resetInMs: undefined };
    const refusal = { success: false, error: 'No' };

    async function rateOf(body: unknown, status: number, headers: Record<string, string> = {}) {
      await using server = await startFakeService(answersWith(body, status, { ...HEADERS, ...headers }));
      return (await clientOf(server).call('main', PULSE)).rate;
    }

    it('are read from a valid response, and from a rejection in the specified format', async () => {
      assert.deepEqual(await rateOf(pulseBody, 200), LOGGED);
      for (const status of [400, 401, 403, 404, 429]) assert.deepEqual(await rateOf(refusal, status), LOGGED);
    });

    const html = { 'Content-Type': 'text/html' };
    const ignored: [what: string, body: unknown, status: number, headers?: Record<string, string>][] = [
      ['a 200 without a pulse', { pulse: null }, 200],
      ['a 200 in HTML', '<h1>Please log in</h1>', 200, html],
      ['a redirect', '', 302, { Location: '/login' }],
      ['a 404 in another format', { error: 'Not Found' }, 404],
      ['a 429 in HTML', 'Too many requests', 429, html],
      ['a 429 in another format', { message: 'API rate limit exceeded' }, 429],
      ['a 500', refusal, 500],
      ['a 502 of a gateway', '<h1>Bad Gateway</h1>', 502, html],
      ['a 503 in the format of the specification', refusal, 503],
    ];
    for (const [what, body, status, headers] of ignored)
      it(`are ignored in ${what}`, async () => {
        assert.equal(await rateOf(body, status, headers), undefined);
      });
  });

  describe('when the upstream doesn’t respond (T-27)', () => {
    it('gives up on a body that doesn’t end', async () => {
      const failure = await failureOf((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.write('{"meta":');
      }, 100);
      assert.deepEqual(failure, { kind: 'timed-out' });
    });
  });
});

describe('HostClient.call(), over plain HTTP', () => {
  /** Requests a pulse at `http://service.test`, which resolves to `addresses`. A real server answers every request. */
  async function askAt(addresses: readonly string[]) {
    await using server = await startFakeService(answersWith(pulseBody));
    const client = openClient(
      { baseUrl: 'http://service.test' },
      {
        resolve: async () => addresses,
        fetch: (_url, init) => fetch(`${server.url}/v1/sources/src_1/pulse`, init),
      },
    );
    const { outcome } = await client.call('main', PULSE);
    return { outcome, requests: server.arrivals.length };
  }

  const privateAddresses = ['10.0.0.5', '100.64.0.9', 'fd00::1', '127.0.0.1', '::ffff:10.0.0.5'];
  for (const address of privateAddresses)
    it(`calls a host whose name resolves to the private address ${address}`, async () => {
      const { outcome, requests } = await askAt([address]);
      assert.deepEqual([outcome.ok, requests], [true, 1]);
    });

  const publicAddresses = [['203.0.113.7'], ['10.0.0.5', '8.8.8.8'], ['2001:4860:4860::8888'], ['::ffff:8.8.8.8'], []];
  for (const addresses of publicAddresses)
    it(`T-03: sends nothing if the name resolves to ${addresses.join(' and ') || 'nothing'}`, async () => {
      const { outcome, requests } = await askAt(addresses);
      assert.deepEqual(outcome, { ok: false, failure: { kind: 'unreachable', layer: 'plain HTTP' } });
      assert.equal(requests, 0);
    });
});
