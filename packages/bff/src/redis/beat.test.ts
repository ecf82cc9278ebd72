import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { Beat } from './beat.ts';

describe('Beat', () => {
  it('comes at once, then again and again until it is stopped', async () => {
    const clock = createVirtualClock();
    let beats = 0;
    const beat = new Beat(clock, 500, async () => void (beats += 1));
    await beat.start();
    await clock.advance(1_600);
    assert.equal(beats, 4);
    await beat.stop();
    await clock.advance(5_000);
    assert.deepEqual([beats, clock.pending()], [4, 0]);
  });

  it('comes soon where it is wanted soon, once it is over where it is under way', async () => {
    const clock = createVirtualClock();
    const ends: (() => void)[] = [];
    const beat = new Beat(clock, 500, () => new Promise((resolve) => void ends.push(resolve)));
    void beat.start();
    beat.soon();
    await clock.advance(100);
    assert.equal(ends.length, 1);
    ends[0]?.();
    await clock.advance(1);
    assert.equal(ends.length, 2);
    ends[1]?.();
    await clock.advance(1);
    beat.soon();
    await clock.advance(0);
    assert.equal(ends.length, 3);
  });
});
