import type { EChartsOption } from 'echarts';
import { frame, TYPE, valueAxis } from '../frame.ts';
import { ACCENT, INK } from '../palette.ts';
import { readJson } from '../read-dataset.ts';

/** An industry's unemployment rate in one month, in percent. */
interface JoblessRow {
  readonly series: string;
  readonly year: number;
  readonly month: number;
  readonly rate: number;
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  'Mining and Extraction': 'Mining',
  'Transportation and Utilities': 'Transport',
  'Education and Health': 'Education, health',
  'Leisure and hospitality': 'Leisure',
  'Wholesale and Retail Trade': 'Trade',
  Agriculture: 'Farming',
};

/** The industries with the highest unemployment in February and in January 2010. */
export function joblessByIndustry(): EChartsOption[] {
  const rows = readJson<JoblessRow>('unemployment-across-industries.json').filter(({ year }) => year === 2010);
  return [2, 1].map((month) => {
    const highest = rows.filter((row) => row.month === month).toSorted((a, b) => b.rate - a.rate);
    const shown = highest.slice(0, 7);
    return {
      ...frame({ left: 475, right: 190, top: 20, bottom: 20 }),
      xAxis: { type: 'value', min: 0, max: 30, show: false },
      yAxis: valueAxis({
        type: 'category',
        inverse: true,
        data: shown.map(({ series }) => SHORT_NAMES[series] ?? series),
        splitLine: { show: false },
        axisLabel: { color: INK.text, fontSize: TYPE.label },
      }),
      series: {
        type: 'bar',
        barWidth: '58%',
        data: shown.map(({ rate }, index) => ({
          value: rate,
          itemStyle: { color: index === 0 ? ACCENT.rose : '#e5a9bd', borderRadius: [0, 10, 10, 0] },
          label: {
            show: true,
            position: 'right',
            distance: 18,
            formatter: `${rate.toFixed(1)}%`,
            fontSize: index === 0 ? TYPE.callout : TYPE.label,
            fontWeight: index === 0 ? 700 : 500,
            color: index === 0 ? '#94184a' : INK.axis,
          },
        })),
      },
    };
  });
}
