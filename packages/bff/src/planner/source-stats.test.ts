import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecentViews, SourceStats } from './source-stats.ts';

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

  it('gives a source without an answer the highest possible value, even before its first view', () => {
    const stats = new SourceStats(0);
    assert.deepEqual([stats.refreshValue(HOUR), stats.staleness(HOUR)], [Infinity, Infinity]);
  });
});

describe('SourceStats.dueAt()', () => {
  const MIN_AGE_MS = 15_000;

  /** A source that was viewed and refreshed at 0. */
  function refreshedSource(): SourceStats {
    const stats = new SourceStats(0);
    stats.recordView(0);
    stats.recordRefresh(0, false);
    return stats;
  }

  it('allows refreshes at the minimum age, later hourly, and finally none', () => {
    const dueAt = (now: number) => refreshedSource().dueAt(now, MIN_AGE_MS);
    assert.deepEqual([dueAt(1_000), dueAt(HOUR / 2 - 1), dueAt(HOUR / 2)], [MIN_AGE_MS, HOUR / 2 - 1, HOUR]);
    assert.deepEqual([dueAt(24 * HOUR - 1), dueAt(24 * HOUR)], [24 * HOUR - 1, null]);
  });

  it('never plans the refresh of a source that no one has viewed', () => {
    const stats = new SourceStats(0);
    assert.equal(stats.dueAt(0, MIN_AGE_MS), null);
    stats.recordRefresh(0, false);
    assert.equal(stats.dueAt(MIN_AGE_MS, MIN_AGE_MS), null);
  });
});

describe('SourceStats.isDue()', () => {
  it('is false while a call is under way, for up to a minute', () => {
    const stats = new SourceStats(0);
    stats.recordView(HOUR);
    stats.recordAttempt(HOUR);
    assert.equal(stats.isDue(HOUR, 15_000), false);
    assert.equal(stats.isDue(HOUR + 59_999, 15_000), false);
    assert.equal(stats.isDue(HOUR + 60_000, 15_000), true);
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

  it('detects a rush within 180 views, and forgets it after it has ended', () => {
    const stats = new SourceStats(0);
    stats.recordView(0);
    assertGap(stats, 0, 60_000, 1e-9);
    seeViews(stats, { from: 0, to: HOUR, gapMs: 60_000 });
    seeViews(stats, { from: HOUR, to: HOUR + 180_000, gapMs: 1_000 });
    assertGap(stats, HOUR + 180_000, 1_000, 0.5);
    assert.ok(stats.viewsPerMs(HOUR + 780_000) < 1 / 20_000);
  });
});

describe('RecentViews', () => {
  it('counts one view per client and source in each period', () => {
    const views = new RecentViews(15_000);
    assert.ok(views.isFirst('src_1', 'client_1', 15_000));
    assert.ok(!views.isFirst('src_1', 'client_1', 29_999));
    assert.ok(views.isFirst('src_1', 'client_2', 29_999));
    assert.ok(views.isFirst('src_2', 'client_1', 29_999));
    assert.ok(views.isFirst('src_1', 'client_1', 30_000));
  });

  it('counts at most 200,000 views in a period', () => {
    const views = new RecentViews(15_000);
    for (let client = 0; client < 200_000; client += 1) assert.ok(views.isFirst('src_1', String(client), 0));
    assert.ok(!views.isFirst('src_1', 'one too many', 14_999));
    assert.ok(views.isFirst('src_1', 'one too many', 15_000));
  });
});
