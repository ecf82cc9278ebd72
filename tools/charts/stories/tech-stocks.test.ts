import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storyOf } from '@pulse-card/demo/data/story';
import { flat, numbersIn, SqlTables } from '../sql-tables.ts';

describe('the commentary on five tech stocks', () => {
  const sql = new SqlTables().csv('prices', 'stocks.csv');
  const [edition] = storyOf('src_tech_stocks').editions;
  const shares =
    sql.rows(`select a.symbol, 100.0 * b.price / a.price as grown, b.price from prices a join prices b using (symbol)
    where a.date = 'Jan 1 2005' and b.date = 'Mar 1 2010' order by grown desc`);
  const round = (value: unknown) => Number(value).toFixed(0);

  it('the finding gives the value of $100 invested in the best and worst stocks', () => {
    assert.deepEqual(
      numbersIn(edition!.short),
      flat('100', '2005', round(shares[0]![1]), '2010', round(shares.at(-1)![1])),
    );
  });

  it('the analysis gives every stock with its largest fall', () => {
    const became = shares.map(([, grown, price]) => [round(grown), Number(price).toFixed(2)]);
    const falls =
      sql.rows(`with dated as (select symbol, cast(price as real) as price, substr(date, -4) * 12 + instr('JanFebMarAprMayJunJulAugSepOctNovDec', substr(date, 1, 3)) / 3 as at from prices where substr(date, -4) >= '2005'),
      lows as (select symbol, min(price) as low, at from dated where at >= 2008 * 12 group by symbol)
      select symbol, printf('%.0f', 100 - 100 * low / (select max(price) from dated d where d.symbol = lows.symbol and d.at <= lows.at)) as fall from lows order by fall desc`);
    const fallOf = (symbol: string) => falls.find((row) => row[0] === symbol)?.[1];
    const [hardest] = falls;
    const others = shares
      .map(([symbol]) => String(symbol))
      .filter((symbol) => symbol !== hardest![0])
      .map(fallOf);
    assert.deepEqual(
      numbersIn(edition!.long),
      flat('100', '2005', became, '2008', hardest![1], '2007', '2008', others),
    );
  });
});
