import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bestStaleness, meanStaleness } from './offline-bound.ts';

const MINUTE = 60_000;

const plain = { lagMs: 0, minMs: 1 };

function assertNear(actual: number, expected: number, share = 1e-3): void {
  assert.ok(Math.abs(actual / expected - 1) < share, `${actual} is not near ${expected}`);
}

/**
 * The lowest staleness of all ways to split `callsPerMs` between two sources. The lowest value is found by trying many
 * ways.
 */
function bestOfTwo(rates: readonly [Rate, Rate], callsPerMs: number): number {
  const shares = Array.from({ length: 9_999 }, (_, index) => (index + 1) / 10_000);
  const staleness = ({ views, changes }: Rate, calls: number) => views * meanStaleness(changes, 1 / calls);
  return Math.min(
    ...shares.map((share) => staleness(rates[0], share * callsPerMs) + staleness(rates[1], (1 - share) * callsPerMs)),
  );
}

interface Rate {
  views: number;
  changes: number;
}

describe('meanStaleness()', () => {
  it('is half the interval if the source always changes, and λI²/6 if it rarely does', () => {
    assertNear(meanStaleness(1, 1e6), 5e5);
    assertNear(meanStaleness(1e-9, 1e3), (1e-9 * 1e6) / 6);
  });

  it('has no jump between the closed form and the series', () => {
    assertNear(meanStaleness(0.009_999 / MINUTE, MINUTE), meanStaleness(0.010_001 / MINUTE, MINUTE), 1e-3);
  });

  it('adds the delay of answers to the staleness', () => {
    assert.ok(meanStaleness(1 / MINUTE, MINUTE, { lagMs: 400 }) > meanStaleness(1 / MINUTE, MINUTE));
  });
});

describe('bestStaleness()', () => {
  it('gives equal sources equal shares of the calls', () => {
    const rates = Array.from({ length: 10 }, () => ({ views: 0.1, changes: 1 / MINUTE }));
    assertNear(bestStaleness(rates, { callsPerMs: 1 / 1_000, ...plain }), meanStaleness(1 / MINUTE, 10_000));
  });

  it('matches the best split between two sources', () => {
    for (const [views, changes] of [
      [10, 1],
      [1, 50],
      [100, 0.02],
    ] as const) {
      const rates: [Rate, Rate] = [
        { views: 1e-3, changes: 1 / MINUTE },
        { views: 1e-3 * views, changes: changes / MINUTE },
      ];
      assertNear(bestStaleness(rates, { callsPerMs: 1 / MINUTE, ...plain }), bestOfTwo(rates, 1 / MINUTE), 2e-3);
    }
  });

  it('never refreshes more often than the minimum interval allows', () => {
    const rates = [{ views: 1, changes: 1 / MINUTE }];
    assertNear(bestStaleness(rates, { callsPerMs: 1, ...plain, minMs: 15_000 }), meanStaleness(1 / MINUTE, 15_000));
  });
});
