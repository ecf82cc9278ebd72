import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { errorSummary, ProblemLog, throttledWarnings } from './log.ts';
import type { Problem } from './operator-problems.ts';

describe('openLog()', () => {
  it('closes if no one reads it any more', () => {
    const script = `
      const { openLog } = await import(process.argv[1]);
      const log = openLog('info');
      await new Promise((resolve) => setTimeout(resolve, 200));
      log.logger.info('a line');
      await log.close();
      process.exitCode = 7;`;
    const node = [process.execPath, '--conditions=source', '--input-type=module', '-e', script];
    const piped = ['-c', '{ "$@"; echo $? >&2; } | true', 'sh', ...node, new URL('log.ts', import.meta.url).href];
    const { stderr } = spawnSync('sh', piped, { encoding: 'utf8', timeout: 20_000, killSignal: 'SIGKILL' });
    assert.equal(stderr.trim(), '7');
  });
});

describe('errorSummary()', () => {
  it('contains the kind and the place of an error, never its message', () => {
    const name = errorSummary(new TypeError('the key is\ncanary', { cause: new Error('canary') }));
    assert.match(name, /^TypeError at .*log\.test\.ts:\d+/);
    assert.doesNotMatch(name, /canary/);
  });

  for (const thrown of ['canary', { key: 'canary' }, undefined]) {
    it(`contains the type of a thrown ${typeof thrown}`, () => assert.equal(errorSummary(thrown), typeof thrown));
  }
});

function open() {
  const clock = createVirtualClock();
  const written: string[] = [];
  return { clock, written, warn: throttledWarnings(clock, (message) => void written.push(message)) };
}

describe('throttledWarnings()', () => {
  it('logs one line of each kind per minute, and returns whether it did', async () => {
    const { clock, written, warn } = open();
    assert.deepEqual([warn('Cannot write: ENOSPC'), warn('Cannot write: ENOSPC')], [true, false]);
    await clock.advance(59_999);
    assert.equal(warn('Cannot write: ENOSPC'), false);
    await clock.advance(1);
    assert.equal(warn('Cannot write: ENOSPC'), true);
    assert.deepEqual(written, ['Cannot write: ENOSPC', 'Cannot write: ENOSPC']);
  });

  it('treats messages that differ only in numbers as one kind', () => {
    const { written, warn } = open();
    for (let calls = 0; calls < 1_000; calls += 1) warn(`Others use the key (${calls} calls of this window)`);
    assert.deepEqual(written, ['Others use the key (0 calls of this window)']);
  });
});

describe('ProblemLog', () => {
  const lost: Problem = { code: 'redis_lost', level: 'degraded', headline: 'Redis is lost.', advice: 'Start it.' };
  const broken = (sourceId: string): Problem => {
    return { code: 'source_broken', level: 'notice', headline: `${sourceId} is BROKEN.`, advice: 'Look.', sourceId };
  };

  it('logs one line when a problem starts and one when it ends', () => {
    const lines: string[] = [];
    const log = new ProblemLog((line) => lines.push(line));
    for (const now of [[], [lost], [{ ...lost, headline: 'Redis is lost, still.' }], [], []]) log.update(now);
    assert.deepEqual(lines, ['Redis is lost. Start it.', 'Over: Redis is lost, still.']);
  });

  it('tells sources apart', () => {
    const lines: string[] = [];
    const log = new ProblemLog((line) => lines.push(line));
    for (const now of [[broken('a')], [broken('a'), broken('b')], [broken('b')]]) log.update(now);
    assert.deepEqual(lines, ['a is BROKEN. Look.', 'b is BROKEN. Look.', 'Over: a is BROKEN.']);
  });

  it('logs nothing about problems that usually end without action', () => {
    const lines: string[] = [];
    new ProblemLog((line) => lines.push(line)).update([{ ...lost, code: 'upstream_failing' }]);
    assert.deepEqual(lines, []);
  });

  it('logs a suppressed problem later if it persists', () => {
    const lines: string[] = [];
    let isWritten = false;
    const log = new ProblemLog((line) => isWritten && lines.push(line) > 0);
    for (const now of [[lost], [], [lost]]) log.update(now);
    isWritten = true;
    for (const now of [[lost], [lost]]) log.update(now);
    assert.deepEqual(lines, ['Redis is lost. Start it.']);
  });
});
