import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ViewRate } from './view-rate.ts';

/** Views every `gapMs` from `from` until `to`. */
function seeViews(rate: ViewRate, { from, to, gapMs }: { from: number; to: number; gapMs: number }): void {
  for (let at = from; at < to; at += gapMs) rate.recordView(at);
}

function assertGap(rate: ViewRate, now: number, gapMs: number, share: number): void {
  const estimate = 1 / rate.perMs(now);
  assert.ok(Math.abs(estimate / gapMs - 1) < share, `estimated a view in ${estimate} ms, not in ${gapMs} ms`);
}

describe('ViewRate', () => {
  it('knows no view before the first', () => {
    assert.equal(new ViewRate(0).perMs(60_000), 0);
  });

  it('does not take one view for a rush', () => {
    const rate = new ViewRate(0);
    rate.recordView(0);
    assertGap(rate, 0, 60_000, 1e-9);
  });

  it('learns how often readers come, be it every second or every ten minutes', () => {
    for (const gapMs of [1_000, 60_000, 600_000]) {
      const rate = new ViewRate(0);
      seeViews(rate, { from: 0, to: 200 * gapMs, gapMs });
      assertGap(rate, 200 * gapMs, gapMs, 0.15);
    }
  });

  it('notices a rush within a few dozen views', () => {
    const rate = new ViewRate(0);
    seeViews(rate, { from: 0, to: 3_600_000, gapMs: 60_000 });
    seeViews(rate, { from: 3_600_000, to: 3_660_000, gapMs: 1_000 });
    assert.ok(rate.perMs(3_660_000) > 1 / 20_000);
    seeViews(rate, { from: 3_660_000, to: 3_780_000, gapMs: 1_000 });
    assertGap(rate, 3_780_000, 1_000, 0.5);
  });

  it('forgets the rush once it has gone', () => {
    const rate = new ViewRate(0);
    seeViews(rate, { from: 0, to: 600_000, gapMs: 1_000 });
    assert.ok(rate.perMs(1_200_000) < 1 / 20_000);
  });

  it('counts every open live stream as a reader who looks twice a minute', () => {
    const rate = new ViewRate(0);
    rate.setWatchers(3);
    assert.equal(rate.perMs(0), 3 / 30_000);
    rate.setWatchers(0);
    assert.equal(rate.perMs(0), 0);
  });

  it('stands a clock that jumps back', () => {
    const rate = new ViewRate(1_000);
    rate.recordView(500);
    assert.ok(Number.isFinite(rate.perMs(0)) && rate.perMs(0) > 0);
  });
});
