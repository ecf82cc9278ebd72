import { init, use } from 'echarts/core';
import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, MarkLineComponent, TitleComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
import type { ContestantName } from './contestants.ts';
import { scoreIn, type WorldResult } from './measure.ts';

use([
  BarChart,
  LineChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  SVGRenderer,
]);

const COLOURS: Readonly<Record<ContestantName, string>> = {
  'uniform polling': '#b8bec9',
  'polling by views': '#8d96a6',
  'TTL, stale-while-revalidate': '#e8a33d',
  'TTL, blocking': '#c96f4a',
  'age index, rates known': '#7fb5a8',
  'age index, learned': '#3f8fc4',
  'age index and price, learned': '#1f4e9c',
};

const FONT = 'Inter, system-ui, sans-serif';

/** Bars of mean staleness for each world, on a scale of powers of ten, as SVG. */
export function stalenessPlot(results: readonly WorldResult[]): string {
  const names = results[0]?.scores.map(({ name }) => name) ?? [];
  return svg({
    height: 90 + results.length * 150,
    title: 'Mean staleness of what readers saw, in seconds (less is better; powers of ten)',
    grid: { left: 190, right: 60, top: 96, bottom: 32 },
    xAxis: { type: 'log', axisLabel: { formatter: (value: number) => `${value} s` } },
    yAxis: { type: 'category', inverse: true, data: results.map(({ plan }) => plan.name.replace(', ', '\n')) },
    series: names.map((name) => ({
      type: 'bar',
      name,
      barGap: '8%',
      itemStyle: { color: COLOURS[name] },
      label: {
        show: true,
        position: 'right',
        fontSize: 10,
        formatter: ({ value }: { value: number }) => shortNumber(value),
      },
      data: results.map((result) => scoreIn(result, name).stalenessSeconds),
    })),
  });
}

/** Staleness against the share of readers who wait, with every lifetime that was tried, for one world, as SVG. */
export function waitingPlot(result: WorldResult): string {
  const curve = (name: ContestantName) => scoreIn(result, name);
  const points = (name: ContestantName) =>
    curve(name).settings.map(({ label, stalenessSeconds, waitedShare }) => ({
      name: label,
      value: [waitedShare * 100, stalenessSeconds],
    }));
  const series = (
    ['TTL, stale-while-revalidate', 'TTL, blocking', 'age index, learned', 'age index and price, learned'] as const
  ).map((name) => ({
    type: 'line',
    name,
    symbolSize: name.startsWith('age') ? 14 : 7,
    itemStyle: { color: COLOURS[name] },
    lineStyle: { color: COLOURS[name], width: 1 },
    label: { show: true, position: 'right', fontSize: 10, formatter: '{b}' },
    data: points(name),
  }));
  return svg({
    height: 460,
    title: `Staleness and waiting: ${result.plan.name} (dots are lifetimes that were tried)`,
    grid: { left: 70, right: 60, top: 96, bottom: 48 },
    xAxis: { type: 'value', name: 'views that waited, %', nameLocation: 'middle', nameGap: 30 },
    yAxis: { type: 'log', name: 'mean staleness, s' },
    series,
  });
}

function svg({ height, title, ...option }: { height: number; title: string; [part: string]: unknown }): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 960, height });
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: { fontFamily: FONT },
    title: { text: title, left: 16, top: 12, textStyle: { fontSize: 15, fontWeight: 600 } },
    legend: { left: 16, top: 42, itemGap: 14, textStyle: { fontSize: 11 } },
    ...option,
  });
  const drawn = chart.renderToSVGString();
  chart.dispose();
  return drawn;
}

function shortNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
