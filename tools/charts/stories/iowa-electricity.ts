import { ACCENT, INK } from '../palette.ts';
import { baseAxis, CHART_HEIGHT, frame, labelOnly, TYPE, valueAxis } from '../frame.ts';
import { readCsv } from '../read-dataset.ts';
import type { Edition, Story } from '../story.ts';
import { bullets, paragraphs } from '../words/lists.ts';
import { entry, most, sum } from '../words/measures.ts';
import { change, decimal, percent } from '../words/numbers.ts';

/** A year's generation by kind of source, in gigawatt-hours. */
export interface PowerYear {
  readonly year: number;
  readonly fossil: number;
  readonly nuclear: number;
  readonly renewable: number;
}

/** Reads the electricity generated in Iowa, 2001 to 2017. */
export function readPower(): PowerYear[] {
  const rows = readCsv<'year' | 'source' | 'net_generation'>('iowa-electricity.csv');
  return [...Map.groupBy(rows, ({ year }) => Number(year.slice(0, 4)))].map(([year, ofYear]) => {
    const of = (source: string) =>
      sum(
        ofYear.filter((row) => row.source === source),
        (row) => Number(row.net_generation),
      );
    return { year, fossil: of('Fossil Fuels'), nuclear: of('Nuclear Energy'), renewable: of('Renewables') };
  });
}

/** The total generation of a year. */
export function totalOf({ fossil, nuclear, renewable }: PowerYear): number {
  return fossil + nuclear + renewable;
}

/** The facts for the commentary on electricity in the last given year. */
export function powerFacts(years: readonly PowerYear[]) {
  const [first, last] = [entry(years, 0), entry(years, -1)];
  const steps = years
    .slice(1)
    .map((year, index) => ({ year: year.year, added: year.renewable - entry(years, index).renewable }));
  return { first, last, fossilPeak: most(years, ({ fossil }) => fossil), bestStep: most(steps, ({ added }) => added) };
}

type Facts = ReturnType<typeof powerFacts>;

function edition(years: readonly PowerYear[]): Edition {
  const facts = powerFacts(years);
  return { chart: chart(years, facts), short: short(facts), long: long(facts) };
}

function short({ first, last }: Facts): string {
  return `Renewables made ${percent(last.renewable / totalOf(last), 0)} of Iowa's electricity in ${last.year}, up from ${percent(first.renewable / totalOf(first), 0)} in ${first.year}.`;
}

function long({ first, last, fossilPeak, bestStep }: Facts): string {
  const terawatt = (gigawattHours: number) => `${decimal(gigawattHours / 1000, 1)} TWh`;
  return paragraphs(
    `**Wind changed the mix.** Renewable generation went from ${terawatt(first.renewable)} in ${first.year} to ${terawatt(last.renewable)} in ${last.year}; the largest step was ${terawatt(bestStep.added)}, in ${bestStep.year}.`,
    `What was generated in ${last.year}:`,
    bullets([
      `Fossil fuels: **${terawatt(last.fossil)}**, ${percent(last.fossil / totalOf(last), 0)}`,
      `Renewables: **${terawatt(last.renewable)}**, ${percent(last.renewable / totalOf(last), 0)}`,
      `Nuclear: **${terawatt(last.nuclear)}**, ${percent(last.nuclear / totalOf(last), 0)}`,
    ]),
    `Fossil generation peaked at ${terawatt(fossilPeak.fossil)} in ${fossilPeak.year} and was *${change(last.fossil / fossilPeak.fossil - 1, 0)}* from that peak by ${last.year}.`,
  );
}

function chart(years: readonly PowerYear[], { last }: Facts): Edition['chart'] {
  const labels = new Map(['2001', '2005', '2009', '2013', '2017'].map((year) => [year, year]));
  const layers = [
    { name: 'Nuclear', color: '#c9b8ec', ink: '#5b3fa6', value: (year: PowerYear) => year.nuclear },
    { name: 'Fossil', color: '#c7ccd6', ink: INK.axis, value: (year: PowerYear) => year.fossil },
    { name: 'Renewable', color: ACCENT.green, ink: '#216c2d', value: (year: PowerYear) => year.renewable },
  ];
  return {
    ...frame({ left: 215, right: 310, top: PLOT_TOP, bottom: PLOT_BOTTOM }),
    xAxis: baseAxis({
      type: 'category',
      boundaryGap: false,
      data: years.map(({ year }) => String(year)),
      axisLabel: labelOnly(labels),
    }),
    yAxis: valueAxis({
      max: 60,
      interval: 20,
      axisLabel: { formatter: (value: number) => (value === 60 ? '60 TWh' : String(value)) },
    }),
    series: layers.map(({ name, color, ink, value }) => ({
      type: 'line' as const,
      stack: 'all',
      showSymbol: false,
      lineStyle: { width: 4, color: INK.background },
      areaStyle: { color, opacity: 1 },
      data: years.map((year) => value(year) / 1000),
      endLabel: {
        show: true,
        formatter: name,
        color: ink,
        fontSize: TYPE.label,
        fontWeight: 600 as const,
        distance: 18,
        offset: [0, middle(value(last), PLOT_HEIGHT)],
      },
    })),
  };
}

const PLOT_TOP = 70;
const PLOT_BOTTOM = 100;
const PLOT_HEIGHT = CHART_HEIGHT - PLOT_TOP - PLOT_BOTTOM;

/** The distance from a plot's upper edge to the middle of a layer, in pixels. The plot's height represents 60 TWh. */
function middle(gigawattHours: number, plotHeight: number): number {
  return (gigawattHours / 1000 / 60) * plotHeight * 0.5;
}

/** Iowa's electricity, from a source that needs to be connected again. */
export const iowaElectricity: Story = {
  sourceId: 'src_iowa_electricity',
  name: 'Iowa’s electricity',
  provider: 'SALESFORCE',
  status: 'BROKEN',
  connectionCount: 2,
  latestHoursAgo: 8,
  everyHours: 24,
  outcomes: ['FAILED', 'FAILED', 'FAILED', 'FAILED', 'SUCCESS', 'SUCCESS'],
  editions: () => {
    const years = readPower();
    return [edition(years), edition(years.slice(0, -1))];
  },
};
