import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EvenPace, paceFor } from './even-pace.ts';

describe('paceFor()', () => {
  it('spends at least nine tenths of what may be spent, where that leaves room for two bursts', () => {
    for (const [limit, reserve] of [
      [60, 15],
      [60, 0],
      [100, 10],
      [1_000, 250],
    ] as const) {
      const { callsPerMs } = paceFor({ limit, reserve, windowMs: 60_000 });
      assert.ok(callsPerMs * 60_000 >= 0.9 * (limit - reserve), `${limit} - ${reserve}`);
    }
  });

  it('keeps two bursts and the even flow of a window within the limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 2_000 }), fc.double({ min: 0, max: 0.99, noNaN: true }), (limit, share) => {
        const { callsPerMs, burst } = paceFor({ limit, reserve: Math.floor(share * limit), windowMs: 60_000 });
        assert.ok(2 * burst + callsPerMs * 60_000 <= limit + 1e-6);
      }),
    );
  });
});

describe('EvenPace', () => {
  const pace = { callsPerMs: 42 / 60_000, burst: 9 };

  it('lets the first call leave one interval after the start', () => {
    const even = new EvenPace(pace, 0);
    assert.equal(even.left(1_428), 0);
    assert.equal(even.left(1_429), 1);
    assert.equal(even.roomInMs(0), 1_429);
  });

  it('lets the first call of a process that is known to be the first leave at once', () => {
    const even = new EvenPace(pace, 0);
    even.admitOne();
    assert.equal(even.left(0), 1);
  });

  it('lets a burst follow once the upstream has said how little was spent', () => {
    const even = new EvenPace(pace, 0);
    even.took(1_429);
    assert.equal(even.left(1_500), 0);
    even.learnedUsed(1, 1_500);
    assert.equal(even.left(1_500), 8);
  });

  it('stays even where the upstream says that much was spent', () => {
    const even = new EvenPace(pace, 0);
    even.took(1_429);
    even.learnedUsed(40, 1_500);
    assert.equal(even.left(1_500), 0);
    assert.ok(even.roomInMs(1_500) <= 1_429);
  });
});
