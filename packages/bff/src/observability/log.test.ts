import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorSummary, throttledWarnings } from './log.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';

describe('errorSummary()', () => {
  it('names kind and place, and never what was said', () => {
    const name = errorSummary(new TypeError('the key is canary', { cause: new Error('canary') }));
    assert.match(name, /^TypeError at .*log\.test\.ts:\d+/);
    assert.doesNotMatch(name, /canary/);
  });

  it('does so where the message has lines of its own', () => {
    assert.doesNotMatch(errorSummary(new Error('first\ncanary')), /canary/);
  });

  for (const thrown of ['canary', { key: 'canary' }, undefined]) {
    it(`names the type of a thrown ${typeof thrown}`, () => assert.equal(errorSummary(thrown), typeof thrown));
  }
});

function open() {
  const clock = createVirtualClock();
  const written: string[] = [];
  return { clock, written, warn: throttledWarnings(clock, (message) => void written.push(message)) };
}

describe('throttledWarnings()', () => {
  it('writes one line of a kind a minute, and says whether it did', async () => {
    const { clock, written, warn } = open();
    assert.deepEqual([warn('Cannot write: ENOSPC'), warn('Cannot write: ENOSPC')], [true, false]);
    await clock.advance(59_999);
    assert.equal(warn('Cannot write: ENOSPC'), false);
    await clock.advance(1);
    assert.equal(warn('Cannot write: ENOSPC'), true);
    assert.deepEqual(written, ['Cannot write: ENOSPC', 'Cannot write: ENOSPC']);
  });

  it('takes messages that differ in numbers alone for one kind', () => {
    const { written, warn } = open();
    for (let calls = 0; calls < 1_000; calls += 1) warn(`Others use the key (${calls} calls of this window)`);
    assert.deepEqual(written, ['Others use the key (0 calls of this window)']);
  });

  it('writes each kind', () => {
    const { written, warn } = open();
    for (const message of ['Redis is lost', 'Redis is back']) warn(message);
    assert.deepEqual(written, ['Redis is lost', 'Redis is back']);
  });

  it('starts no timer', () => {
    const { clock, warn } = open();
    for (const message of ['a', 'a']) warn(message);
    assert.equal(clock.pending(), 0);
  });
});
