import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { absoluteTime, relativeTime } from './format-date.ts';

const NOW = Date.parse('2026-05-08T12:00:00Z');

describe('relativeTime()', () => {
  for (const [secondsAgo, words] of [
    [-90, 'now'],
    [0, 'now'],
    [59, 'now'],
    [60, '1 minute ago'],
    [3_599, '59 minutes ago'],
    [7_200, '2 hours ago'],
    [86_400, 'yesterday'],
    [3 * 86_400, '3 days ago'],
    [40 * 86_400, 'last month'],
    [800 * 86_400, '2 years ago'],
  ] as const) {
    it(`says "${words}" of ${secondsAgo} s`, () => {
      assert.equal(relativeTime(new Date(NOW - secondsAgo * 1_000).toISOString(), 'en', NOW), words);
    });
  }

  it('has the plurals of every language', () => {
    const at = (hours: number) => relativeTime(new Date(NOW - hours * 3_600_000).toISOString(), 'pl', NOW);
    assert.deepEqual([at(1), at(2), at(5)], ['1 godzinę temu', '2 godziny temu', '5 godzin temu']);
  });
});

describe('absoluteTime()', () => {
  it('is a date and a time in words, in the zone of the reader', () =>
    assert.equal(absoluteTime('2026-05-08T12:00:00', 'de'), '8. Mai 2026 um 12:00'));
});
