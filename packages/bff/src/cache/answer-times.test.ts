import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AnswerTimes } from './answer-times.ts';

function timesOf(...took: readonly number[]): AnswerTimes {
  const times = new AnswerTimes();
  for (const ms of took) times.took(ms);
  return times;
}

describe('AnswerTimes', () => {
  it('waits without end for a host that it knows nothing of', () => {
    assert.equal(timesOf().patienceMs, Infinity);
  });

  it('waits for a quick host three quarters of a second', () => {
    assert.equal(timesOf(...Array.from({ length: 50 }, () => 80)).patienceMs, 750);
  });

  it('waits longer for one whose answers take long, or now long, now short', () => {
    assert.ok(timesOf(...Array.from({ length: 50 }, () => 900)).patienceMs > 1_800);
    assert.ok(timesOf(...Array.from({ length: 50 }, (_, index) => (index % 2 ? 100 : 800))).patienceMs > 2_500);
  });
});
