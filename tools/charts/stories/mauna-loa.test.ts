import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storyOf } from '@pulse-card/demo/data/story';
import { flat, numbersIn, SqlTables } from '../sql-tables.ts';

describe('the commentary on carbon dioxide at Mauna Loa', () => {
  const sql = new SqlTables().csv('co2', 'co2-concentration.csv');
  const [edition] = storyOf('src_co2_mauna_loa').editions;
  const level = (date: string) => `(select "adjusted CO2" from co2 where date = '${date}-01')`;
  const years = `(select substr(date, 1, 4) as year, avg("adjusted CO2") as level from co2 group by year having count(*) = 12)`;
  const mean = (year: number) => `(select level from ${years} where year = '${year}')`;

  it('the finding gives the latest level, and the rise since the first measurement', () => {
    const expected = sql.row(
      `select printf('%.1f', ${level('2020-04')}), '2020', printf('%.1f', ${level('2020-04')} - ${level('1958-03')}), '1958'`,
    );
    assert.deepEqual(numbersIn(edition!.short), flat(expected));
  });

  it('the analysis gives the rise’s acceleration and the year of each mark', () => {
    const sixties = `((${mean(1970)} - ${mean(1960)}) / 10)`;
    const latest = `((${mean(2019)} - ${mean(2009)}) / 10)`;
    const rates = sql.row(
      `select printf('%.1f', ${sixties}), '2009', '2019', printf('%.1f', ${latest}), printf('%.1f', ${latest} / ${sixties})`,
    );
    const marks = [350, 375, 400].map((ppm) => [ppm, sql.row(`select min(year) from ${years} where level > ${ppm}`)]);
    const last = sql.row(`select '2020', printf('%.1f', CO2) from co2 where date = '2020-04-01'`);
    assert.deepEqual(numbersIn(edition!.long.replace('1960s', '')), flat(rates, marks, last));
  });
});
