import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { absoluteTime, relativeTime } from './format-date.ts';

const NOW = Date.parse('2026-05-08T12:00:00Z');

describe('relativeTime()', () => {
  for (const [secondsAgo, words] of [
    [-90, 'now'],
    [-300, 'now'],
    [-301, 'May 8, 2026'],
    [-400 * 86_400, 'Jun 12, 2027'],
    [0, 'now'],
    [59, 'now'],
    [60, '1 minute ago'],
    [7_199, '119 minutes ago'],
    [7_200, '2 hours ago'],
    [47.5 * 3_600, '47 hours ago'],
    [48 * 3_600, '2 days ago'],
    [54 * 86_400, '54 days ago'],
    [17.4 * 2_629_800, '17 months ago'],
    [800 * 86_400, '2 years ago'],
  ] as const) {
    it(`returns "${words}" after ${secondsAgo} s`, () => {
      assert.equal(relativeTime(new Date(NOW - secondsAgo * 1_000).toISOString(), 'en', NOW), words);
    });
  }

  it('uses each language’s plural forms', () => {
    const at = (hours: number) => relativeTime(new Date(NOW - hours * 3_600_000).toISOString(), 'pl', NOW);
    assert.deepEqual([at(1 / 60), at(2), at(5)], ['1 minutę temu', '2 godziny temu', '5 godzin temu']);
  });
});

describe('absoluteTime()', () => {
  it('returns a date and a time in words, in the reader’s time zone', () =>
    assert.equal(absoluteTime('2026-05-08T12:00:00', 'de'), '8. Mai 2026 um 12:00'));
});
