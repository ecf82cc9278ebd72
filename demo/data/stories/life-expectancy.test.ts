import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flat, numbersIn, SqlTables } from '../testing/sql-tables.ts';
import { lifeExpectancy } from './life-expectancy.ts';

describe('the commentary on life expectancy', () => {
  const sql = new SqlTables().json('countries', 'gapminder.json');
  const [edition] = lifeExpectancy.editions();
  const mean = (column: string, year: number) =>
    `(select printf('%.1f', sum(${column} * pop) / sum(pop)) from countries where year = ${year})`;
  const pairs = `(select b.life_expect - a.life_expect as gain, a.life_expect as before, b.life_expect as after from countries a join countries b using (country) where a.year = 1955 and b.year = 2005)`;

  it('names in short the means over all people, then and now', () => {
    const expected = sql.row(
      `select ${mean('life_expect', 2005)}, '2005', ${mean('life_expect', 1955)}, '1955', ${mean('fertility', 1955)}, ${mean('fertility', 2005)}`,
    );
    assert.deepEqual(numbersIn(edition!.short), flat(expected));
  });

  it('names at length the largest gains and the gap', () => {
    const count = sql.row(`select count(*), '1955' from countries where year = 2005`);
    // 73.55 is written 73.6; as a binary fraction it lies just below the half.
    const gains = sql.rows(
      `select printf('%.1f', gain), printf('%.1f', before), printf('%.1f', after + 1e-9) from ${pairs} order by gain desc limit 3`,
    );
    const gap = sql.row(
      `select '2005', printf('%.1f', max(after)), printf('%.1f', min(after)), printf('%.1f', max(after) - min(after)) from ${pairs}`,
    );
    const worst = sql.row(
      `select printf('%.1f', before), '1955', printf('%.1f', after), '2005' from ${pairs} order by gain`,
    );
    assert.deepEqual(numbersIn(edition!.long), flat(count, gains, gap, worst));
  });
});
