import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { startRefreshLoop } from './refresh-loop.ts';

describe('startRefreshLoop()', () => {
  it('goes on after a tick that fails', async () => {
    const clock = createVirtualClock();
    let ticks = 0;
    const faults: unknown[] = [];
    const end = startRefreshLoop(
      clock,
      () => {
        ticks += 1;
        return Promise.reject(new Error('a fault inside'));
      },
      (fault) => faults.push(fault),
    );
    await clock.advance(2_000);
    assert.equal(ticks, 4);
    assert.equal(faults.length, 4);
    end();
    assert.equal(clock.pending(), 0);
  });
});
