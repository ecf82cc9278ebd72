import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { RefreshPlanner } from './refresh-planner.ts';

const options = { minAgeMs: 15_000 };
const tokens = { left: 9, maxLeft: 9 };

describe('RefreshPlanner', () => {
  let planner: RefreshPlanner;
  beforeEach(() => (planner = new RefreshPlanner(options)));

  /** Records that the answer for a source was refreshed at `at`. */
  function keep(id: string, at = 0): void {
    planner.recordAttempt(id, at);
    planner.recordRefresh(id, at, { changed: false });
  }

  function seeViews(id: string, { from, to, gapMs }: { from: number; to: number; gapMs: number }): void {
    for (let at = from; at < to; at += gapMs) planner.recordView(id, at);
  }

  describe('next()', () => {
    it('refreshes a viewed source as soon as it reaches the minimum age', () => {
      planner.recordView('src_1', 0);
      keep('src_1');
      assert.equal(planner.next(14_999, tokens), undefined);
      assert.equal(planner.next(15_000, tokens), 'src_1');
    });

    it('starts with sources that were never requested', () => {
      seeViews('src_1', { from: 0, to: 60_000, gapMs: 100 });
      keep('src_1');
      planner.recordView('src_new', 60_000);
      assert.equal(planner.next(60_000, tokens), 'src_new');
    });

    it('prefers the source with more readers, or else the older answer', () => {
      for (const id of ['src_1', 'src_2', 'src_3']) keep(id);
      seeViews('src_1', { from: 0, to: 60_000, gapMs: 10_000 });
      seeViews('src_2', { from: 0, to: 60_000, gapMs: 1_000 });
      assert.equal(planner.next(60_000, tokens), 'src_2');
      seeViews('src_3', { from: 0, to: 60_000, gapMs: 1_000 });
      keep('src_2', 20_000);
      assert.equal(planner.next(60_000, tokens), 'src_3');
    });

    it('prefers the source that changes more often if both have the same readers', () => {
      for (let at = 0; at <= 600_000; at += 30_000) {
        for (const id of ['src_still', 'src_lively']) {
          planner.recordView(id, at);
          planner.recordAttempt(id, at);
          planner.recordRefresh(id, at, { changed: id === 'src_lively' });
        }
      }
      assert.equal(planner.next(700_000, tokens), 'src_lively');
    });

    it('doesn’t request a source again until its answer arrives or is overdue', () => {
      planner.recordView('src_1', 0);
      planner.recordAttempt('src_1', 0);
      assert.equal(planner.next(30_000, tokens), undefined);
      assert.equal(planner.next(61_000, tokens), 'src_1');
    });

    it('leaves the last third of a burst to waiting readers', () => {
      planner.recordView('src_1', 0);
      const leftOf = [3, 4].map((left) => planner.next(0, { ...tokens, left }));
      assert.deepEqual(leftOf, [undefined, 'src_1']);
      assert.equal(planner.next(0, { left: 1, maxLeft: 1 }), 'src_1');
    });

    it('skips a source that can’t be refreshed now, and continues with the others', () => {
      for (const id of ['src_1', 'src_2']) planner.recordView(id, 0);
      const next = planner.next(0, tokens, (id) => id !== 'src_1');
      assert.equal(next, 'src_2');
    });

    it('refreshes at most hourly after half an hour without readers, and never after a day', () => {
      keep('src_1');
      seeViews('src_1', { from: 0, to: 600_000, gapMs: 5_000 });
      const askedIn = (from: number, to: number): number => {
        let asked = 0;
        for (let at = from; at < to; at += 500)
          if (planner.next(at, tokens) !== undefined) {
            asked += 1;
            keep('src_1', at);
          }
        return asked;
      };
      askedIn(0, 2_400_000);
      const askedInADay = askedIn(2_400_000, 2_400_000 + 23 * 3_600_000);
      assert.ok(askedInADay >= 1 && askedInADay <= 23, String(askedInADay));
      assert.equal(askedIn(90_000_000, 100_000_000), 0);
    });

    it('refreshes a rarely changing source less often after five minutes without views', () => {
      seeViews('src_1', { from: 0, to: 600_001, gapMs: 60_000 });
      for (let at = 0; at <= 600_000; at += 15_000) keep('src_1', at);
      assert.equal(ageAtNextRefresh('src_1', 800_000), 15_000);
      const age = ageAtNextRefresh('src_1', 900_000);
      assert.ok(age > 34_000 && age < 35_000, String(age));
    });

    /** The age in ms at which an answer that was refreshed at `at` is refreshed again. */
    function ageAtNextRefresh(id: string, at: number): number {
      keep(id, at);
      let age = 0;
      while (age < 3_600_000 && planner.next(at + age, tokens) === undefined) age += 100;
      return age;
    }

    it('never refreshes an answer below the minimum age, and never without a call left', () => {
      const step = fc.record({ id: fc.constantFrom('a', 'b', 'c'), waitMs: fc.nat(20_000), left: fc.nat(9) });
      fc.assert(
        fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
          planner = new RefreshPlanner(options);
          const refreshedAt = new Map<string, number>();
          let now = 0;
          for (const { id, waitMs, left } of steps) {
            now += waitMs;
            planner.recordView(id, now);
            const next = planner.next(now, { ...tokens, left });
            if (next === undefined) continue;
            assert.ok(left >= 1 && now - (refreshedAt.get(next) ?? -Infinity) >= options.minAgeMs);
            keep(next, now);
            refreshedAt.set(next, now);
          }
        }),
      );
    });
  });

  describe('isWorthWaitingFor()', () => {
    it('is false for an answer below the minimum age', () => {
      keep('src_1');
      assert.ok(!planner.isWorthWaitingFor('src_1', 14_999));
      assert.ok(planner.isWorthWaitingFor('src_1', 15_000));
    });

    it('is true only for the source that would be refreshed next', () => {
      for (const id of ['src_many', 'src_few']) keep(id);
      seeViews('src_many', { from: 0, to: 60_000, gapMs: 100 });
      seeViews('src_few', { from: 0, to: 60_000, gapMs: 10_000 });
      assert.equal(planner.next(60_000, { ...tokens, left: 1 }), undefined);
      assert.ok(planner.isWorthWaitingFor('src_many', 60_000));
      assert.ok(!planner.isWorthWaitingFor('src_few', 60_000));
    });

    it('is true for a rarely viewed source’s old answer if no other source is due', () => {
      for (const id of ['src_many', 'src_rare']) keep(id);
      seeViews('src_many', { from: 0, to: 60_000, gapMs: 100 });
      keep('src_many', 60_000);
      planner.next(60_000, tokens);
      planner.recordView('src_rare', 60_000);
      assert.ok(planner.isWorthWaitingFor('src_rare', 60_000));
    });
  });

  it('retries the source with the oldest failure first', () => {
    seeViews('src_viewed', { from: 0, to: 60_000, gapMs: 100 });
    for (const [id, at] of [
      ['src_late', 200],
      ['src_early', 100],
    ] as const) {
      planner.recordView(id, 0);
      planner.recordFailure(id, at);
    }
    assert.equal(planner.next(60_000, tokens), 'src_early');
    assert.equal(
      planner.next(60_000, tokens, (id) => id !== 'src_early'),
      'src_late',
    );
  });

  describe('explain()', () => {
    it('returns the facts for the next refresh', () => {
      seeViews('src_1', { from: 0, to: 600_000, gapMs: 10_000 });
      keep('src_1', 600_000);
      assert.equal(planner.explain('src_1', 600_000)?.nextRefreshAt, 615_000);
      const facts = planner.explain('src_1', 630_000);
      assert.ok(facts && Math.abs(facts.viewsPerMinute - 6) < 1.5);
      assert.equal(facts.nextRefreshAt, 630_000);
    });
  });
});
