import { ACCENT, INK } from '../palette.ts';
import { baseAxis, frame, TYPE, valueAxis } from '../frame.ts';
import { readJson } from '../read-dataset.ts';
import type { Edition, Story } from '../story.ts';
import { bullets, paragraphs } from '../words/lists.ts';
import { entry, mean, most } from '../words/measures.ts';
import { change, decimal } from '../words/numbers.ts';

/** The yield of a variety at a site in a year, in bushels per acre. */
export interface BarleyYield {
  readonly yield: number;
  readonly variety: string;
  readonly year: number;
  readonly site: string;
}

/** Reads the Minnesota barley trials, 1931 and 1932. */
export function readBarley(): BarleyYield[] {
  return readJson<BarleyYield>('barley.json');
}

/** The facts in the commentary on the trials. */
export function barleyFacts(rows: readonly BarleyYield[]) {
  const yieldOf = (ofYear: number, key: 'site' | 'variety', value: string) =>
    mean(
      rows.filter((row) => row.year === ofYear && row[key] === value),
      (row) => row.yield,
    );
  const sites = [...new Set(rows.map(({ site }) => site))].map((site) => {
    const [before, after] = [yieldOf(1931, 'site', site), yieldOf(1932, 'site', site)];
    return { site, before, after, change: after / before - 1 };
  });
  sites.sort((a, b) => a.change - b.change);
  const varieties = [...new Set(rows.map(({ variety }) => variety))].map((variety) => ({
    variety,
    mean: mean(
      rows.filter((row) => row.variety === variety),
      (row) => row.yield,
    ),
  }));
  const inYear = (year: number) =>
    mean(
      rows.filter((row) => row.year === year),
      (row) => row.yield,
    );
  return { rows, sites, best: most(varieties, ({ mean }) => mean), before: inYear(1931), after: inYear(1932) };
}

type Facts = ReturnType<typeof barleyFacts>;

function edition(): Edition {
  const facts = barleyFacts(readBarley());
  return { chart: chart(facts), short: short(facts), long: long(facts) };
}

function short({ sites }: Facts): string {
  const { site, before, after } = entry(sites, -1);
  return `Yields fell at ${sites.filter(({ change }) => change < 0).length} of ${sites.length} sites from 1931 to 1932; only ${site} grew, from ${decimal(before, 1)} to ${decimal(after, 1)} bushels an acre.`;
}

function long({ rows, sites, best, before, after }: Facts): string {
  return paragraphs(
    `**${entry(sites, -1).site} goes against the rest.** Over all ${rows.length} trials the mean went from ${decimal(before, 1)} to ${decimal(after, 1)} bushels an acre, *${change(after / before - 1)}*:`,
    bullets(
      sites.map(
        (site) =>
          `${site.site}: ${decimal(site.before, 1)} to ${decimal(site.after, 1)}, **${change(site.change, 0)}**`,
      ),
    ),
    `Statisticians have long suspected that the two years were swapped at that one site. \`${best.variety}\` was the best variety over both years, with a mean of ${decimal(best.mean, 1)}.`,
  );
}

function chart({ sites }: Facts): Edition['chart'] {
  const names = sites.map(({ site }) => site);
  const colorOf = (change: number) => (change > 0 ? ACCENT.green : INK.muted);
  return {
    ...frame({ left: 430, right: 60, top: 100, bottom: 110 }),
    xAxis: baseAxis({
      type: 'value',
      min: 20,
      max: 60,
      interval: 10,
      splitLine: { show: true, lineStyle: { color: INK.grid, width: 2 } },
    }),
    yAxis: valueAxis({
      type: 'category',
      data: names,
      inverse: true,
      splitLine: { show: false },
      axisLabel: { color: INK.text, fontSize: TYPE.label },
    }),
    series: [
      ...sites.map(({ site, before, after, change }) => ({
        type: 'line' as const,
        data: [
          [before, site],
          [after, site],
        ],
        showSymbol: false,
        silent: true,
        lineStyle: { color: colorOf(change), width: 14, cap: 'butt' as const },
      })),
      dots(
        sites.map(({ site, before }) => [before, site]),
        '#ffffff',
        '1931',
      ),
      dots(
        sites.map(({ site, after }) => [after, site]),
        ACCENT.green,
        '1932',
      ),
    ],
  };
}

function dots(data: (string | number)[][], fill: string, year: string) {
  const label = {
    show: true,
    formatter: year,
    position: 'top' as const,
    distance: 14,
    fontSize: TYPE.axis,
    fontWeight: 600 as const,
    color: INK.axis,
  };
  return {
    type: 'scatter' as const,
    symbolSize: 44,
    z: 4,
    itemStyle: { opacity: 1, color: fill, borderColor: ACCENT.green, borderWidth: 8 },
    data: data.map((value, index) => (index === 0 ? { value, label } : { value })),
  };
}

/** Barley trials in Minnesota, from a source that is being set up again. */
export const barleyYields: Story = {
  sourceId: 'src_barley_yields',
  name: 'Barley yields in Minnesota',
  provider: 'QUICKBOOKS',
  status: 'DRAFT',
  connectionCount: 1,
  latestHoursAgo: 24 * 9,
  everyHours: 24 * 7,
  outcomes: ['SUCCESS', 'FAILED'],
  editions: () => [edition()],
};
