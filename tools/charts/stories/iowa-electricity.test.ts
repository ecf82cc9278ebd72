import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storyOf } from '@pulse-card/demo/data/story';
import { flat, numbersIn, SqlTables } from '../sql-tables.ts';

describe("the commentary on Iowa's electricity", () => {
  const sql = new SqlTables().csv('power', 'iowa-electricity.csv');
  const [edition] = storyOf('src_iowa_electricity').editions;
  const made = (source: string, year: number) =>
    `(select net_generation / 1000.0 from power where source = '${source}' and year like '${year}-%')`;
  const share = (source: string, year: number) =>
    `(select printf('%.0f', 100.0 * ${made(source, year)} / sum(net_generation / 1000.0)) from power where year like '${year}-%')`;
  const terawatt = (of: string) => `printf('%.1f', ${of})`;

  it('the finding gives the percentage of electricity from renewables in the first and last years', () => {
    const expected = sql.row(`select ${share('Renewables', 2017)}, '2017', ${share('Renewables', 2001)}, '2001'`);
    assert.deepEqual(numbersIn(edition!.short), flat(expected));
  });

  it('the analysis gives the largest increase, the mix, and the peak in fossil fuels', () => {
    const rise = sql.row(
      `select ${terawatt(made('Renewables', 2001))}, '2001', ${terawatt(made('Renewables', 2017))}, '2017'`,
    );
    const step =
      sql.row(`select printf('%.1f', (a.net_generation - b.net_generation) / 1000.0), substr(a.year, 1, 4) from power a join power b on a.source = b.source and cast(substr(a.year, 1, 4) as integer) = substr(b.year, 1, 4) + 1
      where a.source = 'Renewables' order by a.net_generation - b.net_generation desc`);
    const mix = ['Fossil Fuels', 'Renewables', 'Nuclear Energy'].map((source) =>
      sql.row(`select ${terawatt(made(source, 2017))}, ${share(source, 2017)}`),
    );
    const peak = sql.row(
      `select printf('%.1f', max(cast(net_generation as real)) / 1000), substr(year, 1, 4), printf('%.0f', 100 - 100000 * ${made('Fossil Fuels', 2017)} / max(cast(net_generation as real))), '2017' from power where source = 'Fossil Fuels'`,
    );
    assert.deepEqual(numbersIn(edition!.long), flat(rise, step, '2017', mix, peak));
  });
});
