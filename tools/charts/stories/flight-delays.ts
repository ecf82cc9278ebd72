import { INK } from '../palette.ts';
import { baseAxis, frame, valueAxis } from '../frame.ts';
import { readJson } from '../read-dataset.ts';
import type { Edition, Story } from '../story.ts';
import { bullets, paragraphs } from '../words/lists.ts';
import { least, most } from '../words/measures.ts';
import { decimal, percent } from '../words/numbers.ts';

/** A flight of the sample: its departure and its delay in minutes. */
export interface Flight {
  readonly date: string;
  readonly delay: number;
}

/**
 * A flight with a delay of at least this many minutes is late, as in the statistics of the US Department of
 * Transportation.
 */
export const LATE_FROM_MINUTES = 15;
const FIRST_HOUR = 6;
const LAST_HOUR = 22;
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Reads a sample of 20,000 US flights from January to March 2001, up to the given month. */
export function readFlights(untilMonth = 3): Flight[] {
  return readJson<Flight>('flights-20k.json').filter(({ date }) => Number(date.slice(5, 7)) <= untilMonth);
}

/** The number of flights in each hour of each weekday, and how many of them were late. */
export function lateByHour(flights: readonly Flight[]) {
  const cells = WEEKDAYS.flatMap((_, weekday) =>
    Array.from({ length: LAST_HOUR - FIRST_HOUR + 1 }, (_, index) => ({
      weekday,
      hour: FIRST_HOUR + index,
      flights: 0,
      late: 0,
    })),
  );
  for (const { date, delay } of flights) {
    const weekday = (new Date(`${date.slice(0, 10).replaceAll('/', '-')}T00:00:00Z`).getUTCDay() + 6) % 7;
    const cell = cells.find((cell) => cell.weekday === weekday && cell.hour === Number(date.slice(11, 13)));
    if (cell === undefined) continue;
    cell.flights += 1;
    if (delay >= LATE_FROM_MINUTES) cell.late += 1;
  }
  return cells;
}

type Cells = ReturnType<typeof lateByHour>;

/** The facts in the commentary on delays. */
export function delayFacts(flights: readonly Flight[]) {
  const cells = lateByHour(flights);
  const hours = rates(cells, ({ hour }) => hour);
  const days = rates(cells, ({ weekday }) => weekday);
  const late = flights.filter(({ delay }) => delay >= LATE_FROM_MINUTES).length;
  const longest = most(flights, ({ delay }) => delay);
  return {
    cells,
    count: flights.length,
    lateShare: late / flights.length,
    longest,
    bestHour: least(hours, ({ rate }) => rate),
    worstHour: most(hours, ({ rate }) => rate),
    bestDay: least(days, ({ rate }) => rate),
    worstDay: most(days, ({ rate }) => rate),
  };
}

function rates(cells: Cells, by: (cell: Cells[number]) => number) {
  return [...Map.groupBy(cells, by)].map(([key, group]) => {
    const flights = group.reduce((total, cell) => total + cell.flights, 0);
    return { key, rate: group.reduce((total, cell) => total + cell.late, 0) / flights };
  });
}

type Facts = ReturnType<typeof delayFacts>;

function edition(untilMonth: number): Edition {
  const facts = delayFacts(readFlights(untilMonth));
  return { chart: chart(facts), short: short(facts), long: long(facts) };
}

function short({ lateShare, bestHour, worstHour }: Facts): string {
  return `${percent(lateShare, 0)} of flights ran late: ${percent(bestHour.rate, 0)} of those at ${clock(bestHour.key)}, but ${percent(worstHour.rate, 0)} of those at ${clock(worstHour.key)}.`;
}

function long({ count, lateShare, longest, bestHour, worstHour, bestDay, worstDay }: Facts): string {
  return paragraphs(
    `**Delays pile up over the day.** Of ${decimal(count)} flights, ${percent(lateShare)} were at least ${LATE_FROM_MINUTES} minutes late. Each delay is handed on to the aircraft's next flight, so the share climbs from morning to evening.`,
    bullets([
      `Best hour: ${clock(bestHour.key)}, **${percent(bestHour.rate)}** late`,
      `Worst hour: ${clock(worstHour.key)}, **${percent(worstHour.rate)}** late`,
      `Best day: ${WEEKDAYS[bestDay.key]}, ${percent(bestDay.rate)} late`,
      `Worst day: ${WEEKDAYS[worstDay.key]}, ${percent(worstDay.rate)} late`,
    ]),
    `The longest wait in the sample was **${decimal(longest.delay)} minutes**.`,
  );
}

/** Writes an hour on the 12-hour clock ("9 PM"). */
function clock(hour: number): string {
  return `${hour % 12 === 0 ? 12 : hour % 12} ${hour < 12 ? 'AM' : 'PM'}`;
}

function chart({ cells }: Facts): Edition['chart'] {
  const hours = [...new Set(cells.map(({ hour }) => hour))];
  return {
    ...frame({ left: 150, right: 30, top: 30, bottom: 200 }),
    xAxis: baseAxis({
      type: 'category',
      data: hours.map(String),
      axisLabel: {
        interval: (index: number) => index % 4 === 0 && index < LAST_HOUR - FIRST_HOUR,
        formatter: (hour: string) => clock(Number(hour)),
      },
    }),
    yAxis: valueAxis({
      type: 'category',
      inverse: true,
      data: WEEKDAYS.map((day) => day.slice(0, 3)),
      splitLine: { show: false },
    }),
    visualMap: {
      type: 'continuous',
      min: 0,
      max: 0.4,
      orient: 'horizontal',
      left: 150,
      bottom: 14,
      itemWidth: 36,
      itemHeight: 420,
      text: ['40% late', '0%'],
      textGap: 24,
      textStyle: { fontSize: 42, fontWeight: 500, color: INK.axis },
      inRange: { color: ['#f4f1fb', '#cdbdf0', '#8d6ad8', '#4c1d95'] },
    },
    series: {
      type: 'heatmap',
      data: cells.map(({ weekday, hour, flights, late }) => [
        hour - FIRST_HOUR,
        weekday,
        flights === 0 ? 0 : late / flights,
      ]),
      itemStyle: { borderColor: INK.background, borderWidth: 6, borderRadius: 10 },
    },
  };
}

/** The delays of US flights in the first quarter of 2001. */
export const flightDelays: Story = {
  sourceId: 'src_flight_delays',
  name: 'When flights run late',
  provider: 'SNOWFLAKE',
  status: 'ACTIVE',
  connectionCount: 4,
  latestHoursAgo: 0.4,
  everyHours: 6,
  outcomes: ['SUCCESS', 'SUCCESS', 'FAILED', 'FAILED', 'SUCCESS', 'SUCCESS'],
  editions: () => [edition(3), edition(2)],
};
