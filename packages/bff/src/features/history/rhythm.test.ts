import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, EVERY_DAY, IN_OFFICES, stoppingOn, withHolidays, yearOf } from '../../testing/year-of-runs.ts';
import { randomFrom } from '../../../../testkit/src/random.ts';
import { type CompletionTimes, rhythmOf, withCompletions } from './rhythm.ts';

describe('rhythmOf() over a year', () => {
  for (const [name, { usual, schedule }] of Object.entries({ ...EVERY_DAY, ...IN_OFFICES })) {
    it(`returns the usual interval of a source that is ${name} and never considers it overdue`, () => {
      const { alarms, rhythm } = yearOf(schedule, { random: randomFrom(1).even });
      assert.deepEqual([alarms, rhythm], [0, { usual, overdueSince: null }]);
    });

    it(`reports once that a source that is ${name} has stopped`, () => {
      const { alarms, rhythm } = yearOf(stoppingOn(schedule, 250), { random: randomFrom(3).even });
      assert.deepEqual([alarms, rhythm.overdueSince === null], [1, false]);
    });

    it(`doesn’t mistake a service outage for an overdue source that is ${name}`, () => {
      const isDown = (day: number) => day >= 200 && day < 204;
      assert.equal(yearOf(schedule, { random: randomFrom(4).even, isDown }).alarms, 0);
    });
  }

  for (const [name, { schedule }] of Object.entries(IN_OFFICES))
    it(`reports a source that is ${name} as overdue on at most two holidays`, () => {
      const { alarms } = yearOf(withHolidays(schedule), { random: randomFrom(2).even });
      assert.ok(alarms <= 2, String(alarms));
    });

  it('returns no usual interval for an irregular source', () => {
    const random = randomFrom(5).even;
    const { rhythm } = yearOf(() => (random() < 0.3 ? [Math.floor(random() * 24)] : []));
    assert.equal(rhythm.usual, null);
  });
});

describe('rhythmOf()', () => {
  const daily = (count: number) => Array.from({ length: count }, (_, day) => day * DAY_MS);

  for (const [what, times] of [
    ['no run', []],
    ['four runs', [0, 3, 6, 9].map((day) => day * DAY_MS)],
    ['eight runs over less than eight days', daily(8)],
  ] as const)
    it(`returns no usual interval after ${what}`, () =>
      assert.deepEqual(rhythmOf(times, 100 * DAY_MS), { usual: null, overdueSince: null }));

  it('considers a source overdue after 1.5 times its longest gap', () => {
    const due = new Date(9.5 * DAY_MS).toISOString();
    assert.equal(rhythmOf(daily(9), 9.5 * DAY_MS).overdueSince, null);
    assert.equal(rhythmOf(daily(9), 9.5 * DAY_MS + 1).overdueSince, due);
    assert.equal(rhythmOf(daily(9), 90 * DAY_MS).overdueSince, due);
  });

  for (const [what, isCounted, { gap, every, runs }] of [
    ['within the last 20 gaps', true, { gap: 4, every: 2, runs: 15 }],
    ['within the last 15 days', true, { gap: 3, every: 0.5, runs: 22 }],
    ['before both', false, { gap: 4, every: 2, runs: 25 }],
  ] as const)
    it(`${isCounted ? 'counts' : 'ignores'} a long gap ${what}`, () => {
      const times = [0, ...Array.from({ length: runs + 1 }, (_, at) => (gap + at * every) * DAY_MS)];
      const dueMs = (times.at(-1) ?? 0) + 1.5 * (isCounted ? gap : every) * DAY_MS;
      assert.equal(rhythmOf(times, dueMs).overdueSince, null);
      assert.notEqual(rhythmOf(times, dueMs + 1).overdueSince, null);
    });
});

const keepAll = (times: CompletionTimes): CompletionTimes =>
  times.reduce<CompletionTimes>((kept, at) => withCompletions(kept, [at]), []);

describe('withCompletions()', () => {
  it('sorts and deduplicates the times', () => assert.deepEqual(keepAll([3, 1, 2, 3, 1]), [1, 2, 3]));

  it('stores completion times from the last 35 days', () => {
    const hourly = Array.from({ length: 40 * 24 }, (_, hour) => hour * (DAY_MS / 24));
    const kept = keepAll(hourly);
    assert.equal(kept.length, 35 * 24 + 1);
    assert.equal(kept.at(-1), hourly.at(-1));
  });

  it('stores the last 21 completion times, regardless of age', () =>
    assert.equal(keepAll(Array.from({ length: 30 }, (_, month) => month * 30 * DAY_MS)).length, 21));

  it('stores at most 1,000 completion times', () => {
    const kept = keepAll(Array.from({ length: 1_100 }, (_, minute) => minute * 60_000));
    assert.deepEqual([kept.length, kept[0]], [1_000, 100 * 60_000]);
  });

  it('doesn’t store times older than 800 days', () =>
    assert.deepEqual(keepAll([0, 1 * DAY_MS, 801 * DAY_MS]), [1 * DAY_MS, 801 * DAY_MS]));
});
