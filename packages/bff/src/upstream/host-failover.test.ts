import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AdaptiveTimeout, HostFailover } from './host-failover.ts';

const READER = { isUserFacing: true };
const PLAN = { isUserFacing: false };

function choiceOf(hasAlt: boolean): HostFailover {
  return new HostFailover({ hasAlt, callMs: 5_000, random: () => 0 });
}

/** A host that has just failed as often as it takes. */
function failing(choice: HostFailover, host: 'main' | 'alt', at: number): void {
  for (let failure = 0; failure < 3; failure += 1)
    choice.recordFailure(host, { subject: 'src_1', kind: 'unreachable' }, at);
}

describe('HostFailover', () => {
  it('asks the main host first, then the other', () => {
    assert.deepEqual(choiceOf(true).order(0, READER), ['main', 'alt']);
    assert.deepEqual(choiceOf(false).order(0, READER), ['main']);
  });

  it('asks last what has failed on the same subject, until it has answered something', () => {
    const choice = choiceOf(true);
    choice.recordFailure('main', { subject: 'src_1', kind: 'server-error' }, 0);
    assert.deepEqual(choice.order(0, { ...READER, subject: 'src_1' }), ['alt', 'main']);
    assert.deepEqual(choice.order(0, { ...READER, subject: 'src_2' }), ['main', 'alt']);
    choice.recordSuccess('main', 1, 100);
    assert.deepEqual(choice.order(1, { ...READER, subject: 'src_1' }), ['main', 'alt']);
  });

  describe('with one host', () => {
    it('leaves it alone after three failures in a row', () => {
      const choice = choiceOf(false);
      choice.recordFailure('main', { subject: 'src_1', kind: 'timed-out' }, 0);
      choice.recordFailure('main', { subject: 'src_1', kind: 'timed-out' }, 0);
      assert.equal(choice.openForMs(0), 0);
      choice.recordFailure('main', { subject: 'src_1', kind: 'timed-out' }, 0);
      assert.equal(choice.openForMs(0), 7_000);
      assert.deepEqual(choice.order(6_999, READER), []);
    });

    it('does not count failures that an answer came between', () => {
      const choice = choiceOf(false);
      for (let round = 0; round < 9; round += 1) {
        choice.recordFailure('main', { subject: 'src_1', kind: 'unreachable' }, round);
        choice.recordFailure('main', { subject: 'src_2', kind: 'unreachable' }, round);
        choice.recordSuccess('main', round, 100);
      }
      assert.equal(choice.openForMs(9), 0);
    });

    it('does not take the fault of one source for its own', () => {
      const choice = choiceOf(false);
      for (let round = 0; round < 9; round += 1)
        choice.recordFailure('main', { subject: 'src_1', kind: 'invalid' }, round);
      assert.equal(choice.openForMs(9), 0);
      choice.recordFailure('main', { subject: 'src_2', kind: 'server-error' }, 10);
      assert.ok(choice.openForMs(10) > 0);
    });

    it('lets one call try it after the rest, and nobody else meanwhile', () => {
      const choice = choiceOf(false);
      failing(choice, 'main', 0);
      assert.deepEqual(choice.order(7_000, READER), ['main']);
      choice.recordAttempt('main', 7_000);
      assert.deepEqual(choice.order(7_000, READER), []);
    });

    it('is well again after one good answer, and says that a dark time has ended', () => {
      const choice = choiceOf(false);
      failing(choice, 'main', 0);
      choice.recordAttempt('main', 7_000);
      assert.equal(choice.recordSuccess('main', 7_100, 100), true);
      assert.equal(choice.recordSuccess('main', 7_200, 100), false);
      assert.equal(choice.status(7_200)[0]?.state, 'closed');
    });

    it('rests again after one bad answer', () => {
      const choice = choiceOf(false);
      failing(choice, 'main', 0);
      choice.recordAttempt('main', 7_000);
      choice.recordFailure('main', { subject: 'src_1', kind: 'invalid' }, 7_100);
      assert.equal(choice.openForMs(7_100), 7_000);
    });
  });

  describe('with two hosts', () => {
    /** The main host has failed, and the other has answered. */
    function switched(): HostFailover {
      const choice = choiceOf(true);
      choice.recordFailure('main', { subject: 'src_1', kind: 'unreachable' }, 0);
      choice.recordSuccess('alt', 100, 100);
      return choice;
    }

    it('prefers the other from the first failure that the other made good', () => {
      const choice = switched();
      assert.deepEqual(choice.order(200, PLAN), ['alt']);
      assert.equal(choice.status(200).find(({ preferred }) => preferred)?.host, 'alt');
    });

    it('tries the main one with calls that nobody waits for', () => {
      const choice = switched();
      assert.deepEqual(choice.order(16_000, PLAN), ['main', 'alt']);
      assert.deepEqual(choice.order(16_000, READER), ['alt', 'main']);
    });

    it('goes back after three good tries, a minute after it left at the least', () => {
      const choice = switched();
      for (const at of [16_000, 22_000, 28_000, 34_000]) choice.recordSuccess('main', at, 100);
      assert.deepEqual(choice.order(35_000, READER), ['alt']);
      choice.recordSuccess('main', 61_000, 100);
      assert.deepEqual(choice.order(61_000, READER), ['main', 'alt']);
    });

    it('counts good tries anew after a bad one', () => {
      const choice = switched();
      for (const at of [61_000, 66_000]) choice.recordSuccess('main', at, 100);
      choice.recordFailure('main', { subject: 'src_1', kind: 'unreachable' }, 71_000);
      choice.recordSuccess('main', 90_000, 100);
      assert.deepEqual(choice.order(90_000, READER), ['alt']);
    });

    it('takes the main one back at once where the other fails', () => {
      const choice = switched();
      failing(choice, 'alt', 10_000);
      choice.recordSuccess('main', 17_000, 100);
      assert.equal(choice.order(17_000, READER)[0], 'main');
    });

    it('waits longer for a host that was well a minute ago, but no longer than its answers ever take', () => {
      const choice = choiceOf(true);
      assert.equal(choice.timeoutMs('main', 5_000, 0), 2_000);
      choice.recordSuccess('main', 0, 2_000);
      assert.equal(choice.timeoutMs('main', 5_000, 59_999), 3_000);
      assert.equal(choice.timeoutMs('main', 5_000, 60_000), 2_000);
      for (let at = 0; at < 50; at += 1) choice.recordSuccess('main', at, 100);
      assert.equal(choice.timeoutMs('main', 5_000, 100), 750);
    });
  });

  it('knows no third host', () => {
    assert.throws(() => choiceOf(false).recordSuccess('alt', 0, 100), RangeError);
  });
});

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
