import { ACCENT, INK } from '../palette.ts';
import { baseAxis, frame, labelOnly, STROKE, TYPE, valueAxis } from '../frame.ts';
import { readCsv } from '../read-dataset.ts';
import type { Edition, Story } from '../story.ts';
import { monthYear } from '../words/dates.ts';
import { bullets, paragraphs } from '../words/lists.ts';
import { entry, least, most } from '../words/measures.ts';
import { change, decimal, percent } from '../words/numbers.ts';

/** A stock's price in dollars at the start of a month. */
export interface SharePrice {
  readonly month: string;
  readonly price: number;
}

/** One company's stock prices over time. */
export interface Share {
  readonly company: string;
  readonly prices: readonly SharePrice[];
}

const COMPANIES: Record<string, string> = {
  AAPL: 'Apple',
  AMZN: 'Amazon',
  GOOG: 'Google',
  IBM: 'IBM',
  MSFT: 'Microsoft',
};
const START = '2005-01-01';

/** Reads the prices from January 2005, when all five companies were listed, up to the given month. */
export function readShares(until = '9999'): Share[] {
  const rows = readCsv<'symbol' | 'date' | 'price'>('stocks.csv').map(({ symbol, date, price }) => ({
    company: COMPANIES[symbol] ?? symbol,
    month: new Date(`${date} UTC`).toISOString().slice(0, 10),
    price: Number(price),
  }));
  const kept = rows.filter(({ month }) => month >= START && month <= until);
  return [...Map.groupBy(kept, ({ company }) => company)].map(([company, prices]) => ({ company, prices }));
}

/** The facts in the commentary on the stocks. */
export function shareFacts(shares: readonly Share[]) {
  const growth = shares.map(({ company, prices }) => {
    const [first, last] = [entry(prices, 0), entry(prices, -1)];
    const low = least(
      prices.filter(({ month }) => month >= '2008-01-01'),
      ({ price }) => price,
    );
    const high = most(
      prices.filter(({ month }) => month <= low.month),
      ({ price }) => price,
    );
    return { company, times: last.price / first.price, last, drop: low.price / high.price - 1, low, high };
  });
  growth.sort((a, b) => b.times - a.times);
  return { growth, best: entry(growth, 0), worst: entry(growth, -1), hardest: least(growth, ({ drop }) => drop) };
}

type Facts = ReturnType<typeof shareFacts>;

function edition(until?: string): Edition {
  const shares = readShares(until);
  const facts = shareFacts(shares);
  return { chart: chart(shares, facts), short: short(facts), long: long(facts) };
}

function short({ best, worst }: Facts): string {
  return `$100 put into ${best.company} in ${monthYear(START)} had become $${decimal(best.times * 100)} by ${monthYear(best.last.month)}; in ${worst.company}, $${decimal(worst.times * 100)}.`;
}

function long({ growth, hardest }: Facts): string {
  return paragraphs(
    `**What $100 of ${monthYear(START)} became**, dividends left out:`,
    bullets(
      growth.map(
        ({ company, times, last }) =>
          `${company}: **$${decimal(times * 100)}**, at \`$${decimal(last.price, 2)}\` a share`,
      ),
    ),
    `No share escaped the crisis of 2008. ${hardest.company} fell hardest: ${change(hardest.drop, 0)} from ${monthYear(hardest.high.month)} to ${monthYear(hardest.low.month)}.`,
    `The others lost ${growth
      .filter(({ company }) => company !== hardest.company)
      .map(({ company, drop }) => `${percent(-drop, 0)} (${company})`)
      .join(', ')} *between their highs and lows*.`,
  );
}

/** Names need more contrast than lines. */
const NAME_INKS: Record<string, string> = { Apple: '#1557b0', Amazon: '#8a5f00', Google: '#216c2d' };
const COLORS: Record<string, string> = { Apple: ACCENT.blue, Amazon: ACCENT.amber, Google: ACCENT.green };

function chart(shares: readonly Share[], { growth }: Facts): Edition['chart'] {
  const months = entry(shares, 0).prices.map(({ month }) => month);
  const years = new Map(['2005', '2006', '2007', '2008', '2009', '2010'].map((year) => [`${year}-01-01`, year]));
  return {
    ...frame({ left: 160, right: 330 }),
    xAxis: baseAxis({ type: 'category', boundaryGap: false, data: months, axisLabel: labelOnly(years) }),
    yAxis: valueAxis({ min: 0, max: 750, interval: 250, axisLabel: { formatter: '${value}' } }),
    // The lines are drawn from the smallest to the largest, so that the strongest line is on top.
    series: growth.toReversed().map(({ company }) =>
      shareLine(
        entry(
          shares.filter((share) => share.company === company),
          0,
        ),
      ),
    ),
  };
}

function shareLine({ company, prices }: Share) {
  const base = entry(prices, 0).price;
  const color = COLORS[company] ?? INK.muted;
  return {
    type: 'line' as const,
    data: prices.map(({ price }) => (price / base) * 100),
    showSymbol: false,
    lineStyle: { color, width: company === 'Apple' ? STROKE.line : STROKE.thin + 2 },
    endLabel: {
      show: true,
      formatter: company,
      color: NAME_INKS[company] ?? INK.axis,
      fontSize: TYPE.label,
      fontWeight: 600 as const,
      distance: 18,
      offset: LABEL_OFFSETS[company] ?? [0, 0],
    },
  };
}

/** Separates the names of lines that end close together. */
const LABEL_OFFSETS: Record<string, [number, number]> = {
  Amazon: [0, -26],
  Google: [0, 30],
  IBM: [0, -24],
  Microsoft: [0, 28],
};

/** The value of $100 invested in each of five tech stocks. */
export const techStocks: Story = {
  sourceId: 'src_tech_stocks',
  name: 'Five tech stocks since 2005',
  provider: 'BIGQUERY',
  status: 'ACTIVE',
  connectionCount: 2,
  latestHoursAgo: 26,
  everyHours: 24,
  outcomes: ['SUCCESS', 'SUCCESS', 'SUCCESS'],
  editions: () => [edition(), edition('2010-02-01'), edition('2010-01-01')],
};
