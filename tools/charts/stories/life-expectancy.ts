import type { EChartsOption } from 'echarts';
import { baseAxis, credit, frame, TYPE, valueAxis } from '../frame.ts';
import { least } from '../measures.ts';
import { ACCENT, INK } from '../palette.ts';
import { readJson } from '../read-dataset.ts';

/** A country in a year: its population, life expectancy at birth, children per woman, and the number of its region. */
export interface CountryYear {
  readonly year: number;
  readonly country: string;
  readonly cluster: number;
  readonly pop: number;
  readonly life_expect: number;
  readonly fertility: number;
}

const CLUSTER_COLORS = [ACCENT.orange, ACCENT.blue, ACCENT.violet, ACCENT.green, ACCENT.amber, ACCENT.teal];

/** The labeled countries, with positions at which labels don't overlap each other or other bubbles. */
const PLACES: Readonly<Record<string, 'top' | 'right' | 'bottom' | 'insideBottom'>> = {
  China: 'bottom',
  India: 'right',
  Nigeria: 'bottom',
  Afghanistan: 'top',
  // In these years, the usual positions would overlap neighboring countries.
  'China 2000': 'insideBottom',
  'Nigeria 2000': 'top',
  'Afghanistan 2000': 'bottom',
};

/** Life expectancy and family size of about sixty countries in 2005, 2000, and 1995. */
export function lifeExpectancy(): EChartsOption[] {
  const all = readJson<CountryYear>('gapminder.json');
  return [2005, 2000, 1995].map((year) => chart(all.filter((row) => row.year === year)));
}

function chart(rows: readonly CountryYear[]): EChartsOption {
  const shortest = least(rows, (row) => row.life_expect);
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
      ...bubble(row),
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
  const type = { fontSize: TYPE.axis, fontWeight: 600 as const, color: INK.text };
  const outline = { textBorderColor: INK.background, textBorderWidth: 8 };
  return {
    type: 'scatter' as const,
    z: 5,
    itemStyle: { color: 'transparent' },
    data: rows.map((row) => ({
      ...bubble(row),
      label: {
        show: true,
        formatter: row.country,
        position: PLACES[`${row.country} ${row.year}`] ?? PLACES[row.country] ?? ('left' as const),
        distance: 8,
        ...type,
        ...outline,
      },
    })),
  };
}

function bubble({ fertility, life_expect: years, pop }: CountryYear) {
  return { value: [fertility, years], symbolSize: 24 + Math.sqrt(pop) / 210 };
}
