import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIST_ID, RefreshPlanner } from './refresh-planner.ts';

const options = { windowMs: 60_000, minAgeMs: 15_000 };
const tokens = { left: 9, maxLeft: 9, capacity: 45 };

/** A source with an answer of `at`. */
function keep(planner: RefreshPlanner, id: string, at = 0): void {
  planner.recordAttempt(id, at);
  planner.recordRefresh(id, at, { changed: false });
}

/** Readers of `id` every `gapMs`. */
function seeViews(
  planner: RefreshPlanner,
  id: string,
  { from, to, gapMs }: { from: number; to: number; gapMs: number },
): void {
  for (let at = from; at < to; at += gapMs) planner.recordView(id, at);
}

/** Answers at once to whatever the planner wants, twice a second; gives the ids asked for. */
function runTicks(planner: RefreshPlanner, { from, to }: { from: number; to: number }): string[] {
  const asked: string[] = [];
  for (let at = from; at < to; at += 500) {
    for (let next = planner.next(at, tokens); next; next = planner.next(at, tokens)) {
      asked.push(next);
      planner.recordAttempt(next, at);
      planner.recordRefresh(next, at, { changed: asked.length % 10 === 0 });
    }
  }
  return asked;
}

describe('RefreshPlanner', () => {
  describe('with calls to spare', () => {
    it('refreshes a viewed source as soon as it is older than the least age', () => {
      const planner = new RefreshPlanner(options);
      planner.recordView('src_1', 0);
      keep(planner, 'src_1');
      assert.equal(planner.next(14_999, tokens), undefined);
      assert.deepEqual(planner.next(15_000, tokens), 'src_1');
    });

    it('keeps every source of a small account as young as it may', () => {
      const planner = new RefreshPlanner(options);
      for (const id of ['src_1', 'src_2', 'src_3']) keep(planner, id);
      for (const id of ['src_1', 'src_2', 'src_3']) seeViews(planner, id, { from: 0, to: 300_000, gapMs: 20_000 });
      assert.equal(runTicks(planner, { from: 0, to: 300_000 }).length, 3 * 19);
    });
  });

  describe('next()', () => {
    it('asks first for what was never asked for', () => {
      const planner = new RefreshPlanner(options);
      seeViews(planner, 'src_1', { from: 0, to: 60_000, gapMs: 100 });
      keep(planner, 'src_1');
      planner.recordView('src_new', 60_000);
      assert.equal(planner.next(60_000, tokens), 'src_new');
    });

    it('prefers the source with more readers, and of two alike the older copy', () => {
      const planner = new RefreshPlanner(options);
      for (const id of ['src_1', 'src_2', 'src_3']) keep(planner, id);
      seeViews(planner, 'src_1', { from: 0, to: 60_000, gapMs: 10_000 });
      seeViews(planner, 'src_2', { from: 0, to: 60_000, gapMs: 1_000 });
      assert.equal(planner.next(60_000, tokens), 'src_2');
      seeViews(planner, 'src_3', { from: 0, to: 60_000, gapMs: 1_000 });
      keep(planner, 'src_2', 20_000);
      assert.equal(planner.next(60_000, tokens), 'src_3');
    });

    it('prefers the source that changes, of two with the same readers', () => {
      const planner = new RefreshPlanner(options);
      for (let at = 0; at <= 600_000; at += 30_000) {
        for (const id of ['src_still', 'src_lively']) {
          planner.recordView(id, at);
          planner.recordAttempt(id, at);
          planner.recordRefresh(id, at, { changed: id === 'src_lively' });
        }
      }
      assert.equal(planner.next(700_000, tokens), 'src_lively');
    });

    it('plans the list by the same rule', () => {
      const planner = new RefreshPlanner(options);
      keep(planner, LIST_ID);
      planner.recordView(LIST_ID, 1_000);
      assert.equal(planner.next(20_000, tokens), LIST_ID);
    });

    it('asks for no source twice at once, nor gives up one whose answer is lost', () => {
      const planner = new RefreshPlanner(options);
      planner.recordView('src_1', 0);
      planner.recordAttempt('src_1', 0);
      assert.equal(planner.next(30_000, tokens), undefined);
      assert.equal(planner.next(61_000, tokens), 'src_1');
    });

    it('leaves the last third of a burst to readers who wait', () => {
      const planner = new RefreshPlanner(options);
      planner.recordView('src_1', 0);
      const leftOf = [3, 4].map((left) => planner.next(0, { ...tokens, left }));
      assert.deepEqual(leftOf, [undefined, 'src_1']);
    });

    it('spends the one call that a small budget can have', () => {
      const planner = new RefreshPlanner(options);
      planner.recordView('src_1', 0);
      assert.equal(planner.next(0, { left: 1, maxLeft: 1, capacity: 1 }), 'src_1');
    });

    it('never asks for an answer younger than the least age, and never out of turn', () => {
      const step = fc.record({ id: fc.constantFrom('a', 'b', 'c'), waitMs: fc.nat(20_000), left: fc.nat(9) });
      fc.assert(
        fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
          const planner = new RefreshPlanner(options);
          const refreshedAt = new Map<string, number>();
          let now = 0;
          for (const { id, waitMs, left } of steps) {
            now += waitMs;
            planner.recordView(id, now);
            const next = planner.next(now, { ...tokens, left });
            if (next === undefined) continue;
            assert.ok(left >= 1 && now - (refreshedAt.get(next) ?? -Infinity) >= options.minAgeMs);
            keep(planner, next, now);
            refreshedAt.set(next, now);
          }
        }),
      );
    });
  });

  describe('where nobody looks', () => {
    it('asks nothing for a source that was never seen', () => {
      const planner = new RefreshPlanner(options);
      keep(planner, 'src_1');
      assert.deepEqual(runTicks(planner, { from: 0, to: 600_000 }), []);
    });

    it('asks once an hour at most after half an hour with no reader, and never after a day', () => {
      const planner = new RefreshPlanner(options);
      keep(planner, 'src_1');
      seeViews(planner, 'src_1', { from: 0, to: 600_000, gapMs: 5_000 });
      runTicks(planner, { from: 0, to: 600_000 + 1_800_000 });
      assert.ok(runTicks(planner, { from: 2_400_000, to: 2_400_000 + 23 * 3_600_000 }).length <= 23);
      assert.deepEqual(runTicks(planner, { from: 90_000_000, to: 100_000_000 }), []);
    });
  });

  describe('isWorthWaitingFor()', () => {
    it('lets a reader wait for what was never asked for', () => {
      const planner = new RefreshPlanner(options);
      assert.ok(planner.isWorthWaitingFor('src_1', 0));
      planner.recordView('src_1', 0);
      assert.ok(planner.isWorthWaitingFor('src_1', 0));
    });

    it('lets nobody wait for a copy that is young', () => {
      const planner = new RefreshPlanner(options);
      keep(planner, 'src_1');
      assert.ok(!planner.isWorthWaitingFor('src_1', 14_999));
      assert.ok(planner.isWorthWaitingFor('src_1', 15_000));
    });

    it('lets the reader wait whose source is next, and no other', () => {
      const planner = new RefreshPlanner(options);
      for (const id of ['src_many', 'src_few']) keep(planner, id);
      seeViews(planner, 'src_many', { from: 0, to: 60_000, gapMs: 100 });
      seeViews(planner, 'src_few', { from: 0, to: 60_000, gapMs: 10_000 });
      assert.equal(planner.next(60_000, { ...tokens, left: 1 }), undefined);
      assert.ok(planner.isWorthWaitingFor('src_many', 60_000));
      assert.ok(!planner.isWorthWaitingFor('src_few', 60_000));
    });

    it('lets the rare reader of an old copy wait where nothing else is due', () => {
      const planner = new RefreshPlanner(options);
      for (const id of ['src_many', 'src_rare']) keep(planner, id);
      seeViews(planner, 'src_many', { from: 0, to: 60_000, gapMs: 100 });
      keep(planner, 'src_many', 60_000);
      planner.next(60_000, tokens);
      planner.recordView('src_rare', 60_000);
      assert.ok(planner.isWorthWaitingFor('src_rare', 60_000));
    });
  });

  it('passes over a source that may not be refreshed, and turns to the others', () => {
    const planner = new RefreshPlanner(options);
    for (const id of ['src_1', 'src_2']) planner.recordView(id, 0);
    assert.equal(
      planner.next(0, tokens, (id) => id !== 'src_1'),
      'src_2',
    );
    assert.ok(planner.next(0, tokens));
  });

  describe('with sources whose last call failed', () => {
    /** Lets each retry fail for `forMs`, twice a second; returns when each source was retried. */
    function failRetries(planner: RefreshPlanner, forMs: number): { id: string; at: number }[] {
      const retries: { id: string; at: number }[] = [];
      for (let at = 0; at < forMs; at += 500)
        for (let next = planner.next(at, tokens); next; next = planner.next(at, tokens)) {
          retries.push({ id: next, at });
          planner.recordAttempt(next, at);
          planner.recordFailure(next, at);
        }
      return retries;
    }

    function failingSources(count: number): RefreshPlanner {
      const planner = new RefreshPlanner(options);
      for (let source = 0; source < count; source += 1) {
        planner.recordView(`src_${source}`, 0);
        planner.recordFailure(`src_${source}`, 0);
      }
      return planner;
    }

    for (const count of [1, 25, 90])
      it(`spends a quarter of the calls on them at most: ${count} fail`, () => {
        const retries = failRetries(failingSources(count), 600_000);
        assert.ok(
          retries.length > 90 && retries.length <= 1 + (10 * 45) / 4,
          `${retries.length} retries in ten minutes`,
        );
      });

    it('retries them in turn', () => {
      const retried = failRetries(failingSources(30), 600_000).map(({ id }) => id);
      assert.equal(new Set(retried.slice(30, 60)).size, 30);
    });

    it('retries the next one at once where one answers', () => {
      const planner = failingSources(2);
      planner.recordAttempt('src_0', 0);
      planner.recordRefresh('src_0', 100, { changed: false });
      assert.equal(planner.next(100, tokens), 'src_1');
      planner.recordAttempt('src_1', 100);
      planner.recordFailure('src_1', 200);
      assert.ok(planner.isRetryHeld('src_1', 5_000));
      assert.ok(!planner.isRetryHeld('src_0', 5_000));
      assert.ok(!planner.isRetryHeld('src_1', 6_000));
    });

    it('retries by the calls that there are now, not by those that there were', () => {
      const planner = failingSources(1);
      planner.next(0, { left: 1, maxLeft: 1, capacity: 1 });
      planner.recordAttempt('src_0', 0);
      planner.recordFailure('src_0', 100);
      planner.next(60_000, { left: 0, maxLeft: 1, capacity: 1 });
      assert.ok(planner.isRetryHeld('src_0', 60_000));
      assert.equal(planner.next(61_000, tokens), 'src_0');
    });
  });

  describe('forget()', () => {
    it('drops all that was known', () => {
      const planner = new RefreshPlanner(options);
      planner.recordView('src_1', 0);
      planner.forget('src_1');
      assert.equal(planner.next(0, tokens), undefined);
      assert.equal(planner.explain('src_1', 0), undefined);
    });
  });

  describe('explain()', () => {
    it('gives the facts behind the next refresh', () => {
      const planner = new RefreshPlanner(options);
      seeViews(planner, 'src_1', { from: 0, to: 600_000, gapMs: 10_000 });
      keep(planner, 'src_1', 600_000);
      const facts = planner.explain('src_1', 630_000);
      assert.ok(facts && Math.abs(facts.viewsPerMinute - 6) < 1.5);
      assert.equal(facts.nextRefreshAt, 630_000);
    });

    it('foretells no refresh before the least age', () => {
      const planner = new RefreshPlanner(options);
      planner.recordView('src_1', 600_000);
      keep(planner, 'src_1', 600_000);
      assert.equal(planner.explain('src_1', 600_000)?.nextRefreshAt, 615_000);
    });
  });
});
