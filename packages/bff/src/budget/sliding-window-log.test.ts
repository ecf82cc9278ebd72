import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { maxInAnyWindow } from '../testing/arrivals.ts';
import { SlidingWindowLog } from './sliding-window-log.ts';

describe('SlidingWindowLog', () => {
  it('counts a call from its grant until a window after its answer', () => {
    const log = new SlidingWindowLog(60_000);
    log.add(1);
    assert.equal(log.used(500_000), 1);
    log.settle(1, 500_000);
    assert.equal(log.used(560_000), 1);
    assert.equal(log.used(560_001), 0);
  });

  it('does not count a call that never left', () => {
    const log = new SlidingWindowLog(60_000);
    log.add(1);
    log.settle(1, undefined);
    assert.equal(log.used(0), 0);
  });

  it('says when there will be room', () => {
    const log = new SlidingWindowLog(60_000);
    for (const [id, at] of [1_000, 4_000, 2_000].entries()) {
      log.add(id);
      log.settle(id, at);
    }
    assert.equal(log.retryInMsAt(10_000, 4), 0);
    assert.equal(log.retryInMsAt(10_000, 3), 51_001);
    assert.equal(log.retryInMsAt(10_000, 2), 52_001);
    assert.equal(log.used(10_000 + 51_001), 2);
  });

  it('does not know when there will be room where that hangs on answers to come', () => {
    const log = new SlidingWindowLog(60_000);
    log.add(1);
    assert.equal(log.retryInMsAt(0, 1), undefined);
  });

  it('lets no window at the upstream hold more than was allowed, however late each call arrives', () => {
    const call = fc.record({
      gapMs: fc.integer({ min: 0, max: 3_000 }),
      tripMs: fc.integer({ min: 0, max: 20_000 }),
      arrivesAt: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 300 }), fc.integer({ min: 1, max: 20 }), (calls, capacity) => {
        const log = new SlidingWindowLog(10_000);
        const arrivals: number[] = [];
        const open: { id: number; endsAt: number }[] = [];
        let now = 0;
        for (const [id, { gapMs, tripMs, arrivesAt }] of calls.entries()) {
          now += gapMs;
          for (const ended of open.filter(({ endsAt }) => endsAt <= now)) log.settle(ended.id, ended.endsAt);
          if (log.retryInMsAt(now, capacity) !== 0) continue;
          log.add(id);
          arrivals.push(now + arrivesAt * tripMs);
          open.push({ id, endsAt: now + tripMs });
        }
        assert.ok(maxInAnyWindow(arrivals, 10_000) <= capacity);
      }),
    );
  });
});
