import type { EChartsOption } from 'echarts';
import { baseAxis, CHART_HEIGHT, frame, labelOnly, TYPE, valueAxis } from '../frame.ts';
import { ACCENT, INK } from '../palette.ts';
import { readCsv } from '../read-dataset.ts';

const LABELS = new Map(['2001', '2005', '2009', '2013', '2017'].map((year) => [year, year]));

const LAYERS = [
  { name: 'Nuclear', source: 'Nuclear Energy', color: '#c9b8ec', ink: '#5b3fa6' },
  { name: 'Fossil', source: 'Fossil Fuels', color: '#c7ccd6', ink: INK.axis },
  { name: 'Renewable', source: 'Renewables', color: ACCENT.green, ink: '#216c2d' },
];

const PLOT_TOP = 70;
const PLOT_BOTTOM = 100;
/** The pixels per terawatt-hour. The plot's height represents 60 of them. */
const SCALE = (CHART_HEIGHT - PLOT_TOP - PLOT_BOTTOM) / 60;

/** The electricity generated in Iowa by kind of source, in terawatt-hours, from 2001 to 2017 and to 2016. */
export function iowaElectricity(): EChartsOption[] {
  const rows = readCsv<'year' | 'source' | 'net_generation'>('iowa-electricity.csv');
  return ['2017', '2016'].map((lastYear) => {
    const shown = rows.filter(({ year }) => year.slice(0, 4) <= lastYear);
    const layers = LAYERS.map(({ source, ...layer }) => ({
      ...layer,
      data: shown.filter((row) => row.source === source).map((row) => Number(row.net_generation) / 1000),
    }));
    return {
      ...frame({ left: 215, right: 310, top: PLOT_TOP, bottom: PLOT_BOTTOM }),
      xAxis: baseAxis({
        type: 'category',
        boundaryGap: false,
        data: [...new Set(shown.map(({ year }) => year.slice(0, 4)))],
        axisLabel: labelOnly(LABELS),
      }),
      yAxis: valueAxis({
        max: 60,
        interval: 20,
        axisLabel: { formatter: (value: number) => (value === 60 ? '60 TWh' : String(value)) },
      }),
      series: layers.map(({ name, color, ink, data }) => ({
        type: 'line' as const,
        stack: 'all',
        showSymbol: false,
        lineStyle: { width: 4, color: INK.background },
        areaStyle: { color, opacity: 1 },
        data,
        endLabel: {
          show: true,
          formatter: name,
          color: ink,
          fontSize: TYPE.label,
          fontWeight: 600 as const,
          distance: 18,
          // The middle of the layer.
          offset: [0, (data.at(-1) ?? 0) * SCALE * 0.5],
        },
      })),
    };
  });
}
