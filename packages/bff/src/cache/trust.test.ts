import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { trustIn } from './trust.ts';

const lifetimes = { freshForMs: 15_000, staleForMs: 86_400_000, authStaleForMs: 600_000 };

function trustAt(now: number, refusedForMs?: number): string {
  return trustIn(0, lifetimes, { now, refusedForMs });
}

describe('trustIn()', () => {
  it('trusts an answer for its lifetime, then for as long as it may be served stale', () => {
    const verdicts = [0, 14_999, 15_000, 86_414_999, 86_415_000].map((now) => trustAt(now));
    assert.deepEqual(verdicts, ['fresh', 'fresh', 'stale', 'stale', 'expired']);
  });

  it('trusts a stale one no longer than the shorter time once the key is refused', () => {
    assert.equal(trustAt(700_000, 599_999), 'stale');
    assert.equal(trustAt(700_000, 600_000), 'expired');
  });

  it('does not take away what is fresh, whatever the key', () => {
    assert.equal(trustAt(1_000, 900_000), 'fresh');
  });
});
