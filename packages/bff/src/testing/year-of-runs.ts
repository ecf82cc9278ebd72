import type { UsualRhythm } from '@pulse-card/contract';
import { type CompletionTimes, NO_RHYTHM, rhythmOf, withCompletions } from '../features/history/rhythm.ts';

const HOUR_MS = 60 * 60_000;
export const DAY_MS = 24 * HOUR_MS;

/** Midnight UTC on a Monday. */
const FIRST_DAY_MS = Date.UTC(2025, 0, 6);

const DAYS = 365;

/** The time between two requests that the BFF makes for the source. */
const CALL_EVERY_MS = HOUR_MS;

/** Days on which an office in the United States is closed, counted from `FIRST_DAY_MS`. */
const HOLIDAYS: ReadonlySet<number> = new Set(
  ['01-20', '02-17', '05-26', '06-19', '07-04', '09-01', '10-13', '11-11', '11-27', '11-28', '12-25', '12-26'].map(
    (day) => (Date.parse(`2025-${day}T00:00:00Z`) - FIRST_DAY_MS) / DAY_MS,
  ),
);

/** The hours of the day at which a source completes a run. Days are counted from `FIRST_DAY_MS`. */
export type Schedule = (day: number) => readonly number[];

const isWeekday = (day: number): boolean => day % 7 < 5;
const dateOf = (day: number): Date => new Date(FIRST_DAY_MS + day * DAY_MS);
const hours = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);
const onWeekdays =
  (times: readonly number[]): Schedule =>
  (day) =>
    isWeekday(day) ? times : [];

/** Sources with their usual interval. */
interface Kind {
  readonly usual: UsualRhythm;
  readonly schedule: Schedule;
}

/** Sources that run every day of the year. */
export const EVERY_DAY: Readonly<Record<string, Kind>> = {
  hourly: { usual: 'hourly', schedule: () => hours(0, 23) },
  daily: { usual: 'daily', schedule: () => [6] },
};

/** Sources that run during office hours. */
export const IN_OFFICES: Readonly<Record<string, Kind>> = {
  'hourly in office hours': { usual: 'hourly', schedule: onWeekdays(hours(8, 17)) },
  'five times each weekday': { usual: 'weekdays', schedule: onWeekdays([7, 10, 13, 16, 19]) },
  'daily on weekdays, first seen on a Monday': { usual: 'weekdays', schedule: onWeekdays([6]) },
  weekly: { usual: 'weekly', schedule: (day) => (day % 7 === 2 ? [9] : []) },
  monthly: { usual: 'monthly', schedule: (day) => (dateOf(day).getUTCDate() === 1 ? [5] : []) },
};

/** A source that pauses on public holidays. */
export const withHolidays =
  (schedule: Schedule): Schedule =>
  (day) =>
    HOLIDAYS.has(day) ? [] : schedule(day);

/** A source that completes no runs from `day` on. */
export const stoppingOn =
  (schedule: Schedule, lastDay: number): Schedule =>
  (day) =>
    day >= lastDay ? [] : schedule(day);

/**
 * Simulates one year of a source and a BFF that requests it every hour: how often it became overdue, and its rhythm at
 * the end. With `random`, a run completes up to 20 minutes late.
 */
export function yearOf(
  schedule: Schedule,
  { random = (): number => 0, isDown = (_day: number): boolean => false } = {},
) {
  const runs = completionsOf(schedule, random);
  let alarms = 0;
  let times: CompletionTimes = [];
  let rhythm = NO_RHYTHM;
  let seen = 0;
  let latest: number | undefined;
  for (let now = FIRST_DAY_MS; now < FIRST_DAY_MS + DAYS * DAY_MS; now += CALL_EVERY_MS) {
    if (isDown(Math.floor((now - FIRST_DAY_MS) / DAY_MS))) continue;
    while (seen < runs.length && (runs[seen] ?? Infinity) <= now) latest = runs[seen++];
    if (latest === undefined) continue;
    times = withCompletions(times, [latest]);
    const before = rhythm.overdueSince;
    rhythm = rhythmOf(times, now);
    if (before === null && rhythm.overdueSince !== null) alarms += 1;
  }
  return { alarms, rhythm };
}

function completionsOf(schedule: Schedule, random: () => number): number[] {
  return Array.from({ length: DAYS }, (_, day) =>
    schedule(day).map((hour) => FIRST_DAY_MS + day * DAY_MS + hour * HOUR_MS + Math.round(random() * 20 * 60_000)),
  ).flat();
}
