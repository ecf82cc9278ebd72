import { ACCENT, INK } from '../palette.ts';
import { baseAxis, frame, labelOnly, STROKE, valueAxis } from '../frame.ts';
import { callouts } from '../callout.ts';
import { readCsv } from '../read-dataset.ts';
import type { Edition, Story } from '../story.ts';
import { monthYear } from '../words/dates.ts';
import { bullets, paragraphs } from '../words/lists.ts';
import { entry, least, most } from '../words/measures.ts';
import { change, decimal, millions, percent } from '../words/numbers.ts';

/** Jobs in thousands, by the first day of the month. */
export interface JobsMonth {
  readonly month: string;
  readonly jobs: number;
  readonly sectors: ReadonlyMap<string, number>;
}

const SECTORS = new Map([
  ['construction', 'Construction'],
  ['manufacturing', 'Manufacturing'],
  ['professional_and_business_services', 'Professional and business services'],
  ['education_and_health_services', 'Education and health services'],
  ['leisure_and_hospitality', 'Leisure and hospitality'],
  ['mining_and_logging', 'Mining and logging'],
  ['government', 'Government'],
]);

/** Reads US payrolls, 2006 to 2015. */
export function readJobs(): JobsMonth[] {
  return readCsv('us-employment.csv').map((row) => ({
    month: row['month'] ?? '',
    jobs: Number(row['nonfarm']),
    sectors: new Map([...SECTORS].map(([column, name]) => [name, Number(row[column])])),
  }));
}

/** The facts for the commentary on payrolls in the last of `months`. */
export function jobsFacts(months: readonly JobsMonth[]) {
  const last = entry(months, -1);
  const yearBefore = entry(months, -13);
  const peak = most(months.slice(0, 36), ({ jobs }) => jobs);
  const trough = least(months, ({ jobs }) => jobs);
  const recovered = months.find(({ month, jobs }) => month > trough.month && jobs > peak.jobs) ?? last;
  const gains = [...last.sectors].map(([name, jobs]) => ({
    name,
    gain: jobs - (yearBefore.sectors.get(name) ?? jobs),
  }));
  gains.sort((a, b) => b.gain - a.gain);
  return { last, yearBefore, peak, trough, recovered, gains };
}

function edition(months: readonly JobsMonth[]): Edition {
  const facts = jobsFacts(months);
  return { chart: chart(months, facts), short: short(facts), long: long(facts) };
}

type Facts = ReturnType<typeof jobsFacts>;

function short({ last, yearBefore, peak }: Facts): string {
  const grown = change(last.jobs / yearBefore.jobs - 1);
  return `Payrolls reached ${millions(last.jobs)} in ${monthYear(last.month)}, ${grown} on the year and ${millions(last.jobs - peak.jobs)} above the 2008 peak.`;
}

function long({ last, yearBefore, peak, trough, recovered, gains }: Facts): string {
  const lost = peak.jobs - trough.jobs;
  const best = gains.slice(0, 3);
  const worst = entry(gains, -1);
  return paragraphs(
    `**The recession cost ${millions(lost)} jobs**: payrolls fell ${percent(lost / peak.jobs)} from ${millions(peak.jobs)} in ${monthYear(peak.month)} to ${millions(trough.jobs)} in ${monthYear(trough.month)}. The old peak was passed in ${monthYear(recovered.month)}.`,
    `Over the last twelve months ${millions(last.jobs - yearBefore.jobs)} jobs were added. The sectors that gained most:`,
    bullets(best.map(({ name, gain }) => `${name}: **${decimal(gain)} thousand**`)),
    worst.gain < 0
      ? `*${worst.name}* shrank by ${decimal(-worst.gain)} thousand jobs in the same months.`
      : `*${worst.name}* gained least, ${decimal(worst.gain)} thousand.`,
  );
}

function chart(months: readonly JobsMonth[], { last, trough }: Facts): Edition['chart'] {
  const years = new Map(['2006', '2008', '2010', '2012', '2014'].map((year) => [`${year}-01-01`, year]));
  return {
    ...frame({ left: 170, right: 150 }),
    xAxis: baseAxis({
      type: 'category',
      boundaryGap: false,
      data: months.map(({ month }) => month),
      axisLabel: labelOnly(years),
    }),
    yAxis: valueAxis({ min: 125, max: 145, interval: 5, axisLabel: { formatter: '{value}M' } }),
    series: {
      type: 'line',
      data: months.map(({ jobs }) => jobs / 1000),
      showSymbol: false,
      lineStyle: { color: ACCENT.indigo, width: STROKE.line },
      areaStyle: { color: fade(ACCENT.indigo) },
      markPoint: callouts([
        { at: [last.month, last.jobs / 1000], text: `${decimal(last.jobs / 1000, 1)}M`, color: ACCENT.indigo },
        {
          at: [trough.month, trough.jobs / 1000],
          text: `${decimal(trough.jobs / 1000, 1)}M`,
          color: INK.axis,
          side: 'bottom',
        },
      ]),
    },
  };
}

function fade(color: string) {
  const colorStops = [
    { offset: 0, color: `${color}38` },
    { offset: 1, color: `${color}05` },
  ];
  return { type: 'linear' as const, x: 0, y: 0, x2: 0, y2: 1, colorStops };
}

/** US payrolls, delivered every day. */
export const employment: Story = {
  sourceId: 'src_us_employment',
  name: 'US nonfarm employment',
  provider: 'GOOGLE',
  status: 'ACTIVE',
  connectionCount: 2,
  latestHoursAgo: 2,
  everyHours: 24,
  outcomes: ['SUCCESS', 'SUCCESS', 'FAILED', 'SUCCESS', 'SUCCESS'],
  editions: () => {
    const months = readJobs();
    return [edition(months), edition(months.slice(0, -1)), edition(months.slice(0, -2))];
  },
};
