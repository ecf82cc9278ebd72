import type { EChartsOption } from 'echarts';
import { baseAxis, frame, TYPE, valueAxis } from '../frame.ts';
import { most, sum } from '../measures.ts';
import { ACCENT } from '../palette.ts';
import { readCsv } from '../read-dataset.ts';

/** Seattle's rainfall in each month of a year, in millimeters. */
export function seattleRain(): EChartsOption[] {
  const days = readCsv<'date' | 'precipitation'>('seattle-weather.csv');
  return [2015, 2014, 2013].map((year) => {
    const months = Array.from('JFMAMJJASOND', (letter, index) => {
      const ofMonth = days.filter(({ date }) => date.startsWith(`${year}-${String(index + 1).padStart(2, '0')}-`));
      return { letter, rain: sum(ofMonth, ({ precipitation }) => Number(precipitation)) };
    });
    const wettest = most(months, ({ rain }) => rain);
    return {
      ...frame({ left: 235, right: 50, top: 110 }),
      xAxis: baseAxis({ type: 'category', data: months.map(({ letter }) => letter) }),
      yAxis: valueAxis({
        max: 300,
        interval: 100,
        axisLabel: { formatter: (value: number) => (value === 0 ? '0' : `${value} mm`) },
      }),
      series: {
        type: 'bar',
        barWidth: '66%',
        data: months.map((month) => ({
          value: month.rain,
          itemStyle: { color: month === wettest ? ACCENT.teal : '#8fd0c8', borderRadius: [10, 10, 0, 0] },
          label: {
            show: month === wettest,
            formatter: month.rain.toFixed(0),
            position: 'top',
            fontSize: TYPE.callout,
            fontWeight: 700,
            color: '#0b5f58',
          },
        })),
      },
    };
  });
}
