import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storyOf } from '@pulse-card/demo/data/story';
import { flat, numbersIn, SqlTables } from '../sql-tables.ts';

describe('the commentary on unemployment by industry', () => {
  const sql = new SqlTables().json('jobless', 'unemployment-across-industries.json');
  const [edition] = storyOf('src_jobless_by_industry').editions;
  const total = (year: number) => `(select sum(count) / 1000.0 from jobless where year = ${year} and month = 2)`;
  const pairs = `(select a.series, a.rate, b.rate as before, a.rate - b.rate as rise from jobless a join jobless b using (series, month) where a.year = 2010 and b.year = 2008 and month = 2)`;

  it('the finding gives the highest rate and the total', () => {
    const expected = sql.row(
      `select '2010', printf('%.1f', rate), printf('%.1f', ${total(2010)}) from ${pairs} order by rate desc`,
    );
    assert.deepEqual(numbersIn(edition!.short), flat(expected));
  });

  it('the analysis gives the growth in two years and the highest rates', () => {
    const growth = sql.row(
      `select printf('%.1f', ${total(2010)} - ${total(2008)}), printf('%.1f', ${total(2008)}), '2008', printf('%.1f', ${total(2010)}), '2010'`,
    );
    const highest = sql.rows(
      `select printf('%.1f', rate), printf('%.1f', before) from ${pairs} order by rate desc limit 4`,
    );
    const ends = sql.row(`select printf('%.1f', max(rise)), printf('%.1f', min(rate)) from ${pairs}`);
    assert.deepEqual(numbersIn(edition!.long), flat(growth, highest, ends));
  });
});
