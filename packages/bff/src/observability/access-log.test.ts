import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { clientKeyOf } from '../http/clients.ts';
import type { ResponseRecord } from '../http/context.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
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
  it('writes the first hit at once, then one line in ten seconds with their number and the longest time', async () => {
    const { log, lines, clock } = logAt('info');
    for (const durationMs of [0.3, 0.1, 0.5, 0.2]) log.record(answer({ durationMs }));
    await clock.advance(30_000);
    const hits = { level: 30, method: 'GET', route: '/v1/pulses', status: 200, cache: 'hit', msg: 'answered' };
    assert.deepEqual(lines, [
      { ...hits, ms: 0.3, count: 1 },
      { ...hits, ms: 0.5, count: 3 },
    ]);
  });

  it('gives every other answer its line, with the network of the client and no query', () => {
    const { log, lines } = logAt('info');
    log.record(answer({ cacheResult: 'stale' }));
    log.record(answer({ cacheResult: undefined, ageMs: undefined, status: 503, code: 'internal', route: 'none' }));
    const common = { level: 30, method: 'GET', ms: 0.12, client: '198.51.100.0/24', msg: 'answered' };
    assert.deepEqual(lines, [
      { ...common, route: '/v1/pulses', status: 200, cache: 'stale', age: 2 },
      { ...common, route: 'none', path: '/v1/pulses', status: 503, code: 'internal' },
    ]);
  });

  it('T-25: cuts an unknown path, and replaces what would steer a terminal', () => {
    const { log, lines } = logAt('info');
    const url = `/\u001b[2J\u009b\r\n${'x'.repeat(8_000)}?secret`;
    log.record(answer({ cacheResult: undefined, route: 'none', request: { url, headers: {} } as IncomingMessage }));
    assert.equal(lines[0]?.['path'], `/?[2J???${'x'.repeat(92)}`);
  });

  it('names the request, and says at debug why a call was made', () => {
    const cacheStatus = 'PulseCard;fwd=miss;fwd-status=200;ttl=15;stored';
    const miss = answer({ requestId: 'id-1', cacheResult: 'miss', headers: ['Age', '0', 'Cache-Status', cacheStatus] });
    for (const [level, detail] of [
      ['info', undefined],
      ['debug', cacheStatus],
    ] as const) {
      const { log, lines } = logAt(level);
      log.record(miss);
      assert.deepEqual([lines[0]?.['id'], lines[0]?.['cacheStatus']], ['id-1', detail]);
    }
  });

  it('gives every hit and every refusal its line at debug', () => {
    const { log, lines } = logAt('debug');
    for (let at = 0; at < 3; at += 1) for (const response of [answer(), refusal()]) log.record(response);
    assert.equal(lines.length, 6);
  });

  it('writes what is left at the end', () => {
    const { log, lines, clock } = logAt('info');
    for (let at = 0; at < 5; at += 1) log.record(refusal());
    log.close();
    assert.deepEqual([lines.map(({ count }) => count), clock.pending()], [[1, 4], 0]);
  });

  describe('of refusals (T-83)', () => {
    it('writes the first of a code at once, then one line in ten seconds with their number', async () => {
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

    it('gives the reasons', async () => {
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

    it('names up to five networks and origins, each origin once a minute', async () => {
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

    it('says which origin to allow, also where only warnings are logged', () => {
      const { log, lines } = logAt('warn');
      for (const response of [answer({ cacheResult: 'stale' }), answer(), refusal()]) log.record(response);
      log.record(refusal({ code: 'origin_forbidden', status: 403, origin: 'https://page.test' }));
      assert.deepEqual(
        lines.map(({ msg }) => msg),
        ['https://page.test is not in PULSE_ALLOWED_ORIGINS; add it and restart'],
      );
    });

    it('says what to do where a page has no origin', () => {
      const { log, lines } = logAt('info');
      log.record(refusal({ code: 'origin_forbidden', status: 403, origin: 'null' }));
      assert.match(String(lines[0]?.['msg']), /no origin .* serve it over https:/);
    });

    it('names nothing that is no origin', () => {
      const { log, lines } = logAt('info');
      log.record(refusal({ code: 'origin_forbidden', status: 403, origin: 'https://a.test/\u001b[31m' }));
      assert.deepEqual(lines[0]?.['origins'], []);
    });
  });
});

describe('clientNetwork() (T-48)', () => {
  it('shows loopback as the network that it is in', () =>
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
    it(`shows ${displayed} for ${client}`, () => assert.equal(clientNetwork(client), displayed));
  }
});
