import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BackoffRegistry, backoffMs } from './backoff-registry.ts';

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const FAILURE = { code: 'upstream_unavailable', detail: 'upstream-error' } as const;

/** A registry whose every wait is the longest. */
function openRegistry(): BackoffRegistry {
  return new BackoffRegistry(() => 1);
}

describe('BackoffRegistry', () => {
  it('shares a failure until its backoff is over, and remembers it until a success', () => {
    const backoffs = openRegistry();
    assert.equal(backoffs.recordFailure('src_1', FAILURE, 0), 2_000);
    assert.deepEqual(backoffs.activeBackoff('src_1', 500), { ...FAILURE, retryInMs: 1_500 });
    assert.equal(backoffs.activeBackoff('src_1', 2_000), undefined);
    assert.deepEqual(backoffs.lastFailure('src_1', 2_000), { ...FAILURE, retryInMs: 0 });
    backoffs.recordSuccess('src_1');
    assert.equal(backoffs.lastFailure('src_1', 2_000), undefined);
  });

  it("begins anew after a success, and counts a failure that is not the source's own for none", () => {
    const backoffs = openRegistry();
    backoffs.recordFailure('src_1', FAILURE, 0);
    backoffs.hold('src_1', FAILURE, 9_000);
    assert.ok(backoffs.isActive('src_1', 8_999) && !backoffs.isActive('src_1', 9_000));
    assert.equal(backoffs.recordFailure('src_1', FAILURE, 9_000), 4_000);
    backoffs.recordSuccess('src_1');
    assert.equal(backoffs.recordFailure('src_1', FAILURE, 9_000), 2_000);
  });

  it('ends the backoffs of the codes whose cause is over', () => {
    const backoffs = openRegistry();
    backoffs.recordFailure('src_1', FAILURE, 0);
    backoffs.recordFailure('src_2', { code: 'upstream_auth', detail: 'auth' }, 0);
    backoffs.clearCodes('upstream_unavailable');
    assert.deepEqual([backoffs.isActive('src_1', 0), backoffs.isActive('src_2', 0)], [false, true]);
  });
});

describe('backoffMs()', () => {
  it('is a draw from the upper half under a ceiling that doubles from two seconds to thirty', () => {
    const highest = [1, 2, 3, 4, 5, 6, 7].map((consecutive) => backoffMs(consecutive, () => 1));
    assert.deepEqual(highest, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    assert.equal(
      backoffMs(5, () => 0),
      15_000,
    );
  });

  it('is a second at the least and 30 s at the most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), chance, (consecutive, drawn) => {
        const ms = backoffMs(consecutive, () => drawn);
        assert.ok(ms >= 1_000 && ms <= 30_000);
      }),
    );
  });
});
