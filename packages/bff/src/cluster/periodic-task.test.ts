import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { PeriodicTask } from './periodic-task.ts';

describe('PeriodicTask', () => {
  it('comes at once, then again and again until it is stopped', async () => {
    const clock = createVirtualClock();
    let ticks = 0;
    const tick = new PeriodicTask(clock, 500, async () => void (ticks += 1));
    await tick.start();
    await clock.advance(1_600);
    assert.equal(ticks, 4);
    await tick.stop();
    await clock.advance(5_000);
    assert.deepEqual([ticks, clock.pending()], [4, 0]);
  });

  it('comes soon where it is wanted soon, once it is over where it is under way', async () => {
    const clock = createVirtualClock();
    const ends: (() => void)[] = [];
    const tick = new PeriodicTask(clock, 500, () => new Promise((resolve) => void ends.push(resolve)));
    void tick.start();
    tick.soon();
    await clock.advance(100);
    assert.equal(ends.length, 1);
    ends[0]?.();
    await clock.advance(1);
    assert.equal(ends.length, 2);
    ends[1]?.();
    await clock.advance(1);
    tick.soon();
    await clock.advance(0);
    assert.equal(ends.length, 3);
  });
});
