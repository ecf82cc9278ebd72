import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import type { ResponseRecord } from '../http/request-context.ts';
import { AccessLog, clientNetwork, sanitizedText } from './access-log.ts';
import { clientKeyOf } from '../auth/client-rate-limiter.ts';

function logAt(level: string) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { level, base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  return { lines, log: new AccessLog(logger, () => '198.51.100.7') };
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
    request: { url: '/v1/pulses?ids=secret' } as IncomingMessage,
    ...facts,
  };
}

describe('AccessLog', () => {
  it('sums up hits, with their number and the longest time', () => {
    const { log, lines } = logAt('info');
    for (const durationMs of [0.1, 0.5, 0.2]) log.record(answer({ durationMs }));
    assert.deepEqual(lines, []);
    log.flush();
    log.flush();
    assert.deepEqual(lines, [
      { level: 30, method: 'GET', route: '/v1/pulses', status: 200, ms: 0.5, cache: 'hit', count: 3, msg: 'answered' },
    ]);
  });

  it('gives every other answer its line, with the network of the client and no query', () => {
    const { log, lines } = logAt('info');
    log.record(answer({ cacheResult: 'stale' }));
    log.record(answer({ cacheResult: undefined, ageMs: undefined, status: 404, code: 'not_found', route: 'none' }));
    assert.deepEqual(lines, [
      {
        level: 30,
        method: 'GET',
        route: '/v1/pulses',
        status: 200,
        ms: 0.12,
        cache: 'stale',
        age: 2,
        client: '198.51.100.0/24',
        msg: 'answered',
      },
      {
        level: 30,
        method: 'GET',
        route: 'none',
        path: '/v1/pulses',
        status: 404,
        ms: 0.12,
        code: 'not_found',
        client: '198.51.100.0/24',
        msg: 'answered',
      },
    ]);
  });

  it('gives every hit its line at debug', () => {
    const { log, lines } = logAt('debug');
    log.record(answer());
    log.record(answer());
    assert.equal(lines.length, 2);
  });

  it('is silent above info', () => {
    const { log, lines } = logAt('warn');
    log.record(answer({ cacheResult: 'stale' }));
    log.flush();
    assert.deepEqual(lines, []);
  });
});

describe('sanitizedText() (T-25)', () => {
  for (const text of ['a\r\nb', '\u001b[2J', 'a\u2028b', 'é', '\0']) {
    it(`makes ${JSON.stringify(text)} harmless`, () => assert.match(sanitizedText(text), /^[\x20-\x7e]+$/));
  }
  it('cuts what is long', () => assert.equal(sanitizedText('x'.repeat(8_000)).length, 100));
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
