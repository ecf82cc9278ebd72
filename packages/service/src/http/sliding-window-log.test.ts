import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { SlidingWindowLog } from './sliding-window-log.ts';

const LIMIT = { limit: 4, windowMs: 1_000 };

/** The log's decisions about calls that arrive at `times`. */
function verdictsOn(times: readonly number[]): boolean[] {
  let now = 0;
  const log = new SlidingWindowLog(LIMIT, () => now);
  return times.map((time) => {
    now = time;
    return log.take('caller').granted;
  });
}

const callTimes = fc
  .array(fc.integer({ min: 0, max: 600 }), { maxLength: 60 })
  .map((gaps) => gaps.map((_, index) => gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0)));

describe('SlidingWindowLog', () => {
  it('never grants more than the limit in any window, regardless of when it begins', () => {
    fc.assert(
      fc.property(callTimes, (times) => {
        const verdicts = verdictsOn(times);
        const grantedAt = times.filter((_, index) => verdicts[index]);
        for (const start of grantedAt) {
          const inWindow = grantedAt.filter((time) => time >= start && time < start + LIMIT.windowMs);
          assert.ok(inWindow.length <= LIMIT.limit);
        }
      }),
    );
  });

  it('rejects a call only if the previous window is full', () => {
    fc.assert(
      fc.property(callTimes, (times) => {
        const verdicts = verdictsOn(times);
        for (const [index, time] of times.entries()) {
          if (verdicts[index]) continue;
          const before = times.filter((at, i) => i < index && verdicts[i] && at > time - LIMIT.windowMs);
          assert.equal(before.length, LIMIT.limit);
        }
      }),
    );
  });

  it('reports when the oldest call leaves the window', () => {
    let now = 100;
    const log = new SlidingWindowLog(LIMIT, () => now);
    log.take('caller');
    now = 400;
    assert.deepEqual(log.take('caller'), { granted: true, used: 2, resetInMs: 700 });
  });

  it('counts each caller separately', () => {
    const log = new SlidingWindowLog({ limit: 1, windowMs: 1_000 }, () => 0);
    assert.equal(log.take('one').granted, true);
    assert.equal(log.take('two').granted, true);
    assert.equal(log.take('one').granted, false);
  });

  it('forgets callers whose calls have all left the window', () => {
    let now = 0;
    const log = new SlidingWindowLog(LIMIT, () => now);
    for (let caller = 0; caller < 1_000; caller += 1) log.take(`caller ${caller}`);
    now = 2_000;
    log.take('caller 0');
    assert.equal(log.size, 1);
  });
});
