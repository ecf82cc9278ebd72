import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { errorSummary, throttledWarnings } from './log.ts';

describe('openLog()', () => {
  it('can be closed even if its reader has closed the pipe', () => {
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
  it('contains the class of an error and the place in the code, but never the message', () => {
    const name = errorSummary(new TypeError('the key is\ncanary', { cause: new Error('canary') }));
    assert.match(name, /^TypeError at .*log\.test\.ts:\d+/);
    assert.doesNotMatch(name, /canary/);
  });

  for (const thrown of ['canary', { key: 'canary' }, undefined]) {
    it(`contains only the type of a thrown ${typeof thrown}`, () => assert.equal(errorSummary(thrown), typeof thrown));
  }
});

function open() {
  const clock = createVirtualClock();
  const written: string[] = [];
  return { clock, written, warn: throttledWarnings(clock, (message) => void written.push(message)) };
}

describe('throttledWarnings()', () => {
  it('logs a line at most once per minute, and returns whether it has', async () => {
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
    for (let calls = 0; calls < 1_000; calls += 1) warn(`Others use the key (${calls} calls in this window)`);
    assert.deepEqual(written, ['Others use the key (0 calls in this window)']);
  });
});
