import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ReportedQuota } from './reported-quota.ts';

const WINDOW_MS = 60_000;
function openWindow(windowMs = WINDOW_MS) {
  return new ReportedQuota({ limit: 60, windowMs });
}

describe('ReportedQuota (T-28)', () => {
  it('never blocks all calls for longer than a window, regardless of the headers', () => {
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
