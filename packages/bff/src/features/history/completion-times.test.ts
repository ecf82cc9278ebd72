import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CompletionTimes, withCompletions } from './rhythm.ts';

const DAY_MS = 24 * 60 * 60_000;

const keepAll = (times: CompletionTimes): CompletionTimes =>
  times.reduce<CompletionTimes>((kept, at) => withCompletions(kept, [at]), []);

describe('withCompletions()', () => {
  it('sorts and deduplicates the times', () => assert.deepEqual(keepAll([3, 1, 2, 3, 1]), [1, 2, 3]));

  it('stores completion times from the last 35 days', () => {
    const hourly = Array.from({ length: 40 * 24 }, (_, hour) => hour * (DAY_MS / 24));
    const kept = keepAll(hourly);
    assert.equal(kept.length, 35 * 24 + 1);
    assert.equal(kept.at(-1), hourly.at(-1));
  });

  it('stores the last 21 completion times, regardless of age', () =>
    assert.equal(keepAll(Array.from({ length: 30 }, (_, month) => month * 30 * DAY_MS)).length, 21));

  it('stores at most 1,000 completion times', () => {
    const kept = keepAll(Array.from({ length: 1_100 }, (_, minute) => minute * 60_000));
    assert.deepEqual([kept.length, kept[0]], [1_000, 100 * 60_000]);
  });

  it('doesn’t store times older than 800 days', () =>
    assert.deepEqual(keepAll([0, 1 * DAY_MS, 801 * DAY_MS]), [1 * DAY_MS, 801 * DAY_MS]));
});
