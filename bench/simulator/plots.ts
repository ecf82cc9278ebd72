import { init, use } from 'echarts/core';
import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, MarkLineComponent, TitleComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
import { whittleIndex } from '../../packages/bff/src/planner/estimators.ts';
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

/** Bars of mean staleness for each world, against its offline bound, on a scale of doublings, as SVG. */
export function stalenessPlot(results: readonly WorldResult[]): string {
  const names = results[0]?.scores.map(({ name }) => name) ?? [];
  return svg({
    height: 100 + results.length * 150,
    title: 'Mean staleness as a multiple of the offline bound, in doublings (less is better; labels: seconds)',
    grid: { left: 190, right: 60, top: 112, bottom: 32 },
    xAxis: { type: 'log', logBase: 2, axisLabel: { formatter: '{value} ×' } },
    yAxis: { type: 'category', inverse: true, data: results.map(({ plan }) => plan.name.replace(', ', '\n')) },
    series: names.map((name) => ({
      type: 'bar',
      name,
      barGap: '8%',
      itemStyle: { color: COLOURS[name] },
      data: results.map((result) => {
        const { stalenessSeconds } = scoreIn(result, name);
        const label = { show: true, cursor: 'right', fontSize: 10, formatter: `${shortNumber(stalenessSeconds)} s` };
        return { value: stalenessSeconds / result.boundSeconds, label };
      }),
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
    label: { show: true, cursor: 'right', fontSize: 10, formatter: '{b}' },
    labelLayout: { hideOverlap: true },
    data: points(name),
  }));
  return svg({
    height: 460,
    title: `Staleness and waiting: ${result.plan.name} (dots are lifetimes that were tried)`,
    grid: { left: 70, right: 60, top: 112, bottom: 48 },
    xAxis: { type: 'value', name: 'views that waited, %', nameLocation: 'middle', nameGap: 30 },
    yAxis: { type: 'log', name: 'mean staleness, s', min: 5, nameLocation: 'middle', nameGap: 46 },
    series,
  });
}

/** Sources to show the rule with: views a minute, and minutes between two changes. */
const EXAMPLES = [
  { name: '60 views a minute, changes every 10 min', views: 60, everyMinutes: 10, colour: '#1f4e9c' },
  { name: '6 views a minute, changes every 10 min', views: 6, everyMinutes: 10, colour: '#3f8fc4' },
  { name: '6 views a minute, changes every 2 h', views: 6, everyMinutes: 120, colour: '#7fb5a8' },
  { name: '1 view in 5 minutes, changes every 10 min', views: 0.2, everyMinutes: 10, colour: '#e8a33d' },
];

/** What the price in the picture of the rule is, in reader-seconds. */
const EXAMPLE_PRICE = 20;

/** The rule as a picture: what a refresh buys grows with the age of the copy; where it crosses the price, it is made. As SVG. */
export function rulePlot(): string {
  const minutes = Array.from({ length: 121 }, (_, index) => index / 20);
  const series = EXAMPLES.map(({ name, views, everyMinutes, colour }, index) => ({
    type: 'line',
    name,
    showSymbol: false,
    itemStyle: { color: colour },
    data: minutes.map((age) => [age, whittleIndex(views / 60_000, 1 / (everyMinutes * 60_000), age * 60_000) / 1_000]),
    ...(index === 0 && {
      markLine: {
        timeOut: true,
        symbol: 'none',
        lineStyle: { color: '#444', type: 'dashed' },
        label: { cursor: 'insideEndTop', formatter: 'going price of a call' },
        data: [{ yAxis: EXAMPLE_PRICE }],
      },
    }),
  }));
  return svg({
    height: 440,
    title: 'What a refresh buys, by the age of the copy: it is made where the line crosses the price',
    grid: { left: 70, right: 40, top: 112, bottom: 48 },
    xAxis: { type: 'value', name: 'age of the copy, minutes', nameLocation: 'middle', nameGap: 30, max: 6 },
    yAxis: { type: 'value', name: 'reader-seconds', nameLocation: 'middle', nameGap: 40, max: 60 },
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
    legend: { left: 16, top: 42, itemGap: 20, itemWidth: 14, icon: 'roundRect', textStyle: { fontSize: 11 } },
    ...option,
  });
  const drawn = chart.renderToSVGString();
  chart.dispose();
  return drawn;
}

function shortNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
