import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ClockOffset } from './clock-offset.ts';

const AHEAD_MS = 1_000_000;

describe('ClockOffset', () => {
  it('knows nothing before the first reply', () => {
    assert.equal(new ClockOffset().ms, undefined);
  });

  it('learns how far the other clock is ahead, best from quick replies', () => {
    const offset = new ClockOffset();
    offset.heard(AHEAD_MS + 50, 0, 400);
    offset.heard(AHEAD_MS + 1_000, 1_000, 1_001);
    assert.ok(Math.abs((offset.ms ?? 0) - AHEAD_MS) <= 2);
  });

  it('takes no slow reply for a clock that was set, however slow', () => {
    const trip = fc.record({ waitMs: fc.nat(5_000), outMs: fc.nat(20_000), backMs: fc.nat(20_000) });
    fc.assert(
      fc.property(fc.array(trip, { minLength: 1, maxLength: 20 }), (trips) => {
        const offset = new ClockOffset();
        let now = 0;
        for (const { waitMs, outMs, backMs } of trips) {
          const sentAt = now + waitMs;
          now = sentAt + outMs + backMs;
          assert.equal(offset.heard(Math.floor(AHEAD_MS + sentAt + outMs), sentAt, now), 'runs');
          assert.ok((offset.mostMs ?? 0) >= AHEAD_MS - 2);
        }
      }),
    );
  });

  for (const [byMs, news] of [
    [300, 'was-set-ahead'],
    [-300, 'was-set-back'],
    [300_000, 'was-set-ahead'],
  ] as const)
    it(`notices that the other clock was set by ${byMs} ms, and goes on from there`, () => {
      const offset = new ClockOffset();
      offset.heard(AHEAD_MS, 0, 2);
      assert.equal(offset.heard(AHEAD_MS + 1_000 + byMs, 1_000, 1_002), news);
      assert.equal(offset.heard(AHEAD_MS + 2_000 + byMs, 2_000, 2_002), 'runs');
      assert.ok(Math.abs((offset.ms ?? 0) - AHEAD_MS - byMs) <= 2);
    });
});
