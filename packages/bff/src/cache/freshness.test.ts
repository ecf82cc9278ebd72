import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type TimedEntry, freshnessAt, freshnessOf } from './freshness.ts';

const freshnessPolicy = { freshForMs: 15_000, staleForMs: 86_400_000, authStaleForMs: 600_000 };

function freshnessWith(now: number, refusedForMs?: number): string {
  return freshnessAt(0, freshnessPolicy, { now, refusedForMs });
}

describe('freshnessAt()', () => {
  it('trusts an answer for its lifetime, then for as long as it may be served stale', () => {
    const results = [0, 14_999, 15_000, 86_414_999, 86_415_000].map((now) => freshnessWith(now));
    assert.deepEqual(results, ['fresh', 'fresh', 'stale', 'stale', 'expired']);
  });

  it('trusts a stale one no longer than the shorter time once the key is refused', () => {
    assert.equal(freshnessWith(700_000, 599_999), 'stale');
    assert.equal(freshnessWith(700_000, 600_000), 'expired');
  });

  it('does not take away what is fresh, whatever the key', () => {
    assert.equal(freshnessWith(1_000, 900_000), 'fresh');
  });
});

const entry: TimedEntry = { storedAt: 1_000, policy: { freshForMs: 15_000, staleForMs: 60_000 } };

describe('freshnessOf()', () => {
  it('trusts an entry until the last millisecond of its lifetime', () => {
    assert.equal(freshnessOf(entry, 15_999), 'fresh');
    assert.equal(freshnessOf(entry, 16_000), 'stale');
  });

  it('calls it stale, not expired, while it may still be served', () => {
    assert.equal(freshnessOf(entry, 75_999), 'stale');
    assert.equal(freshnessOf(entry, 76_000), 'expired');
  });

  it('trusts an entry that seems to come from the future', () => {
    assert.equal(freshnessOf(entry, 0), 'fresh');
  });
});
