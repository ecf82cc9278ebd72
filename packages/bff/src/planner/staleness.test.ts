import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type ChangeRate,
  changesPerMs,
  expectedStaleness,
  UNKNOWN_CHANGE_RATE,
  updatePosterior,
  whittleIndex,
} from './staleness.ts';

/** Refreshes every `gapMs`. The number of refreshes that find a change is the number expected for a Poisson process. */
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

describe('updatePosterior()', () => {
  it('accounts for changes that happen unseen between two refreshes', () => {
    assertMean(watched(UNKNOWN_CHANGE_RATE, { meanMs: 60_000, gapMs: 120_000, times: 300 }), 60_000, 0.25);
  });

  it('adapts when a source starts to change more quickly or more slowly', () => {
    const fast = watched(UNKNOWN_CHANGE_RATE, { meanMs: 60_000, gapMs: 15_000, times: 400 });
    const slow = watched(fast, { meanMs: 3_600_000, gapMs: 60_000, times: 3_000 });
    assertMean(fast, 60_000, 0.25);
    assertMean(slow, 3_600_000, 0.3);
    assertMean(watched(slow, { meanMs: 60_000, gapMs: 60_000, times: 150 }), 60_000, 0.5);
  });

  it('learns nothing from a refresh of zero duration', () => {
    assert.equal(updatePosterior(UNKNOWN_CHANGE_RATE, 0, true), UNKNOWN_CHANGE_RATE);
    assert.equal(updatePosterior(UNKNOWN_CHANGE_RATE, -1, true), UNKNOWN_CHANGE_RATE);
  });
});

const rates = fc.double({ min: 1e-9, max: 1e-2, noNaN: true });
const ages = fc.double({ min: 1, max: 1e8, noNaN: true });

/** Integrates the staleness a(τ) from 0 to `age` in 2,000 steps. */
function summedStaleness(rate: number, age: number): number {
  const step = age / 2_000;
  return Array.from({ length: 2_000 }, (_, index) => expectedStaleness(rate, (index + 0.5) * step) * step).reduce(
    (sum, part) => sum + part,
  );
}

function assertNear(actual: number, expected: number, share = 1e-3): void {
  assert.ok(Math.abs(actual - expected) <= share * Math.abs(expected), `${actual} is not near ${expected}`);
}

describe('whittleIndex()', () => {
  it('is the staleness times the age, minus the integral of the staleness until now', () => {
    for (const x of [0.001, 0.009, 0.011, 0.1, 1, 10, 100]) {
      const [rate, age] = [x / 60_000, 60_000];
      assertNear(
        whittleIndex(0.01, rate, age),
        0.01 * (age * expectedStaleness(rate, age) - summedStaleness(rate, age)),
      );
    }
  });

  it('is wλτ³/3 for rare changes, and wτ²/2 for frequent changes', () => {
    assertNear(whittleIndex(0.01, 1e-9, 1_000), (0.01 * 1e-9 * 1e9) / 3);
    assertNear(whittleIndex(0.01, 1, 1e6), (0.01 * 1e12) / 2);
  });

  it('grows with the age of the answer', () => {
    fc.assert(fc.property(rates, ages, (rate, age) => whittleIndex(1, rate, age * 1.01) > whittleIndex(1, rate, age)));
  });
});
