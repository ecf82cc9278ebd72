import type { EChartsOption } from 'echarts';
import { baseAxis, frame, TYPE, valueAxis } from '../frame.ts';
import { mean } from '../measures.ts';
import { ACCENT, INK } from '../palette.ts';
import { readJson } from '../read-dataset.ts';

/** A variety's yield at a site in one year, in bushels per acre. */
interface BarleyYield {
  readonly yield: number;
  readonly year: number;
  readonly site: string;
}

/** The Minnesota barley trials of 1931 and 1932: each site's mean yields. */
export function barleyYields(): EChartsOption[] {
  const bySite = Map.groupBy(readJson<BarleyYield>('barley.json'), ({ site }) => site);
  const sites = [...bySite].map(([site, rows]) => {
    const inYear = (year: number) =>
      mean(
        rows.filter((row) => row.year === year),
        (row) => row.yield,
      );
    return { site, before: inYear(1931), after: inYear(1932), change: inYear(1932) / inYear(1931) - 1 };
  });
  sites.sort((a, b) => a.change - b.change);
  const lines = sites.map(({ site, before, after, change }) => ({
    type: 'line' as const,
    data: [
      [before, site],
      [after, site],
    ],
    showSymbol: false,
    silent: true,
    lineStyle: { color: change > 0 ? ACCENT.green : INK.muted, width: 14, cap: 'butt' as const },
  }));
  const before = sites.map((one) => [one.before, one.site]);
  const after = sites.map((one) => [one.after, one.site]);
  return [
    {
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
        data: sites.map(({ site }) => site),
        inverse: true,
        splitLine: { show: false },
        axisLabel: { color: INK.text, fontSize: TYPE.label },
      }),
      series: [...lines, dots(before, '#ffffff', '1931'), dots(after, ACCENT.green, '1932')],
    },
  ];
}

function dots(data: (string | number)[][], fill: string, year: string) {
  const type = { fontSize: TYPE.axis, fontWeight: 600 as const, color: INK.axis };
  const label = { show: true, formatter: year, position: 'top' as const, distance: 14, ...type };
  return {
    type: 'scatter' as const,
    symbolSize: 44,
    z: 4,
    itemStyle: { opacity: 1, color: fill, borderColor: ACCENT.green, borderWidth: 8 },
    data: data.map((value, index) => (index === 0 ? { value, label } : { value })),
  };
}
