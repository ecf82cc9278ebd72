import { ACCENT, INK } from '../palette.ts';
import { frame, TYPE, valueAxis } from '../frame.ts';
import { readJson } from '../read-dataset.ts';
import type { Edition, Story } from '../story.ts';
import { monthYear } from '../words/dates.ts';
import { bullets, paragraphs } from '../words/lists.ts';
import { entry, most, sum } from '../words/measures.ts';
import { decimal, millions } from '../words/numbers.ts';

/** An industry's unemployment in one month: the number of people, in thousands, and the rate in percent. */
export interface JoblessRow {
  readonly series: string;
  readonly year: number;
  readonly month: number;
  readonly count: number;
  readonly rate: number;
}

const SHORT_NAMES: Record<string, string> = {
  'Mining and Extraction': 'Mining',
  'Transportation and Utilities': 'Transport',
  'Education and Health': 'Education, health',
  'Business services': 'Business services',
  'Leisure and hospitality': 'Leisure',
  'Wholesale and Retail Trade': 'Trade',
  Agriculture: 'Farming',
};

/** Reads the number of unemployed people by industry, 2000 to 2010. */
export function readJobless(): JoblessRow[] {
  return readJson<JoblessRow>('unemployment-across-industries.json');
}

/** The facts in the commentary on a month's unemployment. */
export function joblessFacts(rows: readonly JoblessRow[], year: number, month: number) {
  const inMonth = (y: number) => rows.filter((row) => row.year === y && row.month === month);
  const now = inMonth(year).toSorted((a, b) => b.rate - a.rate);
  const before = inMonth(year - 2);
  const total = sum(now, ({ count }) => count);
  const totalBefore = sum(before, ({ count }) => count);
  const rises = now.map((row) => {
    const earlier = before.find(({ series }) => series === row.series)?.rate ?? row.rate;
    return { ...row, earlier, rise: row.rate - earlier };
  });
  const date = `${year}-${String(month).padStart(2, '0')}-01`;
  return { date, dateBefore: date.replace(String(year), String(year - 2)), rises, total, totalBefore };
}

type Facts = ReturnType<typeof joblessFacts>;

function edition(rows: readonly JoblessRow[], year: number, month: number): Edition {
  const facts = joblessFacts(rows, year, month);
  return { chart: chart(facts), short: short(facts), long: long(facts) };
}

function short({ date, rises, total }: Facts): string {
  const worst = entry(rises, 0);
  return `${worst.series} had the highest unemployment in ${monthYear(date)}: ${decimal(worst.rate, 1)}%, in a total of ${millions(total)} people without work.`;
}

function long({ date, dateBefore, rises, total, totalBefore }: Facts): string {
  const steepest = most(rises, ({ rise }) => rise);
  const lowest = entry(rises, -1);
  return paragraphs(
    `**The number of unemployed grew by ${millions(total - totalBefore)} in two years**, from ${millions(totalBefore)} in ${monthYear(dateBefore)} to ${millions(total)} in ${monthYear(date)}.`,
    'The highest rates, compared with two years earlier:',
    bullets(
      rises
        .slice(0, 4)
        .map(({ series, rate, earlier }) => `${series}: **${decimal(rate, 1)}%**, from ${decimal(earlier, 1)}%`),
    ),
    `${steepest.series} rose most, by ${decimal(steepest.rise, 1)} points. *${lowest.series}* stayed lowest at ${decimal(lowest.rate, 1)}%.`,
  );
}

function chart({ rises }: Facts): Edition['chart'] {
  const shown = rises.slice(0, 7);
  return {
    ...frame({ left: 475, right: 190, top: 20, bottom: 20 }),
    xAxis: { type: 'value', min: 0, max: 30, show: false },
    yAxis: valueAxis({
      type: 'category',
      inverse: true,
      data: shown.map(({ series }) => SHORT_NAMES[series] ?? series),
      splitLine: { show: false },
      axisLabel: { color: INK.text, fontSize: TYPE.label },
    }),
    series: {
      type: 'bar',
      barWidth: '58%',
      data: shown.map(({ rate }, index) => ({
        value: rate,
        itemStyle: { color: index === 0 ? ACCENT.rose : '#e5a9bd', borderRadius: [0, 10, 10, 0] },
        label: {
          show: true,
          position: 'right',
          distance: 18,
          formatter: `${decimal(rate, 1)}%`,
          fontSize: index === 0 ? TYPE.callout : TYPE.label,
          fontWeight: index === 0 ? 700 : 500,
          color: index === 0 ? '#94184a' : INK.axis,
        },
      })),
    },
  };
}

/** Unemployment by industry, from a source whose latest runs had issues. */
export const joblessByIndustry: Story = {
  sourceId: 'src_jobless_by_industry',
  name: 'Unemployment by industry',
  provider: 'EXCEL',
  status: 'DEGRADED',
  connectionCount: 2,
  latestHoursAgo: 3,
  everyHours: 24,
  outcomes: ['FAILED', 'FAILED', 'SUCCESS', 'FAILED', 'SUCCESS'],
  editions: () => {
    const rows = readJobless();
    return [edition(rows, 2010, 2), edition(rows, 2010, 1)];
  },
};
