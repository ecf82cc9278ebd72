import { ACCENT } from '../palette.ts';
import { baseAxis, frame, TYPE, valueAxis } from '../frame.ts';
import { readCsv } from '../read-dataset.ts';
import type { Edition, Story } from '../story.ts';
import { monthDay, monthName } from '../words/dates.ts';
import { bullets, paragraphs } from '../words/lists.ts';
import { least, most, sum } from '../words/measures.ts';
import { change, decimal, percent } from '../words/numbers.ts';

/** A day's rain in millimeters. */
export interface RainDay {
  readonly date: string;
  readonly rain: number;
}

/** Reads the daily rain in Seattle, 2012 to 2015. */
export function readRain(): RainDay[] {
  return readCsv<'date' | 'precipitation'>('seattle-weather.csv').map(({ date, precipitation }) => ({
    date,
    rain: Number(precipitation),
  }));
}

/** The facts in the commentary on a year's rain. */
export function rainFacts(days: readonly RainDay[], year: number) {
  const ofYear = days.filter(({ date }) => date.startsWith(`${year}-`));
  const months = Array.from({ length: 12 }, (_, index) => {
    const ofMonth = ofYear.filter(({ date }) => Number(date.slice(5, 7)) === index + 1);
    return {
      month: index + 1,
      rain: sum(ofMonth, ({ rain }) => rain),
      wetDays: ofMonth.filter(({ rain }) => rain > 0).length,
    };
  });
  const total = sum(months, ({ rain }) => rain);
  const winter = months.filter(({ month }) => month <= 3 || month >= 10);
  return {
    year,
    months,
    total,
    wettest: most(months, ({ rain }) => rain),
    driest: least(months, ({ rain }) => rain),
    wettestDay: most(ofYear, ({ rain }) => rain),
    wetDays: sum(months, ({ wetDays }) => wetDays),
    winterShare: sum(winter, ({ rain }) => rain) / total,
    totalBefore: sum(
      days.filter(({ date }) => date.startsWith(`${year - 1}-`)),
      ({ rain }) => rain,
    ),
  };
}

type Facts = ReturnType<typeof rainFacts>;

function edition(days: readonly RainDay[], year: number): Edition {
  const facts = rainFacts(days, year);
  return { chart: chart(facts), short: short(facts), long: long(facts) };
}

function short({ year, wettest, total }: Facts): string {
  return `${monthName(wettest.month)} was the wettest month of ${year} with ${decimal(wettest.rain)} mm, ${percent(wettest.rain / total, 0)} of the year's rain.`;
}

function long({ year, total, totalBefore, wettest, driest, wettestDay, wetDays, winterShare }: Facts): string {
  return paragraphs(
    `The year split in two. **The months from October to March brought ${percent(winterShare, 0)} of the rain.**`,
    bullets([
      `Wettest month: ${monthName(wettest.month)}, **${decimal(wettest.rain)} mm** on ${wettest.wetDays} days`,
      `Driest month: ${monthName(driest.month)}, **${decimal(driest.rain)} mm** on ${driest.wetDays} days`,
      `Wettest day: ${monthDay(wettestDay.date)}, **${decimal(wettestDay.rain, 1)} mm**`,
    ]),
    `It rained on ${wetDays} days of ${year}, ${decimal(total)} mm in all: *${change(total / totalBefore - 1)}* from ${year - 1}.`,
  );
}

function chart({ months, wettest }: Facts): Edition['chart'] {
  return {
    ...frame({ left: 235, right: 50, top: 110 }),
    xAxis: baseAxis({ type: 'category', data: months.map(({ month }) => monthName(month).slice(0, 1)) }),
    yAxis: valueAxis({
      max: 300,
      interval: 100,
      axisLabel: { formatter: (value: number) => (value === 0 ? '0' : `${value} mm`) },
    }),
    series: {
      type: 'bar',
      barWidth: '66%',
      data: months.map((month) => ({
        value: month.rain,
        itemStyle: { color: month === wettest ? ACCENT.teal : '#8fd0c8', borderRadius: [10, 10, 0, 0] },
        label: {
          show: month === wettest,
          formatter: decimal(month.rain),
          position: 'top',
          fontSize: TYPE.callout,
          fontWeight: 700,
          color: '#0b5f58',
        },
      })),
    },
  };
}

/** A year's rain in Seattle, month by month. */
export const seattleRain: Story = {
  sourceId: 'src_seattle_rain',
  name: 'Rain in Seattle',
  provider: 'AIRTABLE',
  status: 'ACTIVE',
  connectionCount: 3,
  latestHoursAgo: 5,
  everyHours: 24,
  outcomes: ['SUCCESS', 'FAILED', 'SUCCESS', 'SUCCESS'],
  editions: () => {
    const days = readRain();
    return [edition(days, 2015), edition(days, 2014), edition(days, 2013)];
  },
};
