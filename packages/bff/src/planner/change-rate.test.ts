import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ChangeRate, changesPerMs, UNKNOWN_CHANGE_RATE, updatePosterior } from './change-rate.ts';

/** Refreshes every `gapMs`; the changes are spread so that as many refreshes find one as a Poisson process would have it. */
function watched(
  rate: ChangeRate,
  { meanMs, gapMs, times }: { meanMs: number; gapMs: number; times: number },
): ChangeRate {
  const found = 1 - Math.exp(-gapMs / meanMs);
  let pending = 0;
  for (let index = 0; index < times; index += 1) {
    pending += found;
    const changed = pending >= 1;
    if (changed) pending -= 1;
    rate = updatePosterior(rate, gapMs, changed);
  }
  return rate;
}

function assertMean(rate: ChangeRate, meanMs: number, share: number): void {
  const estimate = 1 / changesPerMs(rate);
  assert.ok(Math.abs(estimate / meanMs - 1) < share, `estimated one in ${estimate} ms, not in ${meanMs} ms`);
}

describe('changesPerMs()', () => {
  it('takes a source it knows nothing of to change every ten minutes', () => {
    assertMean(UNKNOWN_CHANGE_RATE, 600_000, 1e-9);
  });
});

describe('updatePosterior()', () => {
  it('learns the rate of a slow source', () => {
    assertMean(watched(UNKNOWN_CHANGE_RATE, { meanMs: 3_600_000, gapMs: 60_000, times: 2_000 }), 3_600_000, 0.15);
  });

  it('sees through refreshes that are too far apart to see every change', () => {
    assertMean(watched(UNKNOWN_CHANGE_RATE, { meanMs: 60_000, gapMs: 120_000, times: 300 }), 60_000, 0.25);
  });

  it('follows a source that changes its habits', () => {
    const fast = watched(UNKNOWN_CHANGE_RATE, { meanMs: 60_000, gapMs: 15_000, times: 400 });
    const slow = watched(fast, { meanMs: 3_600_000, gapMs: 60_000, times: 3_000 });
    assertMean(fast, 60_000, 0.25);
    assertMean(slow, 3_600_000, 0.3);
    assertMean(watched(slow, { meanMs: 60_000, gapMs: 60_000, times: 150 }), 60_000, 0.5);
  });

  it('takes a source that was never seen to change for slower and slower', () => {
    const once = updatePosterior(UNKNOWN_CHANGE_RATE, 3_600_000, false);
    assert.ok(changesPerMs(updatePosterior(once, 3_600_000, false)) < changesPerMs(once));
  });

  it('learns nothing from a refresh that took no time', () => {
    assert.equal(updatePosterior(UNKNOWN_CHANGE_RATE, 0, true), UNKNOWN_CHANGE_RATE);
    assert.equal(updatePosterior(UNKNOWN_CHANGE_RATE, -1, true), UNKNOWN_CHANGE_RATE);
  });
});
