import type { EChartsOption } from 'echarts';
import { callouts } from '../callout.ts';
import { baseAxis, credit, frame, labelOnly, STROKE, valueAxis } from '../frame.ts';
import { entry } from '../measures.ts';
import { ACCENT } from '../palette.ts';
import { readCsv } from '../read-dataset.ts';

const YEARS = new Map(['1960', '1980', '2000', '2020'].map((year) => [`${year}-01-01`, year]));

/**
 * The carbon dioxide at Mauna Loa in parts per million, measured and seasonally adjusted, as of three different months.
 */
export function maunaLoa(): EChartsOption[] {
  const all = readCsv<'Date' | 'CO2' | 'adjusted CO2'>('co2-concentration.csv');
  return [0, 1, 2].map((earlier) => {
    const months = all.slice(0, all.length - earlier);
    const adjusted = months.map((row) => Number(row['adjusted CO2']));
    const measured = months.map((row) => Number(row.CO2));
    const last = entry(adjusted, -1);
    const callout = { text: `${last.toFixed(0)} ppm`, color: ACCENT.orange, side: 'left' } as const;
    return {
      ...frame({ left: 130, right: 150, top: 70 }),
      ...credit('Data: Scripps CO₂ Program, CC BY 4.0'),
      xAxis: baseAxis({
        type: 'category',
        boundaryGap: false,
        data: months.map((row) => row.Date),
        axisLabel: labelOnly(YEARS),
      }),
      yAxis: valueAxis({ min: 300, max: 420, interval: 40 }),
      series: [
        line(measured, '#f5b08d', STROKE.thin),
        {
          ...line(adjusted, ACCENT.orange, STROKE.line),
          markPoint: callouts([{ at: [entry(months, -1).Date, last], ...callout }]),
        },
      ],
    };
  });
}

function line(data: number[], color: string, width: number) {
  return { type: 'line' as const, data, showSymbol: false, lineStyle: { color, width, join: 'round' as const } };
}
