import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceStats } from './source-stats.ts';

const HOUR = 3_600_000;

describe('SourceStats', () => {
  it('takes an answer to be as old as its question', () => {
    const stats = new SourceStats(0);
    stats.recordAttempt(1_000);
    stats.recordRefresh(1_800, true);
    assert.equal(stats.refreshedAt, 1_000);
    assert.equal(stats.ageMs(2_000), 1_000);
  });

  it('takes an answer that nobody asked for, as from before a restart, to be of its own time', () => {
    const stats = new SourceStats(0);
    stats.recordRefresh(500, false);
    assert.equal(stats.refreshedAt, 500);
  });

  it('learns nothing of changes from its first answer, which has none before it', () => {
    const stats = new SourceStats(0);
    const before = stats.changesPerMs;
    stats.recordRefresh(HOUR, true);
    assert.equal(stats.changesPerMs, before);
    stats.recordRefresh(2 * HOUR, false);
    assert.ok(stats.changesPerMs < before);
  });
});

/** Views every `gapMs` from `from` until `to`. */
function seeViews(rate: SourceStats, { from, to, gapMs }: { from: number; to: number; gapMs: number }): void {
  for (let at = from; at < to; at += gapMs) rate.recordView(at);
}

function assertGap(rate: SourceStats, now: number, gapMs: number, share: number): void {
  const estimate = 1 / rate.viewsPerMs(now);
  assert.ok(Math.abs(estimate / gapMs - 1) < share, `estimated a view in ${estimate} ms, not in ${gapMs} ms`);
}

describe('SourceStats.viewsPerMs()', () => {
  it('does not take one view for a rush', () => {
    const rate = new SourceStats(0);
    rate.recordView(0);
    assertGap(rate, 0, 60_000, 1e-9);
  });

  it('learns how often readers come, be it every second or every ten minutes', () => {
    for (const gapMs of [1_000, 60_000, 600_000]) {
      const rate = new SourceStats(0);
      seeViews(rate, { from: 0, to: 200 * gapMs, gapMs });
      assertGap(rate, 200 * gapMs, gapMs, 0.15);
    }
  });

  it('notices a rush within a few dozen views', () => {
    const rate = new SourceStats(0);
    seeViews(rate, { from: 0, to: 3_600_000, gapMs: 60_000 });
    seeViews(rate, { from: 3_600_000, to: 3_660_000, gapMs: 1_000 });
    assert.ok(rate.viewsPerMs(3_660_000) > 1 / 20_000);
    seeViews(rate, { from: 3_660_000, to: 3_780_000, gapMs: 1_000 });
    assertGap(rate, 3_780_000, 1_000, 0.5);
  });

  it('forgets the rush once it has gone', () => {
    const rate = new SourceStats(0);
    seeViews(rate, { from: 0, to: 600_000, gapMs: 1_000 });
    assert.ok(rate.viewsPerMs(1_200_000) < 1 / 20_000);
  });

  it('stands a clock that jumps back', () => {
    const rate = new SourceStats(1_000);
    rate.recordView(500);
    assert.ok(Number.isFinite(rate.viewsPerMs(0)) && rate.viewsPerMs(0) > 0);
  });
});
