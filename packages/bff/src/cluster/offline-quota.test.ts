import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { maxInAnyWindow } from '../testing/arrivals.ts';
import { OfflineQuota, OFFLINE_INSTANCES } from './offline-quota.ts';

const WINDOW_MS = 60_000;
const RESERVE = 15;
const open = (reserve = RESERVE): OfflineQuota =>
  new OfflineQuota({ limit: 60, reserve, windowMs: WINDOW_MS, startedAt: 0 });
const answered = { fate: 'answered' } as const;

function spendFor(share: OfflineQuota, fromMs: number, forMs: number): number[] {
  const calls: number[] = [];
  for (let now = fromMs; now < fromMs + forMs; now += 100)
    if (share.retryInMsAt(now) <= 0) {
      calls.push(now);
      share.add(now, now);
      share.settle(now, now + 50);
      share.recordResult(answered, calls.length, now + 50);
    }
  return calls;
}

describe('OfflineQuota', () => {
  it('spends a fifth of the reserve in each window, one call after the other', () => {
    const calls = spendFor(open(), 0, 5 * WINDOW_MS);
    assert.equal(maxInAnyWindow(calls, WINDOW_MS), RESERVE / OFFLINE_INSTANCES);
    assert.ok(calls.length >= 14);
  });

  it('spends no more over restarts, however often the process is killed', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 100, max: 90_000 }), { minLength: 1, maxLength: 12 }), (livesMs) => {
        const calls: number[] = [];
        let startedAt = 0;
        for (const lifeMs of livesMs) {
          const share = new OfflineQuota({ limit: 60, reserve: RESERVE, windowMs: WINDOW_MS, startedAt });
          calls.push(...spendFor(share, startedAt, lifeMs));
          startedAt += lifeMs;
        }
        assert.ok(maxInAnyWindow(calls, WINDOW_MS) <= RESERVE / OFFLINE_INSTANCES);
      }),
    );
  });

  it('makes no call where there are more instances than the reserve is divided among', () => {
    const share = open();
    share.recordInstances(OFFLINE_INSTANCES + 1);
    assert.equal(share.budget(0).capacity, 0);
    assert.deepEqual(spendFor(share, 0, 3 * WINDOW_MS), []);
  });

  it('makes no call where the reserve is smaller than the number of instances it is divided among', () => {
    assert.deepEqual(spendFor(open(OFFLINE_INSTANCES - 1), 0, 3 * WINDOW_MS), []);
  });

  it('respects a 429, as everybody does', () => {
    const share = open();
    share.recordResult({ fate: 'answered', rateLimited: { retryAfterMs: 7_000 } }, 1, 0);
    assert.equal(share.retryInMsAt(1_000), 6_000);
    assert.equal(share.budget(1_000).left, 0);
  });
});
