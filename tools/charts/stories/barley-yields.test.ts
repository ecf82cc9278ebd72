import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storyOf } from '@pulse-card/demo/data/story';
import { flat, numbersIn, SqlTables } from '../sql-tables.ts';

describe('the commentary on barley yields', () => {
  const sql = new SqlTables().json('barley', 'barley.json');
  const [edition] = storyOf('src_barley_yields').editions;
  const sites = `(select site, avg(iif(year = 1931, yield, null)) as before, avg(iif(year = 1932, yield, null)) as after from barley group by site)`;

  it('the finding counts the sites whose yield fell, and gives both yields of the exception', () => {
    const counts = sql.row(`select sum(after < before), count(*), '1931', '1932' from ${sites}`);
    const grown = sql.row(`select printf('%.1f', before), printf('%.1f', after) from ${sites} where after > before`);
    assert.deepEqual(numbersIn(edition!.short), flat(counts, grown));
  });

  it('the analysis gives the mean for each year, each site, and the best variety', () => {
    const years =
      sql.row(`select count(*), printf('%.1f', avg(iif(year = 1931, yield, null))), printf('%.1f', avg(iif(year = 1932, yield, null))),
      printf('%.1f', 100 - 100 * avg(iif(year = 1932, yield, null)) / avg(iif(year = 1931, yield, null))) from barley`);
    const bySite = sql.rows(
      `select printf('%.1f', before), printf('%.1f', after), printf('%.0f', abs(100 * after / before - 100)) from ${sites} order by after / before`,
    );
    const best = sql.row(
      `select printf('%.1f', avg(yield)) as mean from barley group by variety order by avg(yield) desc`,
    );
    assert.deepEqual(numbersIn(edition!.long), flat(years, bySite, best));
  });
});
