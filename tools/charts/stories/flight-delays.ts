import type { EChartsOption } from 'echarts';
import { baseAxis, frame, valueAxis } from '../frame.ts';
import { INK } from '../palette.ts';
import { readJson } from '../read-dataset.ts';

/** A flight in the sample: its departure and its delay in minutes. */
interface Flight {
  readonly date: string;
  readonly delay: number;
}

/**
 * A flight with a delay of at least this many minutes is late, as in the statistics of the US Department of
 * Transportation.
 */
const LATE_FROM_MINUTES = 15;
const FIRST_HOUR = 6;
const LAST_HOUR = 22;
const HOURS = Array.from({ length: LAST_HOUR - FIRST_HOUR + 1 }, (_, index) => FIRST_HOUR + index);
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** The delays of US flights from January 2001 up to March and up to February: late flights by weekday and hour. */
export function flightDelays(): EChartsOption[] {
  const flights = readJson<Flight>('flights-20k.json');
  return [3, 2].map((untilMonth) => chart(flights.filter(({ date }) => Number(date.slice(5, 7)) <= untilMonth)));
}

function chart(flights: readonly Flight[]): EChartsOption {
  const byCell = Map.groupBy(flights, ({ date }) => `${weekdayOf(date)} ${Number(date.slice(11, 13))}`);
  const cells = WEEKDAYS.flatMap((_, weekday) =>
    HOURS.map((hour, index) => {
      const ofCell = byCell.get(`${weekday} ${hour}`) ?? [];
      const late = ofCell.filter(({ delay }) => delay >= LATE_FROM_MINUTES).length;
      return [index, weekday, ofCell.length === 0 ? 0 : late / ofCell.length];
    }),
  );
  return {
    ...frame({ left: 150, right: 30, top: 30, bottom: 200 }),
    xAxis: baseAxis({
      type: 'category',
      data: HOURS.map(String),
      axisLabel: {
        interval: (index: number) => index % 4 === 0 && index < LAST_HOUR - FIRST_HOUR,
        formatter: (hour: string) => clock(Number(hour)),
      },
    }),
    yAxis: valueAxis({ type: 'category', inverse: true, data: WEEKDAYS, splitLine: { show: false } }),
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
      data: cells,
      itemStyle: { borderColor: INK.background, borderWidth: 6, borderRadius: 10 },
    },
  };
}

/** The weekday of a date such as `2001/01/13 14:56`: 0 is Monday. */
function weekdayOf(date: string): number {
  return (new Date(`${date.slice(0, 10).replaceAll('/', '-')}T00:00:00Z`).getUTCDay() + 6) % 7;
}

/** Formats an hour on the 12-hour clock ("9 PM"). */
function clock(hour: number): string {
  return `${hour % 12 === 0 ? 12 : hour % 12} ${hour < 12 ? 'AM' : 'PM'}`;
}
