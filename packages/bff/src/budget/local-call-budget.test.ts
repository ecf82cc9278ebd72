import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { maxInAnyWindow } from '../testing/arrivals.ts';
import { describeBudgetRule } from '../testing/budget-rule.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { coldStartPace, LocalCallBudget, type LocalCallBudgetOptions, SlidingWindowLog } from './local-call-budget.ts';

function openBudget(options: Partial<LocalCallBudgetOptions> = {}) {
  const clock = createVirtualClock();
  const budget = { clock, limit: 60, windowMs: 60_000, reserve: 15, callMs: 5_000 };
  return { clock, callBudget: new LocalCallBudget({ ...budget, ...options }) };
}

describe('LocalCallBudget', () => {
  describeBudgetRule(async () => {
    const { clock, callBudget } = openBudget({ pace: { callsPerMs: 45 / 60_000, burst: 15 } });
    await clock.advance(600_000);
    return { clock, callBudget, status: async () => callBudget.status() };
  });

  describe('after a start', () => {
    it('sends the first call after one interval, and reports that it is starting', async () => {
      const { clock, callBudget } = openBudget();
      const acquired = await callBudget.acquire('src_1');
      assert.deepEqual(acquired, { kind: 'denied', reason: 'starting', retryInMs: 1_429 });
      assert.equal(callBudget.status().starting, true);
      await clock.advance(1_429);
      const first = await callBudget.acquire('src_1');
      assert.equal(first.kind === 'granted' && first.permit.expiresAt, clock.now() + 2_000);
      assert.equal((await callBudget.acquire('src_2')).kind, 'denied');
    });

    for (const [what, window, left] of [
      [
        'allows a burst once the upstream has reported that only few calls were made',
        { remaining: 59, resetInMs: 60_000 },
        8,
      ],
      [
        'allows no further call if the upstream has reported that many calls were made',
        { remaining: 14, resetInMs: 2_000 },
        0,
      ],
    ] as const)
      it(what, async () => {
        const { clock, callBudget } = openBudget();
        await clock.advance(1_429);
        const acquired = await callBudget.acquire('src_1');
        assert.ok(acquired.kind === 'granted');
        callBudget.settle(acquired.permit, { fate: 'answered', window: { limit: 60, ...window } });
        const status = callBudget.status();
        assert.deepEqual([status.left, status.starting], [left, false]);
      });
  });
});

describe('LocalCallBudget after a restart', () => {
  /** A call whose answer reports how many calls are left in the window. */
  async function callWith(callBudget: LocalCallBudget, remaining: number): Promise<void> {
    const acquired = await callBudget.acquire('src_1');
    assert.ok(acquired.kind === 'granted');
    callBudget.settle(acquired.permit, { fate: 'answered', window: { limit: 60, remaining, resetInMs: 60_000 } });
  }

  it('doesn’t count the previous process’s calls as other users’ calls', async () => {
    const { clock, callBudget } = openBudget();
    await clock.advance(1_429);
    await callWith(callBudget, 19);
    const { others, earlier, capacity } = callBudget.status();
    assert.deepEqual([others, earlier, capacity], [0, 40, 14]);
    await clock.advance(60_000);
    assert.deepEqual([callBudget.status().others, callBudget.status().earlier], [0, 0]);
  });

  it('reports other users’ calls once its own calls cover the whole window', async () => {
    const { clock, callBudget } = openBudget();
    await clock.advance(126_000);
    await callWith(callBudget, 19);
    assert.deepEqual([callBudget.status().others, callBudget.status().earlier], [40, 0]);
  });
});

describe('coldStartPace()', () => {
  it('keeps the sum of two bursts and one window of steady calls within the limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 2_000 }), fc.double({ min: 0, max: 0.99, noNaN: true }), (limit, share) => {
        const { callsPerMs, burst } = coldStartPace({ limit, reserve: Math.floor(share * limit), windowMs: 60_000 });
        assert.ok(2 * burst + callsPerMs * 60_000 <= limit + 1e-6);
      }),
    );
  });
});

describe('SlidingWindowLog', () => {
  it('never exceeds the upstream’s limit, regardless of how long calls are under way', () => {
    const call = fc.record({
      gapMs: fc.integer({ min: 0, max: 3_000 }),
      tripMs: fc.integer({ min: 0, max: 20_000 }),
      arrivesAt: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 300 }), fc.integer({ min: 1, max: 20 }), (calls, capacity) => {
        const log = new SlidingWindowLog(10_000);
        const arrivals: number[] = [];
        const open: { id: number; endsAt: number }[] = [];
        let now = 0;
        for (const [id, { gapMs, tripMs, arrivesAt }] of calls.entries()) {
          now += gapMs;
          for (const ended of open.filter(({ endsAt }) => endsAt <= now)) log.settle(ended.id, ended.endsAt);
          if (log.retryInMs(now, capacity) !== 0) continue;
          log.add(id, now + 20_000);
          arrivals.push(now + arrivesAt * tripMs);
          open.push({ id, endsAt: now + tripMs });
        }
        assert.ok(maxInAnyWindow(arrivals, 10_000) <= capacity);
      }),
    );
  });
});
