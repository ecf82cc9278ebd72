import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FailureDetail, notAttempted } from '../upstream/failure.ts';
import { cacheHit, factsOf, freshnessOf } from './freshness.ts';

const policy = { freshForMs: 15_000, staleForMs: 86_400_000, authStaleForMs: 600_000 };

function freshnessAt(now: number, refusedForMs?: number): string {
  return freshnessOf(0, policy, { now, refusedForMs: () => refusedForMs });
}

describe('freshnessOf()', () => {
  it('is fresh for exactly freshForMs, and then stale for exactly staleForMs', () => {
    const results = [-1_000, 0, 14_999, 15_000, 86_414_999, 86_415_000].map((now) => freshnessAt(now));
    assert.deepEqual(results, ['fresh', 'fresh', 'fresh', 'stale', 'stale', 'expired']);
  });

  it('is stale for at most authStaleForMs once the key is rejected', () => {
    assert.equal(freshnessAt(700_000, 599_999), 'stale');
    assert.equal(freshnessAt(700_000, 600_000), 'expired');
  });
});

describe('cacheHit()', () => {
  const at = (now: number, detail?: FailureDetail) =>
    cacheHit('value', { requestedAt: 1_000, freshForMs: 15_000, now }, detail === undefined ? {} : { detail });

  it('is an earlier version after three lifetimes, or after one during an outage', () => {
    for (const detail of ['upstream-unavailable', 'paused'] as const)
      assert.equal(at(16_000, detail).isEarlierVersion, true);
    for (const detail of [undefined, 'budget', 'starting'] as const) {
      assert.equal(at(45_999, detail).isEarlierVersion, false);
      assert.equal(at(46_000, detail).isEarlierVersion, true);
    }
  });

  it('never has a negative age', () => {
    assert.equal(at(0).ageMs, 0);
  });
});

describe('factsOf()', () => {
  it('contains a status only if the failed call was answered', () => {
    const failure = notAttempted('upstream_unavailable', 'upstream-error', 1);
    assert.deepEqual(factsOf({ ...failure, status: 503 }), { detail: 'upstream-error', fwdStatus: 503, fwd: 'stale' });
    assert.deepEqual(factsOf(failure), { detail: 'upstream-error' });
  });
});
