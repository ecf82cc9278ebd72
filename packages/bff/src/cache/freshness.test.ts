import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cacheHit, factsOf, freshnessOf } from './freshness.ts';

const policy = { freshForMs: 15_000, staleForMs: 86_400_000, authStaleForMs: 600_000 };

function freshnessAt(now: number, refusedForMs?: number): string {
  return freshnessOf(0, policy, { now, refusedForMs: () => refusedForMs });
}

describe('freshnessOf()', () => {
  it('is fresh until the last millisecond of freshForMs, then stale until the last of staleForMs', () => {
    const results = [0, 14_999, 15_000, 86_414_999, 86_415_000].map((now) => freshnessAt(now));
    assert.deepEqual(results, ['fresh', 'fresh', 'stale', 'stale', 'expired']);
  });

  it('is stale for authStaleForMs at most once the key is refused', () => {
    assert.equal(freshnessAt(700_000, 599_999), 'stale');
    assert.equal(freshnessAt(700_000, 600_000), 'expired');
  });

  it('is fresh where requestedAt is in the future', () => {
    assert.equal(freshnessAt(-1_000), 'fresh');
  });
});

describe('cacheHit()', () => {
  const at = (now: number, facts = {}) => cacheHit('value', { requestedAt: 1_000, freshForMs: 15_000, now }, facts);

  it('tells age and what is left of the lifetime', () => {
    assert.deepEqual(at(5_500), {
      ok: true,
      value: 'value',
      stale: false,
      ageMs: 4_500,
      facts: { hit: true, ttlSeconds: 10 },
    });
  });

  it('is stale from the end of its lifetime on, where something is wrong', () => {
    assert.equal(at(16_000, { detail: 'upstream-unavailable' }).stale, true);
    assert.equal(at(16_000, { detail: 'paused' }).stale, true);
  });

  it('is not stale yet while it is merely being revalidated, or a call is dear', () => {
    for (const facts of [{}, { detail: 'budget' }, { detail: 'starting' }])
      assert.equal(at(45_999, facts).stale, false);
  });

  it('is stale after three lifetimes, whatever the reason', () => {
    assert.equal(at(46_000).stale, true);
  });

  it('has no age below zero', () => {
    assert.equal(at(0).ageMs, 0);
  });
});

describe('factsOf()', () => {
  const failed = {
    ok: false,
    code: 'upstream_unavailable',
    detail: 'upstream-error',
    attempted: true,
    retryInMs: 1,
  } as const;

  it('tells the status of an answer that was a failure, and that there was none otherwise', () => {
    assert.deepEqual(factsOf({ ...failed, status: 503 }), { detail: 'upstream-error', fwdStatus: 503, fwd: 'stale' });
    assert.deepEqual(factsOf(failed), { detail: 'upstream-error' });
  });
});
