import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '../../observability/problem.ts';
import { ProblemLog } from './problem-log.ts';

describe('ProblemLog', () => {
  const lost: Problem = { code: 'redis_lost', level: 'degraded', headline: 'Redis is lost.', advice: 'Start it.' };
  const broken = (sourceId: string): Problem => {
    return { code: 'source_broken', level: 'notice', headline: `${sourceId} is BROKEN.`, advice: 'Look.', sourceId };
  };

  it('logs one line when a problem starts and one when it ends', () => {
    const lines: string[] = [];
    const log = new ProblemLog((line) => lines.push(line) > 0);
    for (const now of [[], [lost], [{ ...lost, headline: 'Redis is lost, still.' }], [], []]) log.update(now);
    assert.deepEqual(lines, ['Redis is lost. Start it.', 'Over: Redis is lost, still.']);
  });

  it('distinguishes sources', () => {
    const lines: string[] = [];
    const log = new ProblemLog((line) => lines.push(line) > 0);
    for (const now of [[broken('a')], [broken('a'), broken('b')], [broken('b')]]) log.update(now);
    assert.deepEqual(lines, ['a is BROKEN. Look.', 'b is BROKEN. Look.', 'Over: a is BROKEN.']);
  });

  it('logs nothing about problems that usually end without action', () => {
    const lines: string[] = [];
    new ProblemLog((line) => lines.push(line) > 0).update([{ ...lost, code: 'upstream_failing' }]);
    assert.deepEqual(lines, []);
  });

  it('logs a problem that still exists when the log accepts lines again', () => {
    const lines: string[] = [];
    let isWritten = false;
    const log = new ProblemLog((line) => isWritten && lines.push(line) > 0);
    for (const now of [[lost], [], [lost]]) log.update(now);
    isWritten = true;
    for (const now of [[lost], [lost]]) log.update(now);
    assert.deepEqual(lines, ['Redis is lost. Start it.']);
  });
});
