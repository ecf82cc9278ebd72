import { ACCENT, INK } from '../palette.ts';
import { baseAxis, credit, frame, TYPE, valueAxis } from '../frame.ts';
import { readJson } from '../read-dataset.ts';
import type { Edition, Story } from '../story.ts';
import { bullets, paragraphs } from '../words/lists.ts';
import { entry, least, most, sum } from '../words/measures.ts';
import { decimal } from '../words/numbers.ts';

/** A country in a year: its population, life expectancy at birth, children per woman, and the number of its region. */
export interface CountryYear {
  readonly year: number;
  readonly country: string;
  readonly cluster: number;
  readonly pop: number;
  readonly life_expect: number;
  readonly fertility: number;
}

/** Reads data on about sixty countries, every five years from 1955 to 2005. */
export function readCountries(): CountryYear[] {
  return readJson<CountryYear>('gapminder.json');
}

/** The mean over all countries in a year, weighted by population. */
function weighed(rows: readonly CountryYear[], measure: (row: CountryYear) => number): number {
  return sum(rows, (row) => measure(row) * row.pop) / sum(rows, ({ pop }) => pop);
}

/** The facts in the commentary on a year. */
export function lifeFacts(all: readonly CountryYear[], year: number) {
  const rows = all.filter((row) => row.year === year);
  const first = all.filter((row) => row.year === 1955);
  const gains = rows.map((row) => {
    const before = first.find(({ country }) => country === row.country)?.life_expect ?? row.life_expect;
    return { country: row.country, before, after: row.life_expect, gain: row.life_expect - before };
  });
  gains.sort((a, b) => b.gain - a.gain);
  return {
    year,
    rows,
    gains,
    life: weighed(rows, (row) => row.life_expect),
    lifeFirst: weighed(first, (row) => row.life_expect),
    fertility: weighed(rows, (row) => row.fertility),
    fertilityFirst: weighed(first, (row) => row.fertility),
    longest: most(rows, (row) => row.life_expect),
    shortest: least(rows, (row) => row.life_expect),
  };
}

type Facts = ReturnType<typeof lifeFacts>;

function edition(all: readonly CountryYear[], year: number): Edition {
  const facts = lifeFacts(all, year);
  return { chart: chart(facts), short: short(facts), long: long(facts) };
}

function short({ year, life, lifeFirst, fertility, fertilityFirst }: Facts): string {
  return `People could expect ${decimal(life, 1)} years of life in ${year}, up from ${decimal(lifeFirst, 1)} in 1955, while families shrank from ${decimal(fertilityFirst, 1)} children to ${decimal(fertility, 1)}.`;
}

function long({ year, rows, gains, longest, shortest }: Facts): string {
  const worst = entry(gains, -1);
  return paragraphs(
    `**Longer lives and smaller families went together** in nearly all of the ${rows.length} countries. The largest gains since 1955:`,
    bullets(
      gains
        .slice(0, 3)
        .map(
          ({ country, gain, before, after }) =>
            `${country}: **${decimal(gain, 1)} years**, from ${decimal(before, 1)} to ${decimal(after, 1)}`,
        ),
    ),
    `In ${year} the gap between ${longest.country} (${decimal(longest.life_expect, 1)} years) and ${shortest.country} (${decimal(shortest.life_expect, 1)}) was *${decimal(longest.life_expect - shortest.life_expect, 1)} years*. ${worst.country} improved least: ${decimal(worst.before, 1)} in 1955, ${decimal(worst.after, 1)} in ${year}.`,
  );
}

const CLUSTER_COLORS = [ACCENT.orange, ACCENT.blue, ACCENT.violet, ACCENT.green, ACCENT.amber, ACCENT.teal];
type Place = 'top' | 'right' | 'left' | 'bottom' | 'insideBottom';

/** The labeled countries, with positions at which labels don't overlap each other or other bubbles. */
const PLACES: Readonly<Record<string, Place>> = {
  China: 'bottom',
  India: 'right',
  Nigeria: 'bottom',
  Afghanistan: 'top',
  // In these years, the usual positions would overlap neighboring countries.
  'China 2000': 'insideBottom',
  'Nigeria 2000': 'top',
  'Afghanistan 2000': 'bottom',
};

function chart({ rows, shortest }: Facts): Edition['chart'] {
  const largestFirst = rows.toSorted((a, b) => b.pop - a.pop);
  const named = rows.filter((row) => row === shortest || row.country in PLACES);
  return {
    ...frame({ left: 240, right: 40, top: 70, bottom: 180 }),
    ...credit('Data: Gapminder, CC BY 4.0'),
    xAxis: baseAxis({
      type: 'value',
      min: 0.5,
      max: 8.5,
      axisLabel: { customValues: [1, 2, 3, 4, 5, 6, 7, 8] },
      name: 'Children per woman',
      nameLocation: 'middle',
      nameGap: 104,
      nameTextStyle: { fontSize: TYPE.axis, color: INK.axis, fontWeight: 500 },
    }),
    yAxis: valueAxis({
      min: 40,
      max: 86,
      interval: 10,
      axisLabel: { showMaxLabel: false, formatter: '{value} years' },
    }),
    series: [bubbles(largestFirst), names(named)],
  };
}

function bubbles(rows: readonly CountryYear[]) {
  return {
    type: 'scatter' as const,
    data: rows.map((row) => ({
      value: [row.fertility, row.life_expect],
      symbolSize: bubbleSize(row),
      itemStyle: {
        opacity: 0.72,
        color: CLUSTER_COLORS[row.cluster] ?? INK.muted,
        borderColor: INK.background,
        borderWidth: 3,
      },
    })),
  };
}

/** The names are a separate layer, so that no bubble covers them. */
function names(rows: readonly CountryYear[]) {
  const type = {
    fontSize: TYPE.axis,
    fontWeight: 600 as const,
    color: INK.text,
    textBorderColor: INK.background,
    textBorderWidth: 8,
  };
  return {
    type: 'scatter' as const,
    z: 5,
    itemStyle: { color: 'transparent' },
    data: rows.map((row) => ({
      value: [row.fertility, row.life_expect],
      symbolSize: bubbleSize(row),
      label: {
        show: true,
        formatter: row.country,
        position: PLACES[`${row.country} ${row.year}`] ?? PLACES[row.country] ?? ('left' as const),
        distance: 8,
        ...type,
      },
    })),
  };
}

function bubbleSize({ pop }: CountryYear): number {
  return 24 + Math.sqrt(pop) / 210;
}

/** Life expectancy and family size of countries. */
export const lifeExpectancy: Story = {
  sourceId: 'src_life_expectancy',
  name: 'Longer lives, smaller families',
  provider: 'MYSQL',
  status: 'ACTIVE',
  connectionCount: 1,
  latestHoursAgo: 24 * 3,
  everyHours: 24 * 30,
  outcomes: ['SUCCESS', 'SUCCESS', 'SUCCESS'],
  editions: () => {
    const all = readCountries();
    return [edition(all, 2005), edition(all, 2000), edition(all, 1995)];
  },
};
