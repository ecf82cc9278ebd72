import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storyOf } from '@pulse-card/demo/data/story';
import { flat, numbersIn, SqlTables } from '../sql-tables.ts';

const SECTORS =
  'construction manufacturing professional_and_business_services education_and_health_services leisure_and_hospitality mining_and_logging government';

describe('the commentary on US employment', () => {
  const sql = new SqlTables().csv('jobs', 'us-employment.csv');
  const [edition] = storyOf('src_us_employment').editions;
  const million = (of: string) => `printf('%.1f', (${of}) / 1000.0)`;
  const jobs = (month: string) => `(select nonfarm from jobs where month = '${month}-01')`;
  const peak = `(select max(cast(nonfarm as real)) from jobs where month < '2009')`;
  const trough = `(select min(cast(nonfarm as real)) from jobs)`;

  it('the finding gives the latest level, the yearly change, and the distance to the old peak', () => {
    const expected =
      sql.row(`select ${million(jobs('2015-12'))}, '2015', printf('%.1f', 100.0 * ${jobs('2015-12')} / ${jobs('2014-12')} - 100),
      ${million(`${jobs('2015-12')} - ${peak}`)}, '2008'`);
    assert.deepEqual(numbersIn(edition!.short), flat(expected));
  });

  it('the analysis gives the jobs lost in the recession and the sectors that gained', () => {
    const gains = sql.rows(
      SECTORS.split(' ')
        .map(
          (sector) =>
            `select a.${sector} - b.${sector} as gain from jobs a, jobs b where a.month = '2015-12-01' and b.month = '2014-12-01'`,
        )
        .join(' union all ') + ' order by gain desc',
    );
    const recession =
      sql.row(`select ${million(`${peak} - ${trough}`)}, printf('%.1f', 100 * (${peak} - ${trough}) / ${peak}), ${million(peak)}, '2008', ${million(trough)}, '2010',
      (select substr(min(month), 1, 4) from jobs where month > '2010-02' and cast(nonfarm as real) > ${peak}), ${million(`${jobs('2015-12')} - ${jobs('2014-12')}`)}`);
    const sectors = gains.flat().map(Number);
    assert.deepEqual(numbersIn(edition!.long), flat(recession, sectors.slice(0, 3), Math.abs(sectors.at(-1)!)));
    const months = sql.row(
      `select (select month from jobs where cast(nonfarm as real) = ${peak}), (select month from jobs where cast(nonfarm as real) = ${trough})`,
    );
    assert.deepEqual(months, ['2008-01-01', '2010-02-01']);
    assert.match(edition!.long, /in January 2008 to .* in February 2010/);
  });

  it('the finding of each earlier run names the month of that run', () => {
    assert.deepEqual(
      storyOf('src_us_employment').editions.map(({ short }) => /in (\w+ \d+)/.exec(short)?.[1]),
      ['December 2015', 'November 2015', 'October 2015'],
    );
  });
});
