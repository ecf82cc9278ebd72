import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { coldStartRate, LeakyBucket, steadyRate } from './leaky-bucket.ts';

describe('coldStartRate()', () => {
  it('spends at least nine tenths of what may be spent, where that leaves room for two bursts', () => {
    for (const [limit, reserve] of [
      [60, 15],
      [60, 0],
      [100, 10],
      [1_000, 250],
    ] as const) {
      const { callsPerMs } = coldStartRate({ limit, reserve, windowMs: 60_000 });
      assert.ok(callsPerMs * 60_000 >= 0.9 * (limit - reserve), `${limit} - ${reserve}`);
    }
  });

  it('keeps two bursts and the even flow of a window within the limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 2_000 }), fc.double({ min: 0, max: 0.99, noNaN: true }), (limit, share) => {
        const { callsPerMs, burst } = coldStartRate({ limit, reserve: Math.floor(share * limit), windowMs: 60_000 });
        assert.ok(2 * burst + callsPerMs * 60_000 <= limit + 1e-6);
      }),
    );
  });
});

describe('steadyRate()', () => {
  it('spends all that may be spent, a third of it at once', () => {
    assert.deepEqual(steadyRate({ limit: 60, reserve: 15, windowMs: 60_000 }), { callsPerMs: 45 / 60_000, burst: 15 });
  });

  it('has room at once for the list and a page of ten, where the limit has', () => {
    assert.equal(steadyRate({ limit: 20, reserve: 0, windowMs: 60_000 }).burst, 12);
    assert.equal(steadyRate({ limit: 6, reserve: 1, windowMs: 60_000 }).burst, 5);
  });
});

describe('LeakyBucket', () => {
  const leakRate = { callsPerMs: 42 / 60_000, burst: 9 };

  it('lets the first call leave one interval after the start', () => {
    const even = new LeakyBucket(leakRate, 0, 'full');
    assert.equal(even.left(1_428), 0);
    assert.equal(even.left(1_429), 1);
    assert.equal(even.retryInMsAt(0), 1_429);
  });

  it('lets a burst follow once the upstream has said how little was spent', () => {
    const even = new LeakyBucket(leakRate, 0, 'full');
    even.take(1_429);
    assert.equal(even.left(1_500), 0);
    even.capUsed(1, 1_500);
    assert.equal(even.left(1_500), 8);
  });

  it('stays even where the upstream says that much was spent', () => {
    const even = new LeakyBucket(leakRate, 0, 'full');
    even.take(1_429);
    even.capUsed(40, 1_500);
    assert.equal(even.left(1_500), 0);
    assert.ok(even.retryInMsAt(1_500) <= 1_429);
  });

  it('saves nothing up while it is held', () => {
    const even = new LeakyBucket(leakRate, 0, 'empty');
    for (let call = 0; call < 9; call += 1) even.take(0);
    even.holdUntil(60_000, 0);
    assert.equal(even.left(60_000), 0);
    assert.equal(even.left(61_429), 1);
  });
});
