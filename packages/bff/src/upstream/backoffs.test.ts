import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Backoffs, backoffMs } from './backoffs.ts';
import { notAttempted } from './failure.ts';
import { LIST_ID } from './subject.ts';

const FAILED = notAttempted('upstream_unavailable', 'upstream-error', 5_000);

/** The budget allows one call every 1 1/3 s. Failing sources therefore get a call every 5 1/3 s. */
const BUDGET = { windowMs: 60_000, capacity: 45 };

/** Backoffs that always have the maximum length. */
function openBackoffs(budget: () => typeof BUDGET = () => BUDGET): Backoffs {
  return new Backoffs({ callBudget: { status: budget }, random: () => 1 });
}

describe('Backoffs', () => {
  it('counts how long a source has been failing, from the first of its consecutive failures', () => {
    const backoffs = openBackoffs();
    backoffs.recordFailure('src_1', FAILED, 1_000);
    backoffs.recordFailure('src_1', FAILED, 61_000);
    assert.equal(backoffs.lastFailure('src_1', 301_000)?.forMs, 300_000);
    assert.equal(backoffs.lastFailure('src_2', 301_000), undefined);
    backoffs.recordSuccess('src_1');
    assert.equal(backoffs.lastFailure('src_1', 301_000), undefined);
  });

  it('starts again with the shortest wait after a success', () => {
    const backoffs = openBackoffs();
    backoffs.recordFailure('src_1', FAILED, 0);
    assert.equal(backoffs.recordFailure('src_1', FAILED, 0, 16_000), 16_000);
    assert.equal(backoffs.recordFailure('src_1', FAILED, 19_000), 4_000);
    backoffs.recordSuccess('src_1');
    assert.equal(backoffs.recordFailure('src_1', FAILED, 19_000), 2_000);
  });

  describe('when several sources fail', () => {
    it('limits retries of pulses, but not of the list, to one in four calls', () => {
      const backoffs = openBackoffs();
      for (const id of ['src_1', 'src_2', LIST_ID]) backoffs.recordFailure(id, FAILED, 0);
      backoffs.recordAttempt('src_1', 2_000);
      assert.deepEqual(backoffs.refusal('src_2', 7_333)?.code, 'upstream_unavailable');
      assert.equal(backoffs.refusal('src_2', 7_334), undefined);
      assert.equal(backoffs.refusal(LIST_ID, 2_000), undefined);
    });

    it('retries the next source immediately if the retry of one source succeeds', () => {
      const backoffs = openBackoffs();
      for (const id of ['src_1', 'src_2']) backoffs.recordFailure(id, FAILED, 0);
      backoffs.recordAttempt('src_1', 2_000);
      backoffs.recordSuccess('src_1');
      assert.equal(backoffs.refusal('src_2', 2_000), undefined);
    });

    it('schedules retries by the current call rate, not an earlier one', () => {
      const budget = { ...BUDGET, capacity: 1 };
      const backoffs = openBackoffs(() => budget);
      backoffs.recordFailure('src_1', FAILED, 0);
      backoffs.recordAttempt('src_1', 2_000);
      backoffs.recordFailure('src_1', FAILED, 2_000);
      assert.ok(backoffs.refusal('src_1', 60_000));
      budget.capacity = 45;
      assert.equal(backoffs.refusal('src_1', 60_000), undefined);
    });

    it('doesn’t delay a source that works', () => {
      const backoffs = openBackoffs();
      backoffs.recordFailure('src_1', FAILED, 0);
      backoffs.recordAttempt('src_1', 2_000);
      assert.equal(backoffs.refusal('src_2', 2_000), undefined);
    });
  });
});

describe('backoffMs()', () => {
  it('is at least half of a ceiling that doubles from 2 to 30 seconds', () => {
    const highest = [1, 2, 3, 4, 5, 6, 7].map((consecutive) => backoffMs(consecutive, () => 1));
    assert.deepEqual(highest, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    assert.equal(
      backoffMs(5, () => 0),
      15_000,
    );
  });
});
