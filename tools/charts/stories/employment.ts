import type { EChartsOption } from 'echarts';
import { callouts } from '../callout.ts';
import { baseAxis, frame, labelOnly, STROKE, valueAxis } from '../frame.ts';
import { entry, least } from '../measures.ts';
import { ACCENT, INK } from '../palette.ts';
import { readCsv } from '../read-dataset.ts';

const YEARS = new Map(['2006', '2008', '2010', '2012', '2014'].map((year) => [`${year}-01-01`, year]));

/** US payrolls in millions from 2006 to 2015, and the same as of one and two months earlier. */
export function employment(): EChartsOption[] {
  const months = readCsv<'month' | 'nonfarm'>('us-employment.csv').map(({ month, nonfarm }) => ({
    month,
    jobs: Number(nonfarm) / 1000,
  }));
  return [0, 1, 2].map((earlier) => chart(months.slice(0, months.length - earlier)));
}

function chart(months: readonly { readonly month: string; readonly jobs: number }[]): EChartsOption {
  const last = entry(months, -1);
  const trough = least(months, ({ jobs }) => jobs);
  const callout = ({ month, jobs }: typeof last, color: string) =>
    ({ at: [month, jobs], text: `${jobs.toFixed(1)}M`, color }) as const;
  return {
    ...frame({ left: 170, right: 150 }),
    xAxis: baseAxis({
      type: 'category',
      boundaryGap: false,
      data: months.map(({ month }) => month),
      axisLabel: labelOnly(YEARS),
    }),
    yAxis: valueAxis({ min: 125, max: 145, interval: 5, axisLabel: { formatter: '{value}M' } }),
    series: {
      type: 'line',
      data: months.map(({ jobs }) => jobs),
      showSymbol: false,
      lineStyle: { color: ACCENT.indigo, width: STROKE.line },
      areaStyle: { color: fade(ACCENT.indigo) },
      markPoint: callouts([callout(last, ACCENT.indigo), { ...callout(trough, INK.axis), side: 'bottom' }]),
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
