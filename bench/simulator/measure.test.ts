import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContestantName } from './contestants.ts';
import { brokenPromises, type Score, type WorldResult } from './measure.ts';
import { STILL_WORLDS } from './world-plan.ts';

const [small, promised] = [STILL_WORLDS[0]!, STILL_WORLDS[1]!];

const EMPTY: Score = {
  name: 'age index, learned',
  setting: '',
  settings: [],
  bySeed: [],
  stalenessSeconds: 0,
  staleShare: 0,
  p99Seconds: 0,
  waitedShare: 0,
  unanswered: 0,
  views: 1,
  calls: 1,
  maxInWindow: 60,
};

function score(name: ContestantName, stalenessSeconds: number, maxInWindow = 60): Score {
  return { ...EMPTY, name, stalenessSeconds, maxInWindow };
}

/** A result with the given staleness of the planner and of the TTL, against a bound of 1 s. */
function result([planner, ttl]: [number, number], over: Partial<WorldResult> = {}): WorldResult {
  const scores = [score('age index, learned', planner), score('TTL, stale-while-revalidate', ttl)];
  return { plan: promised, boundSeconds: 1, scores, ...over };
}

describe('brokenPromises()', () => {
  it('finds none in a result that keeps them to the last digit', () => {
    assert.deepEqual(brokenPromises(result([1.25, 2.5])), []);
  });

  it('names a planner too far above the bound, or not far enough below the TTL', () => {
    assert.match(brokenPromises(result([1.26, 9])).join(), /1\.26 times the offline bound/);
    assert.match(brokenPromises(result([1.02, 2])).join(), /0\.51 times the best TTL/);
  });

  it('names whoever made too many calls, in worlds the promise does not speak of as well', () => {
    const scores = [...result([9, 1]).scores.slice(1), score('age index, learned', 9, 61)];
    const faults = brokenPromises(result([9, 1], { plan: small, scores }));
    assert.equal(faults.length, 1);
    assert.match(faults[0]!, /10 sources.*age index, learned made 61 calls/);
  });

  it('takes a figure that is none for a broken promise', () => {
    assert.equal(brokenPromises(result([Number.NaN, 1])).length, 2);
  });
});
