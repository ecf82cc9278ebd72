import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scheduleOf, subjectOf } from './schedule.ts';

const shape = { instances: 3, hasRedis: true, chaosMs: 20_000 };

describe('scheduleOf()', () => {
  it('is the same for the same seed', () => {
    assert.deepEqual(scheduleOf(7, shape), scheduleOf(7, shape));
    assert.notDeepEqual(scheduleOf(7, shape), scheduleOf(8, shape));
  });

  it('keeps all troubles within their time, and two about one subject apart', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
        const events = scheduleOf(seed, shape);
        assert.ok(events.length > 0);
        for (const { atMs, forMs } of events) assert.ok(atMs >= 0 && atMs + forMs <= shape.chaosMs);
        for (const [index, { atMs, degradedReason }] of events.entries())
          for (const before of events.slice(0, index))
            if (subjectOf(before.degradedReason) === subjectOf(degradedReason))
              assert.ok(before.atMs + before.forMs <= atMs);
      }),
    );
  });

  it('draws every kind of trouble', () => {
    const kinds = new Set(
      Array.from({ length: 200 }, (_, seed) => scheduleOf(seed, shape))
        .flat()
        .map(({ degradedReason }) => degradedReason.kind),
    );
    assert.equal(kinds.size, 10);
  });

  it('has no trouble with Redis where there is none', () => {
    const alone = { instances: 1, hasRedis: false, chaosMs: 20_000 };
    const kinds = new Set(
      Array.from({ length: 200 }, (_, seed) => scheduleOf(seed, alone))
        .flat()
        .map(({ degradedReason }) => degradedReason.kind),
    );
    assert.deepEqual([...kinds].toSorted(), ['clock', 'disk-full', 'kill', 'pause', 'stop', 'upstream']);
  });
});
