import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Entry, verdictOn } from './verdict.ts';

const entry: Entry = { storedAt: 1_000, lifetime: { freshForMs: 15_000, staleForMs: 60_000 } };

describe('verdictOn()', () => {
  it('trusts an entry until the last millisecond of its lifetime', () => {
    assert.equal(verdictOn(entry, 15_999), 'fresh');
    assert.equal(verdictOn(entry, 16_000), 'stale');
  });

  it('calls it stale, not expired, while it may still be served', () => {
    assert.equal(verdictOn(entry, 75_999), 'stale');
    assert.equal(verdictOn(entry, 76_000), 'expired');
  });

  it('trusts an entry that seems to come from the future', () => {
    assert.equal(verdictOn(entry, 0), 'fresh');
  });
});
