import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceRecord } from './source-record.ts';

const HOUR = 3_600_000;

describe('SourceRecord', () => {
  it('takes an answer to be as old as its question', () => {
    const record = new SourceRecord(0);
    record.asked(1_000);
    record.refreshed(1_800, true);
    assert.equal(record.refreshedAt, 1_000);
    assert.equal(record.ageMs(2_000), 1_000);
  });

  it('takes an answer that nobody asked for, as from before a restart, to be of its own time', () => {
    const record = new SourceRecord(0);
    record.refreshed(500, false);
    assert.equal(record.refreshedAt, 500);
  });

  it('learns nothing of changes from its first answer, which has none before it', () => {
    const record = new SourceRecord(0);
    const before = record.changesPerMs;
    record.refreshed(HOUR, true);
    assert.equal(record.changesPerMs, before);
    record.refreshed(2 * HOUR, false);
    assert.ok(record.changesPerMs < before);
  });

  it('is worth everything and stale beyond measure before the first answer', () => {
    const record = new SourceRecord(0);
    assert.deepEqual([record.ageMs(5), record.worth(5), record.staleness(5)], [Infinity, Infinity, Infinity]);
  });

  it('gives an answer up that does not come within a minute', () => {
    const record = new SourceRecord(0);
    record.asked(0);
    assert.ok(record.isBeingAsked(59_999));
    assert.ok(!record.isBeingAsked(60_000));
  });

  it('may be refreshed at the least age while it is seen, once an hour later on, and then not at all', () => {
    const record = new SourceRecord(0);
    record.refreshed(0, false);
    record.sawView(0);
    assert.equal(record.leastAgeMs(HOUR / 2 - 1, 15_000), 15_000);
    assert.equal(record.leastAgeMs(HOUR / 2, 15_000), HOUR);
    assert.equal(record.leastAgeMs(24 * HOUR, 15_000), Infinity);
  });

  it('counts as seen for as long as a live stream shows it, and from its end', () => {
    const record = new SourceRecord(0);
    record.watchedBy(1, 0);
    assert.ok(record.isSeen(100 * HOUR, 1));
    record.watchedBy(0, 100 * HOUR);
    assert.ok(record.isSeen(100 * HOUR, 1));
    assert.ok(!record.isSeen(100 * HOUR + 1, 1));
  });

  it('rests for as long as the longest reason says', () => {
    const record = new SourceRecord(0);
    record.restUntil(60_000);
    record.failed(0, 60_000);
    assert.ok(!record.isResting(60_000));
    record.restUntil(90_000);
    record.restUntil(70_000);
    assert.ok(record.isResting(89_999) && !record.isResting(90_000));
    record.rested();
    assert.ok(!record.isResting(80_000));
  });
});
