import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { backoffMs, negativeMs } from './backoff-registry.ts';

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('backoffMs()', () => {
  it('is a draw under a ceiling that doubles', () => {
    const highest = [1, 2, 3, 4, 5, 6, 7].map((consecutive) => backoffMs(consecutive, () => 1));
    assert.deepEqual(highest, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    assert.equal(
      backoffMs(5, () => 0.5),
      16_000,
    );
  });

  it('is a second at the least and a minute at the most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), chance, (consecutive, drawn) => {
        const ms = backoffMs(consecutive, () => drawn);
        assert.ok(ms >= 1_000 && ms <= 60_000);
      }),
    );
  });
});

describe('negativeMs()', () => {
  it('doubles from a minute to a day', () => {
    const minutes = [1, 2, 3, 12].map((consecutive) => negativeMs(consecutive, () => 1) / 60_000);
    assert.deepEqual(minutes, [1, 2, 4, 1_440]);
  });

  it('is spread, so that ids that came together do not come back together', () => {
    assert.notEqual(
      negativeMs(1, () => 0),
      negativeMs(1, () => 0.9),
    );
  });
});
