import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceStats } from './source-stats.ts';

const HOUR = 3_600_000;

describe('SourceStats', () => {
  it('learns nothing about changes from the first answer', () => {
    const [changed, same] = [new SourceStats(0), new SourceStats(0)];
    changed.recordRefresh(HOUR, true);
    same.recordRefresh(HOUR, false);
    const before = changed.staleness(2 * HOUR);
    assert.equal(same.staleness(2 * HOUR), before);
    same.recordRefresh(2 * HOUR, false);
    assert.ok(same.staleness(3 * HOUR) < before);
  });
});

describe('SourceStats.viewsPerMs()', () => {
  /** Views every `gapMs` from `from` until `to`. */
  function seeViews(stats: SourceStats, { from, to, gapMs }: { from: number; to: number; gapMs: number }): void {
    for (let at = from; at < to; at += gapMs) stats.recordView(at);
  }

  function assertGap(stats: SourceStats, now: number, gapMs: number, share: number): void {
    const estimate = 1 / stats.viewsPerMs(now);
    assert.ok(Math.abs(estimate / gapMs - 1) < share, `estimated a view in ${estimate} ms, not in ${gapMs} ms`);
  }

  for (const gapMs of [1_000, 60_000, 600_000])
    it(`estimates how often readers arrive: every ${gapMs} ms`, () => {
      const stats = new SourceStats(0);
      seeViews(stats, { from: 0, to: 200 * gapMs, gapMs });
      assertGap(stats, 200 * gapMs, gapMs, 0.15);
    });

  it('detects a rush within 180 views, but not from one view, and forgets the rush after it has ended', () => {
    const stats = new SourceStats(0);
    stats.recordView(0);
    assertGap(stats, 0, 60_000, 1e-9);
    seeViews(stats, { from: 0, to: HOUR, gapMs: 60_000 });
    seeViews(stats, { from: HOUR, to: HOUR + 180_000, gapMs: 1_000 });
    assertGap(stats, HOUR + 180_000, 1_000, 0.5);
    assert.ok(stats.viewsPerMs(HOUR + 780_000) < 1 / 20_000);
  });
});
