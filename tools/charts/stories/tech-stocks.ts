import type { EChartsOption } from 'echarts';
import { baseAxis, frame, labelOnly, STROKE, TYPE, valueAxis } from '../frame.ts';
import { entry } from '../measures.ts';
import { ACCENT, INK } from '../palette.ts';
import { readCsv } from '../read-dataset.ts';

interface Company {
  readonly name: string;
  readonly color?: string;
  /** Names need more contrast than lines. */
  readonly ink?: string;
  /** Separates the names of lines that end close together. */
  readonly up: number;
}

const COMPANIES: Readonly<Record<string, Company>> = {
  AAPL: { name: 'Apple', color: ACCENT.blue, ink: '#1557b0', up: 0 },
  AMZN: { name: 'Amazon', color: ACCENT.amber, ink: '#8a5f00', up: -26 },
  GOOG: { name: 'Google', color: ACCENT.green, ink: '#216c2d', up: 30 },
  IBM: { name: 'IBM', up: -24 },
  MSFT: { name: 'Microsoft', up: 28 },
};

const YEARS = new Map(['2005', '2006', '2007', '2008', '2009', '2010'].map((year) => [`${year}-01-01`, year]));

/** The value of $100 invested in January 2005 in each of five tech stocks, as of three months in 2010. */
export function techStocks(): EChartsOption[] {
  const rows = readCsv<'symbol' | 'date' | 'price'>('stocks.csv').map(({ symbol, date, price }) => ({
    symbol,
    month: new Date(`${date} UTC`).toISOString().slice(0, 10),
    price: Number(price),
  }));
  return ['2010-03-01', '2010-02-01', '2010-01-01'].map((until) => {
    const shown = rows.filter(({ month }) => month >= '2005-01-01' && month <= until);
    const shares = [...Map.groupBy(shown, ({ symbol }) => symbol)].map(([symbol, prices]) => {
      const base = entry(prices, 0).price;
      return { symbol, prices, data: prices.map(({ price }) => (price / base) * 100) };
    });
    // The lines are drawn from the smallest to the largest, so that the strongest line is on top.
    const smallestFirst = shares.toSorted((a, b) => entry(a.data, -1) - entry(b.data, -1));
    return {
      ...frame({ left: 160, right: 330 }),
      xAxis: baseAxis({
        type: 'category',
        boundaryGap: false,
        data: entry(shares, 0).prices.map(({ month }) => month),
        axisLabel: labelOnly(YEARS),
      }),
      yAxis: valueAxis({ min: 0, max: 750, interval: 250, axisLabel: { formatter: '${value}' } }),
      series: smallestFirst.map(({ symbol, data }) => shareLine(COMPANIES[symbol] ?? { name: symbol, up: 0 }, data)),
    };
  });
}

function shareLine({ name, color = INK.muted, ink = INK.axis, up }: Company, data: number[]) {
  return {
    type: 'line' as const,
    data,
    showSymbol: false,
    lineStyle: { color, width: name === 'Apple' ? STROKE.line : STROKE.thin + 2 },
    endLabel: {
      show: true,
      formatter: name,
      color: ink,
      fontSize: TYPE.label,
      fontWeight: 600 as const,
      distance: 18,
      offset: [0, up],
    },
  };
}
