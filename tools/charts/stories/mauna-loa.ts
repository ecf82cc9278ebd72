import { ACCENT } from '../palette.ts';
import { baseAxis, credit, frame, labelOnly, STROKE, valueAxis } from '../frame.ts';
import { callouts } from '../callout.ts';
import { readCsv } from '../read-dataset.ts';
import type { Edition, Story } from '../story.ts';
import { monthYear } from '../words/dates.ts';
import { bullets, paragraphs } from '../words/lists.ts';
import { entry, mean } from '../words/measures.ts';
import { decimal } from '../words/numbers.ts';

/** The carbon dioxide level of a month in parts per million, measured and seasonally adjusted. */
export interface Co2Month {
  readonly date: string;
  readonly measured: number;
  readonly adjusted: number;
}

/** Reads the carbon dioxide levels at Mauna Loa, 1958 to 2020. */
export function readCo2(): Co2Month[] {
  return readCsv<'Date' | 'CO2' | 'adjusted CO2'>('co2-concentration.csv').map((row) => ({
    date: row.Date,
    measured: Number(row.CO2),
    adjusted: Number(row['adjusted CO2']),
  }));
}

/** The mean of the adjusted level in each year that has all twelve months. */
export function yearMeans(months: readonly Co2Month[]): { year: number; level: number }[] {
  const years = Map.groupBy(months, ({ date }) => Number(date.slice(0, 4)));
  return [...years]
    .filter(([, ofYear]) => ofYear.length === 12)
    .map(([year, ofYear]) => ({ year, level: mean(ofYear, ({ adjusted }) => adjusted) }));
}

/** The facts for the commentary on carbon dioxide in the last given month. */
export function co2Facts(months: readonly Co2Month[]) {
  const first = entry(months, 0);
  const last = entry(months, -1);
  const means = yearMeans(months);
  const levelIn = (year: number) => means.find((mean) => mean.year === year)?.level ?? Number.NaN;
  const milestones = [350, 375, 400].map((ppm) => ({ ppm, year: means.find(({ level }) => level > ppm)?.year }));
  return {
    first,
    last,
    milestones,
    rateOfSixties: (levelIn(1970) - levelIn(1960)) / 10,
    rateOfLastDecade: (levelIn(2019) - levelIn(2009)) / 10,
  };
}

type Facts = ReturnType<typeof co2Facts>;

function edition(months: readonly Co2Month[]): Edition {
  const facts = co2Facts(months);
  return { chart: chart(months, facts), short: short(facts), long: long(facts) };
}

function short({ first, last }: Facts): string {
  const rise = last.adjusted - first.adjusted;
  return `Carbon dioxide stood at ${decimal(last.adjusted, 1)} ppm in ${monthYear(last.date)}, ${decimal(rise, 1)} ppm more than in ${monthYear(first.date)}.`;
}

function long({ last, milestones, rateOfSixties, rateOfLastDecade }: Facts): string {
  return paragraphs(
    `**The rise has sped up.** In the 1960s the level grew by ${decimal(rateOfSixties, 1)} ppm a year; from 2009 to 2019 it grew by ${decimal(rateOfLastDecade, 1)} ppm a year, ${decimal(rateOfLastDecade / rateOfSixties, 1)} times as fast.`,
    'The first years with a mean above each mark:',
    bullets(milestones.map(({ ppm, year }) => `${ppm} ppm: **${year}**`)),
    `All these levels are seasonally adjusted. The measured level in ${monthYear(last.date)} was ${decimal(last.measured, 1)} ppm; *spring readings run above the trend* until the northern summer's growth draws carbon back.`,
  );
}

function chart(months: readonly Co2Month[], { last }: Facts): Edition['chart'] {
  const years = new Map(['1960', '1980', '2000', '2020'].map((year) => [`${year}-01-01`, year]));
  return {
    ...frame({ left: 130, right: 150, top: 70 }),
    ...credit('Data: Scripps CO₂ Program, CC BY 4.0'),
    xAxis: baseAxis({
      type: 'category',
      boundaryGap: false,
      data: months.map(({ date }) => date),
      axisLabel: labelOnly(years),
    }),
    yAxis: valueAxis({ min: 300, max: 420, interval: 40 }),
    series: [
      line(
        months.map(({ measured }) => measured),
        '#f5b08d',
        STROKE.thin,
      ),
      {
        ...line(
          months.map(({ adjusted }) => adjusted),
          ACCENT.orange,
          STROKE.line,
        ),
        markPoint: callouts([
          {
            at: [last.date, last.adjusted],
            text: `${decimal(last.adjusted, 0)} ppm`,
            color: ACCENT.orange,
            side: 'left',
          },
        ]),
      },
    ],
  };
}

function line(data: number[], color: string, width: number) {
  return { type: 'line' as const, data, showSymbol: false, lineStyle: { color, width, join: 'round' as const } };
}

/** Carbon dioxide at Mauna Loa. */
export const maunaLoa: Story = {
  sourceId: 'src_co2_mauna_loa',
  name: 'CO₂ at Mauna Loa',
  provider: 'POSTGRES',
  status: 'ACTIVE',
  connectionCount: 1,
  latestHoursAgo: 20,
  everyHours: 24 * 7,
  outcomes: ['SUCCESS', 'SUCCESS', 'SUCCESS', 'FAILED'],
  editions: () => {
    const months = readCo2();
    return [edition(months), edition(months.slice(0, -1)), edition(months.slice(0, -2))];
  },
};
