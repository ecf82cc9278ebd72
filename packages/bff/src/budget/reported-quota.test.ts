import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RateLimitHeaders } from './call-budget.ts';
import { ReportedQuota } from './reported-quota.ts';

const WINDOW_MS = 60_000;
const RESERVE = 15;

const nothing: RateLimitHeaders = { limit: undefined, remaining: undefined, resetInMs: undefined };

function openWindow(windowMs = WINDOW_MS) {
  return new ReportedQuota({ limit: 60, windowMs });
}

describe('ReportedQuota (T-28)', () => {
  describe('when the upstream reports a lower limit', () => {
    for (const [limit, capacity] of [
      [45, 30],
      [16, 1],
      [15, 1],
      [1, 1],
      [600, 45],
    ] as const)
      it(`leaves ${capacity} own calls of a limit of ${limit}`, () => {
        const window = openWindow();
        window.update({ ...nothing, limit }, 0, 0);
        assert.equal(window.capacity(0, RESERVE), capacity);
      });

    it('forgets it after a window', () => {
      const window = openWindow();
      window.update({ ...nothing, limit: 1, resetInMs: 3_600_000 }, 0, 0);
      assert.equal(window.capacity(WINDOW_MS - 1, RESERVE), 1);
      assert.equal(window.capacity(WINDOW_MS, RESERVE), 45);
    });

    it('lets calls leave one by one afterwards, until an answer says whether it still holds', () => {
      const window = openWindow();
      window.update({ ...nothing, limit: 30 }, 0, 0);
      assert.equal(window.isUncertain(WINDOW_MS - 1), false);
      assert.equal(window.isUncertain(WINDOW_MS), true);
      window.update({ ...nothing, limit: 30 }, 0, WINDOW_MS);
      window.recordSuccess(WINDOW_MS);
      assert.deepEqual([window.isUncertain(WINDOW_MS), window.capacity(WINDOW_MS, RESERVE)], [false, 15]);
      window.recordSuccess(2 * WINDOW_MS);
      assert.deepEqual([window.isUncertain(2 * WINDOW_MS), window.capacity(2 * WINDOW_MS, RESERVE)], [false, 45]);
    });

    it('takes a higher one again at once', () => {
      const window = openWindow();
      window.update({ ...nothing, limit: 20 }, 0, 0);
      window.update({ ...nothing, limit: 60 }, 0, 1);
      assert.equal(window.capacity(1, RESERVE), 45);
    });
  });

  describe('when calls of others count in the window', () => {
    it('leaves one call a window at the least', () => {
      const window = openWindow();
      window.update({ limit: 60, remaining: 1, resetInMs: 60_000 }, 0, 0);
      assert.equal(window.capacity(0, RESERVE), 1);
    });

    it('counts them for a whole window, for a sliding window resets with its oldest call', () => {
      const window = openWindow();
      window.update({ limit: 60, remaining: 20, resetInMs: 1_000 }, 0, 0);
      assert.equal(window.others(WINDOW_MS - 1), 40);
      assert.equal(window.others(WINDOW_MS), 0);
    });
  });

  describe('when calls are paused', () => {
    it('pauses for a window at the most, whatever it is told', () => {
      const paused = [
        (window: ReportedQuota) => window.update({ limit: 60, remaining: 0, resetInMs: 3_600_000 }, 0, 0),
        (window: ReportedQuota) => window.recordRateLimit(86_400_000, undefined, 0),
        (window: ReportedQuota) => window.recordRateLimit(undefined, 3_600_000, 0),
      ];
      for (const pause of paused) {
        const window = openWindow(10_000);
        pause(window);
        assert.equal(window.pausedForMs(0), 10_000);
      }
    });
  });

  it('never holds all calls back for longer than a window, whatever headers come', () => {
    const count = fc.option(fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 1_000_000 })), {
      nil: undefined,
    });
    const facts = fc.record({ limit: count, remaining: count, resetInMs: count });
    const answer = fc.record({ facts, isLimited: fc.boolean(), gapMs: fc.integer({ min: 0, max: 90_000 }) });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 30 }), fc.nat({ max: 59 }), (answers, reserve) => {
        const window = openWindow();
        let now = 0;
        for (const { facts: said, isLimited, gapMs } of answers) {
          now += gapMs;
          window.update(said, 0, now);
          if (isLimited) window.recordRateLimit(said.resetInMs, said.resetInMs, now);
          assert.ok(window.capacity(now, reserve) >= 1);
          assert.ok(window.pausedForMs(now) <= WINDOW_MS);
        }
        assert.equal(window.capacity(now + WINDOW_MS, reserve), 60 - reserve);
        assert.equal(window.pausedForMs(now + WINDOW_MS), 0);
      }),
    );
  });
});
