import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import type { Answered } from '../http/exchange.ts';
import { AnswerLog } from './answer-log.ts';

function logAt(level: string) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { level, base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  return { lines, log: new AnswerLog(logger, () => '198.51.100.7') };
}

function answer(facts: Partial<Answered> = {}): Answered {
  return {
    method: 'GET',
    route: '/v1/pulses',
    status: 200,
    durationMs: 0.123,
    verdict: 'hit',
    ageMs: 2_400,
    code: undefined,
    request: { url: '/v1/pulses?ids=secret' } as IncomingMessage,
    ...facts,
  };
}

describe('AnswerLog', () => {
  it('sums up hits, with their number and the longest time', () => {
    const { log, lines } = logAt('info');
    for (const durationMs of [0.1, 0.5, 0.2]) log.answered(answer({ durationMs }));
    assert.deepEqual(lines, []);
    log.flush();
    log.flush();
    assert.deepEqual(lines, [
      { level: 30, method: 'GET', route: '/v1/pulses', status: 200, ms: 0.5, cache: 'hit', count: 3, msg: 'answered' },
    ]);
  });

  it('gives every other answer its line, with the network of the client and no query', () => {
    const { log, lines } = logAt('info');
    log.answered(answer({ verdict: 'stale' }));
    log.answered(answer({ verdict: undefined, ageMs: undefined, status: 404, code: 'not_found', route: 'none' }));
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
    log.answered(answer());
    log.answered(answer());
    assert.equal(lines.length, 2);
  });

  it('is silent above info', () => {
    const { log, lines } = logAt('warn');
    log.answered(answer({ verdict: 'stale' }));
    log.flush();
    assert.deepEqual(lines, []);
  });
});
