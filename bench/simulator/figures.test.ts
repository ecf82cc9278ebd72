import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxInWindow, Tally } from './figures.ts';

describe('maxInWindow()', () => {
  it('counts the fullest half-open window', () => {
    assert.equal(maxInWindow([], 60), 0);
    assert.equal(maxInWindow([0, 30, 59, 60], 60), 3);
    assert.equal(maxInWindow([0, 59, 60, 61], 60), 3);
  });

  it('does not mind the order in which calls arrive', () => {
    assert.equal(maxInWindow([61, 0, 60, 59], 60), 3);
  });
});

describe('Tally', () => {
  it('finds the staleness that one view in a hundred exceeds', () => {
    const tally = new Tally();
    for (let view = 1; view <= 200; view += 1) tally.saw(view * 1_000, view > 150);
    const figures = tally.figures(60_000);
    assert.deepEqual([figures.p99Seconds, figures.stalenessSeconds, figures.waitedShare], [198, 100.5, 0.25]);
  });

  it('says nothing of views where there are none', () => {
    const { stalenessSeconds, staleShare, p99Seconds, waitedShare } = new Tally().figures(60_000);
    assert.deepEqual([stalenessSeconds, staleShare, p99Seconds, waitedShare], [0, 0, 0, 0]);
  });
});
