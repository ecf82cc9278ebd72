import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guardedClock, repeat } from './clock.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';

describe('guardedClock()', () => {
  it('reports the error from a scheduled function that throws or rejects', async () => {
    const base = createVirtualClock();
    const faults: unknown[] = [];
    const clock = guardedClock(base, (fault) => faults.push(fault));
    const [now, later] = [new Error('now'), new Error('later')];
    clock.schedule(1, () => {
      throw now;
    });
    clock.schedule(2, () => Promise.reject(later));
    await base.advance(2);
    assert.deepEqual(faults, [now, later]);
  });
});

describe('repeat()', () => {
  it('keeps running after a failed run until it is stopped', async () => {
    const clock = createVirtualClock();
    const faults: unknown[] = [];
    const guarded = guardedClock(clock, (fault) => faults.push(fault));
    const end = repeat(guarded, 500, () => Promise.reject(new Error('an internal error')));
    await clock.advance(2_000);
    assert.equal(faults.length, 4);
    end();
    assert.equal(clock.pending(), 0);
  });
});
