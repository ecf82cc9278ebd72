import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { clientKeyOf } from '../../http/client-key.ts';
import type { ResponseRecord } from '../../http/request-context.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { AccessLog, clientNetwork } from './access-log.ts';

function logAt(level: string) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { level, base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  const clock = createVirtualClock();
  return { lines, clock, log: new AccessLog(logger, clock) };
}

function answer(facts: Partial<ResponseRecord> = {}): ResponseRecord {
  return {
    method: 'GET',
    route: '/v1/pulses',
    status: 200,
    durationMs: 0.123,
    cacheResult: 'hit',
    ageMs: 2_400,
    code: undefined,
    request: { url: '/v1/pulses?ids=secret', headers: {} } as IncomingMessage,
    client: '198.51.100.7',
    ...facts,
  };
}

function refusal({ origin, ...facts }: Partial<ResponseRecord> & { origin?: string } = {}): ResponseRecord {
  const request = { url: '/v1/pulses', headers: { origin } } as IncomingMessage;
  return answer({ code: 'rate_limited', status: 429, cacheResult: undefined, request, ...facts });
}

describe('AccessLog', () => {
  it('writes no line for a response without an error code', async () => {
    const { log, lines, clock } = logAt('info');
    for (const cacheResult of ['hit', 'stale', 'miss', undefined]) log.record(answer({ cacheResult }));
    await clock.advance(30_000);
    assert.deepEqual(lines, []);
  });

  it('writes at most 2 kB in an outage of 20 seconds with 430 requests per second', async () => {
    const { log, lines, clock } = logAt('info');
    const failed = { status: 503, code: 'upstream_unavailable', cacheResult: undefined };
    for (let at = 0; at < 20 * 430; at += 1) {
      log.record(answer({ cacheResult: 'stale', isEarlierVersion: true }));
      log.record(answer({ ...failed, client: `198.51.${at % 250}.7` }));
      log.record(answer({ ...failed, route: '/readyz' }));
      if (at % 430 === 0) await clock.advance(1_000);
    }
    assert.ok(JSON.stringify(lines).length < 2_000, JSON.stringify(lines));
  });

  it('logs the first request that gets each error code, without the query', () => {
    const { log, lines } = logAt('info');
    log.record(answer({ cacheResult: undefined, status: 503, code: 'internal', route: 'none', requestId: 'id-1' }));
    const named = { networks: ['198.51.100.0/24'], origins: [], details: [] };
    const request = { id: 'id-1', method: 'GET', path: '/v1/pulses', route: 'none' };
    const error = { status: 503, code: 'internal', ms: 0.12, count: 1 };
    assert.deepEqual(lines, [{ level: 30, ...request, ...error, ...named, msg: 'answered' }]);
  });

  it('T-25: truncates an unknown path, and replaces terminal control characters', () => {
    const { log, lines } = logAt('info');
    const url = `/\u001b[2J\u009b\r\n${'x'.repeat(8_000)}?secret`;
    const request = { url, headers: {} } as IncomingMessage;
    log.record(answer({ cacheResult: undefined, code: 'not_found', status: 404, route: 'none', request }));
    assert.equal(lines[0]?.['path'], `/?[2J???${'x'.repeat(92)}`);
  });

  it('logs each response at level debug, with the reason for a call', () => {
    const { log, lines } = logAt('debug');
    const cacheStatus = 'PulseCard;fwd=miss;fwd-status=200;ttl=15;stored';
    log.record(answer({ requestId: 'id-1', cacheResult: 'miss', headers: ['Age', '0', 'Cache-Status', cacheStatus] }));
    for (let at = 0; at < 3; at += 1) for (const response of [answer(), refusal()]) log.record(response);
    assert.equal(lines.length, 7);
    assert.deepEqual([lines[0]?.['id'], lines[0]?.['cacheStatus']], ['id-1', cacheStatus]);
  });

  it('writes pending lines when it is closed', () => {
    const { log, lines, clock } = logAt('info');
    for (let at = 0; at < 5; at += 1) log.record(refusal());
    log.close();
    assert.deepEqual([lines.map(({ count }) => count), clock.pending()], [[1, 4], 0]);
  });

  describe('of failed requests (T-83)', () => {
    it('logs the first error with a code immediately, and later ones as a count', async () => {
      const { log, lines, clock } = logAt('info');
      for (let second = 0; second < 30; second += 1) {
        for (let at = 0; at < 1_000; at += 1) log.record(refusal({ method: at % 2 ? 'GET' : 'HEAD' }));
        await clock.advance(1_000);
      }
      assert.deepEqual(
        lines.map(({ code, status, count }) => [code, status, count]),
        [1, 9_999, 10_000, 10_000].map((count) => ['rate_limited', 429, count]),
      );
    });

    it('includes the reasons for the rejections', async () => {
      const { log, lines, clock } = logAt('info');
      for (const detail of ['expired', 'expired', 'signature'])
        log.record(refusal({ code: 'token_invalid', status: 401, detail }));
      await clock.advance(10_000);
      assert.deepEqual(
        lines.map(({ count, details }) => [count, details]),
        [
          [1, ['expired']],
          [2, ['expired', 'signature']],
        ],
      );
    });

    it('names at most five networks and origins per line, and an origin once a minute', async () => {
      const { log, lines, clock } = logAt('info');
      for (let second = 0; second < 60; second += 1) {
        for (let at = 0; at < 50; at += 1)
          log.record(refusal({ origin: `https://${at}.test`, client: `198.51.${at}.7` }));
        await clock.advance(1_000);
      }
      const named = lines.flatMap(({ origins }) => origins as string[]);
      assert.equal(lines.length, 7);
      assert.deepEqual([named.length, new Set(named).size], [31, 31]);
      for (const { networks, origins } of lines)
        assert.ok((networks as string[]).length <= 5 && (origins as string[]).length <= 5);
      await clock.advance(60_000);
      log.record(refusal({ origin: 'https://0.test' }));
      assert.deepEqual(lines.at(-1)?.['origins'], ['https://0.test']);
    });

    it('names a rejected origin even if only warnings are logged', () => {
      const { log, lines } = logAt('warn');
      for (const response of [answer({ cacheResult: 'stale' }), answer(), refusal()]) log.record(response);
      log.record(refusal({ code: 'origin_forbidden', status: 403, origin: 'https://page.test' }));
      assert.deepEqual(
        lines.map(({ msg }) => msg),
        ['https://page.test is not in PULSE_ALLOWED_ORIGINS. If this site is yours, add it and restart'],
      );
    });

    it('says what to do about a page without an origin', () => {
      const { log, lines } = logAt('info');
      log.record(refusal({ code: 'origin_forbidden', status: 403, origin: 'null' }));
      assert.match(String(lines[0]?.['msg']), /no origin .* serve it over https:/);
    });

    it('ignores values that aren’t origins', () => {
      const { log, lines } = logAt('info');
      log.record(refusal({ code: 'origin_forbidden', status: 403, origin: 'https://a.test/\u001b[31m' }));
      assert.deepEqual(lines[0]?.['origins'], []);
    });
  });
});

describe('clientNetwork() (T-48)', () => {
  it('shows a loopback address as its network', () =>
    assert.deepEqual(['::1', '::ffff:127.0.0.1'].map(clientKeyOf).map(clientNetwork), ['::/48', '127.0.0.0/24']));

  for (const [client, displayed] of [
    ['198.51.100.7', '198.51.100.0/24'],
    ['2001:db8:1:aa00::/56', '2001:db8:1::/48'],
    ['2001:db8::/56', '2001:db8::/48'],
    ['2001:db8:1:0:5::/56', '2001:db8:1::/48'],
    ['::/56', '::/48'],
    ['fe80::/56', 'fe80::/48'],
    ['unknown', 'unknown'],
  ] as const) {
    it(`shows ${client} as ${displayed}`, () => assert.equal(clientNetwork(client), displayed));
  }
});
