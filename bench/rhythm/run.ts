// Simulates a year of sources that stop, pause, or run as usual, and lists when each source is reported as overdue.
import { parseArgs } from 'node:util';
import { randomFrom } from '@pulse-card/testkit/random';
import {
  DAY_MS,
  EVERY_DAY,
  IN_OFFICES,
  type Schedule,
  stoppingOn,
  withHolidays,
  type Year,
  yearOf,
} from '../../packages/bff/src/testing/year-of-runs.ts';
import { table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const seeds = Array.from({ length: values.short ? 1 : 5 }, (_, index) => index + 1);

/** The first day without runs of a source that stops. */
const LAST_DAY = 250;

/** The days on which calls to the service fail. */
const isOutage = (day: number): boolean => day >= 200 && day < 204;

/** A source that has runs on three days out of ten, at any hour. */
const irregular =
  (random: () => number): Schedule =>
  () =>
    random() < 0.3 ? [Math.floor(random() * 24)] : [];

const regular = Object.entries({ ...EVERY_DAY, ...IN_OFFICES });
const rows = regular.map(([name, schedule]) => [name, ...figuresOf(() => schedule, name in IN_OFFICES)]);
rows.push(['irregular: runs on three days out of ten', ...figuresOf(irregular, false)]);

const text = `Each source is simulated for ${seeds.length} years. A run completes up to 20 minutes late, and the BFF requests the source once an hour.

- **false alarms**: How often a source was reported as overdue even though it ran on schedule.
- **in an outage**: The number of false alarms if all calls fail for four days.
- **on holidays**: The number of false alarms if the source pauses on 12 public holidays.
- **time until overdue**: The time from the last run of a source, which stops before day ${LAST_DAY}, until it is overdue.
- **in longest gaps**: The same time as a multiple of the source's longest gap. A source is overdue after 1.5 times its longest gap, but the BFF may notice this up to an hour later.

Each figure is the worst figure of all years. A source without a rhythm can be reported as overdue even if it has only paused, not stopped.

${table(['source', 'rhythm', 'false alarms', 'in an outage', 'on holidays', 'time until overdue', 'in longest gaps'], rows)}`;
await writeResult({ name: 'rhythm', title: 'Rhythm: when a source is reported as overdue', text });

function numbersFrom(seed: number): () => number {
  const random = randomFrom(seed);
  return () => random.even();
}

function figuresOf(scheduleOf: (random: () => number) => Schedule, hasHolidays: boolean): (string | number)[] {
  const years = seeds.map((seed) => {
    const play = (change: (schedule: Schedule) => Schedule, isDown?: typeof isOutage): Year => {
      const schedule = change(scheduleOf(numbersFrom(seed)));
      return yearOf(schedule, { random: numbersFrom(seed + 1_000), ...(isDown && { isDown }) });
    };
    const asUsual = play((schedule) => schedule);
    const stop = play((schedule) => stoppingOn(schedule, LAST_DAY)).alarms.at(-1);
    return {
      rhythm: asUsual.rhythm.usual ?? 'none',
      alarms: asUsual.alarms.length,
      inOutage: play((schedule) => schedule, isOutage).alarms.length,
      onHolidays: play(withHolidays).alarms.length,
      stopMs: stop ? stop.atMs - stop.latestMs : Infinity,
      stopGaps: stop ? (stop.atMs - stop.latestMs) / stop.longestGapMs : Infinity,
    };
  });
  const worst = (figure: 'alarms' | 'inOutage' | 'onHolidays' | 'stopMs' | 'stopGaps') =>
    Math.max(...years.map((year) => year[figure]));
  return [
    [...new Set(years.map(({ rhythm }) => rhythm))].join(', '),
    worst('alarms'),
    worst('inOutage'),
    hasHolidays ? worst('onHolidays') : '',
    `${(worst('stopMs') / DAY_MS).toFixed(1)} days`,
    worst('stopGaps').toFixed(2),
  ];
}
