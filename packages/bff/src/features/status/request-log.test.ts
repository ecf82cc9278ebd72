import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RequestRecord } from '../../http/locals.ts';
import { testLog } from '../../testing/test-log.ts';
import { networkOf, openRequestLog } from './request-log.ts';

const FACTS = {
  route: '/v1/pulses',
  method: 'GET',
  path: '/v1/pulses',
  status: 200,
  durationMs: 0.123,
  sourceIds: [],
  isUntrustedProxy: false,
};

function open(level = 'info') {
  const { log, clock, lines, messages } = testLog(level);
  const requests = openRequestLog({ log, clock });
  const record = (more: Partial<RequestRecord>) => requests.record({ ...FACTS, client: '198.51.100.7', ...more });
  return { requests, record, clock, lines, messages };
}

describe('openRequestLog()', () => {
  it('doesn’t log a response without an error code', () => {
    const { record, lines } = open();
    for (const cache of ['hit', 'stale', 'miss', undefined] as const) record(cache ? { cache } : {});
    assert.deepEqual(lines, []);
  });

  it('logs the first error with a given code immediately, then counts those of all readers for ten seconds', async () => {
    const { record, clock, lines } = open();
    record({ code: 'internal', status: 500 });
    for (let second = 0; second < 30; second += 1) {
      for (let at = 0; at < 100; at += 1)
        record({
          code: 'rate_limited',
          status: 429,
          client: `198.51.${at}.7`,
          origin: `https://${at}.test`,
          path: `/${at}`,
        });
      await clock.advance(1_000);
    }
    const counts = lines.map(({ count }) => count);
    assert.deepEqual(counts, [1, 1, 999, 1_000, 1_000]);
    assert.deepEqual([lines[2]?.['code'], lines[2]?.['status']], ['rate_limited', 429]);
    await clock.advance(20_000);
    record({ code: 'rate_limited', status: 429 });
    assert.equal(lines.at(-1)?.['count'], 1);
  });

  it('logs the ID and the network but neither the query nor the IP address', () => {
    const { record, lines } = open();
    const facts = { code: 'internal', status: 500, route: 'none' } as const;
    const path = `/\u001b[2J${'x'.repeat(200)}`;
    record({ ...facts, requestId: 'id-1', path, origin: 'a\nb', detail: 'a\u001b[2J' });
    const { level: _level, time: _time, ...line } = lines[0] ?? {};
    assert.deepEqual(line, {
      ...facts,
      id: 'id-1',
      method: 'GET',
      path: `/?[2J${'x'.repeat(95)}`,
      detail: 'a?[2J',
      ms: 0.12,
      network: '198.51.100.0/24',
      count: 1,
      msg: 'answered',
    });
  });

  it('logs a rejected origin once a minute, with the variable to change, even at the warn level', async () => {
    const { record, clock, messages } = open('warn');
    for (let at = 0; at < 3; at += 1) record({ code: 'origin_forbidden', status: 403, origin: 'https://page.test' });
    await clock.advance(60_001);
    record({ code: 'origin_forbidden', status: 403, origin: 'https://page.test' });
    const line = 'https://page.test is not in PULSE_ALLOWED_ORIGINS. If this site is yours, add it and restart';
    assert.deepEqual(messages(), [line, line]);
  });

  it('logs at most 30 origins a minute, all of them valid', async () => {
    const { record, clock, messages } = open('warn');
    record({ code: 'origin_forbidden', origin: 'https://a.test/\u001b[31m' });
    for (let at = 0; at < 100; at += 1) record({ code: 'origin_forbidden', origin: `https://${at}.test` });
    assert.equal(messages().length, 30);
    await clock.advance(60_001);
    record({ code: 'origin_forbidden', origin: 'https://next.test' });
    assert.equal(messages().length, 31);
  });

  it('logs each response at the debug level', () => {
    const { record, lines } = open('debug');
    for (let at = 0; at < 3; at += 1) record({ cache: 'hit' });
    record({ code: 'internal', status: 500 });
    assert.deepEqual([lines.length, lines[0]?.['cache'], lines[0]?.['level']], [4, 'hit', 20]);
  });

  it('logs pending counts when it’s closed', () => {
    const { requests, record, clock, lines } = open();
    for (let at = 0; at < 5; at += 1) record({ code: 'internal', status: 500 });
    requests.close();
    assert.deepEqual([lines.map(({ count }) => count), clock.pending()], [[1, 4], 0]);
  });
});

describe('networkOf()', () => {
  for (const [client, network] of [
    ['198.51.100.7', '198.51.100.0/24'],
    ['2001:db8:1:aa00::/56', '2001:db8:1::/48'],
    ['::/56', '::/48'],
    ['user-7', 'user-7'],
  ] as const)
    it(`shows ${client} as ${network}`, () => assert.equal(networkOf(client), network));
});
