import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AdaptiveTimeout } from './adaptive-timeout.ts';

function timesOf(...took: readonly number[]): AdaptiveTimeout {
  const times = new AdaptiveTimeout();
  for (const ms of took) times.record(ms);
  return times;
}

describe('AdaptiveTimeout', () => {
  it('waits without end for a host that it knows nothing of', () => {
    assert.equal(timesOf().timeoutMs, Infinity);
  });

  it('waits for a quick host three quarters of a second', () => {
    assert.equal(timesOf(...Array.from({ length: 50 }, () => 80)).timeoutMs, 750);
  });

  it('waits longer for one whose answers take long, or now long, now short', () => {
    assert.ok(timesOf(...Array.from({ length: 50 }, () => 900)).timeoutMs > 1_800);
    assert.ok(timesOf(...Array.from({ length: 50 }, (_, index) => (index % 2 ? 100 : 800))).timeoutMs > 2_500);
  });
});
