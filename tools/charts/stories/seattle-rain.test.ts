import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storyOf } from '@pulse-card/demo/data/story';
import { flat, numbersIn, SqlTables } from '../sql-tables.ts';

describe('the commentary on rain in Seattle', () => {
  const sql = new SqlTables().csv('days', 'seattle-weather.csv');
  const [edition] = storyOf('src_seattle_rain').editions;
  const total = (year: number) => `(select sum(precipitation) from days where date like '${year}-%')`;
  const months = `(select substr(date, 6, 2) as month, sum(precipitation) as rain, sum(precipitation > '0.0') as wet from days where date like '2015-%' group by month)`;

  it('the finding gives the wettest month and its percentage of the year’s rain', () => {
    const expected = sql.row(
      `select '2015', printf('%.0f', rain), printf('%.0f', 100 * rain / ${total(2015)}) from ${months} order by rain desc`,
    );
    assert.deepEqual(numbersIn(edition!.short), flat(expected));
  });

  it('the analysis gives the percentage of winter rain, the extremes, and the yearly change', () => {
    const winter = sql.row(
      `select printf('%.0f', 100 * sum(precipitation) / ${total(2015)}) from days where date like '2015-%' and substr(date, 6, 2) in ('10', '11', '12', '01', '02', '03')`,
    );
    const wettest = sql.row(`select printf('%.0f', rain), wet from ${months} order by rain desc`);
    const driest = sql.row(`select printf('%.0f', rain), wet from ${months} order by rain`);
    const day = sql.row(
      `select cast(substr(date, 9, 2) as integer), printf('%.1f', precipitation) from days where date like '2015-%' order by cast(precipitation as real) desc`,
    );
    const year = sql.row(
      `select sum(wet), '2015', printf('%,d', round(${total(2015)})), printf('%.1f', 100 - 100 * ${total(2015)} / ${total(2014)}), '2014' from ${months}`,
    );
    assert.deepEqual(numbersIn(edition!.long), flat(winter, wettest, driest, day, year));
    assert.match(edition!.short, /^December/);
    assert.match(edition!.long, /Driest month: July[^]*Wettest day: March 15[^]*down/);
  });
});
