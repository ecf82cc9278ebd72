import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guardedClock, MAX_TIMER_MS, repeat, systemClock, within } from './clock.ts';
import { createVirtualClock, settled } from '../testing/virtual-clock.ts';

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

  it('doesn’t start again if it is stopped during a run', async () => {
    const clock = createVirtualClock();
    const end = repeat(clock, 500, async () => {
      await settled();
      end();
    });
    await clock.advance(500);
    await settled();
    assert.equal(clock.pending(), 0);
  });
});

describe('within()', () => {
  it('keeps no timer once the work is done', async () => {
    const clock = createVirtualClock();
    assert.equal(await within(clock, 1_000, Promise.resolve(7)), 7);
    assert.equal(clock.pending(), 0);
  });
});

describe('systemClock', () => {
  it('doesn’t keep the process alive, and doesn’t fire early if the delay is too long for a timer', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const cancel = systemClock.schedule(MAX_TIMER_MS + 1, () => assert.fail('it fired'));
    assert.equal(timers(), before);
    await new Promise((resolve) => void setTimeout(resolve, 20));
    cancel();
  });

  it('counts from the same time in all processes', () =>
    assert.ok(Math.abs(systemClock.now() - Number(process.hrtime.bigint()) / 1_000_000) < 1_000));
});
