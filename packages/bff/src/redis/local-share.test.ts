import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { mostInAnyWindow } from '../testing/arrivals.ts';
import { LocalShare, poolOf } from './local-share.ts';

const WINDOW_MS = 60_000;
const open = (): LocalShare => new LocalShare({ limit: 60, windowMs: WINDOW_MS, startedAt: 0 });
const answered = { fate: 'answered' } as const;

function spendFor(share: LocalShare, fromMs: number, forMs: number): number[] {
  const calls: number[] = [];
  for (let now = fromMs; now < fromMs + forMs; now += 100)
    if (share.roomInMs(now) <= 0) {
      calls.push(now);
      share.granted(now, now);
      share.settled(now, now + 50);
      share.heard(answered, calls.length, now + 50);
    }
  return calls;
}

describe('LocalShare', () => {
  it('has one call a window before anything was told, and not at once', () => {
    const calls = spendFor(open(), 0, 5 * WINDOW_MS);
    assert.ok((calls[0] ?? 0) >= WINDOW_MS - 100);
    assert.equal(mostInAnyWindow(calls, WINDOW_MS), 1);
  });

  it('spends what was told and no more in any window, some of it at once', () => {
    const share = open();
    share.told(4, 0);
    assert.equal(share.budget(0).left, 2);
    const calls = spendFor(share, 0, 5 * WINDOW_MS);
    assert.equal(mostInAnyWindow(calls, WINDOW_MS), 4);
  });

  it('never spends more than the most that was told, whatever is told when', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(12), fc.integer({ min: 100, max: 50_000 })), { maxLength: 12 }), (told) => {
        const share = open();
        const calls: number[] = [];
        let now = 0;
        for (const [most, forMs] of told) {
          share.told(most, now);
          calls.push(...spendFor(share, now, forMs));
          now += forMs;
        }
        const most = Math.max(1, ...told.map(([each]) => each));
        assert.ok(mostInAnyWindow(calls, WINDOW_MS) <= most);
      }),
    );
  });

  it('makes no call where it was told that there is none for it', () => {
    const share = open();
    share.told(0, 0);
    assert.deepEqual(spendFor(share, 0, 3 * WINDOW_MS), []);
  });

  it('falls back to one call where it was told an hour ago', () => {
    const share = open();
    share.told(4, 0);
    assert.equal(share.budget(3_550_000).capacity, 1);
  });

  it('respects a 429, as everybody does', () => {
    const share = open();
    share.told(4, 0);
    share.heard({ fate: 'answered', rateLimited: { retryAfterMs: 7_000 } }, 1, 0);
    assert.equal(share.roomInMs(1_000), 6_000);
    assert.equal(share.budget(1_000).left, 0);
  });
});

describe('poolOf()', () => {
  it('leaves a fifth to instances that were told nothing', () => {
    assert.deepEqual([poolOf(15), poolOf(1), poolOf(0)], [12, 0, 0]);
  });
});
