import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliveriesIn, histogramOf, spreadOf } from './live-figures.ts';

describe('deliveriesIn()', () => {
  it('tells how long a change took to be noticed and to be told, where enough heard of it', () => {
    const runs = [
      { run: 'run_1', changedAtMs: 1_000, atMs: [1_700, 1_500, 1_900] },
      { run: 'run_2', changedAtMs: 2_000, atMs: [2_100] },
    ];
    const seen = { open: 3, refused: 0, openedAtMs: [], runs };
    assert.deepEqual(deliveriesIn(seen, 2), [
      { run: 'run_1', readers: 3, toFirstMs: 500, spreadMs: 400, toLastMs: 900 },
    ]);
  });
});

describe('spreadOf()', () => {
  it('knows the middle, the slow and the slowest', () => {
    const numbers = Array.from({ length: 200 }, (_, at) => at + 1);
    assert.deepEqual(spreadOf(numbers), { medianMs: 101, p99Ms: 199, maxMs: 200 });
  });
});

describe('histogramOf()', () => {
  it('counts by the second, empty ones too', () => {
    assert.deepEqual(histogramOf([5_100, 5_900, 8_000], 5_000), [2, 0, 0, 1]);
  });
});
