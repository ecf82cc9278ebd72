import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storyOf } from '@pulse-card/demo/data/story';
import { flat, numbersIn, SqlTables } from '../sql-tables.ts';

describe('the commentary on flight delays', () => {
  const sql = new SqlTables().json('flights', 'flights-20k.json');
  const [edition] = storyOf('src_flight_delays').editions;
  const hour = `cast(substr(date, 12, 2) as integer)`;
  const weekday = `strftime('%w', replace(substr(date, 1, 10), '/', '-'))`;
  const by = (key: string) =>
    `(select ${key} as key, 100.0 * sum(delay >= 15) / count(*) as share from flights where ${hour} between 6 and 22 group by key)`;
  const clock = (value: unknown) => ((Number(value) + 11) % 12) + 1;

  it('the finding gives the percentage of late flights, and the best and worst hour', () => {
    const [late] = sql.row(`select printf('%.0f', 100.0 * sum(delay >= 15) / count(*)) from flights`);
    const best = sql.row(`select printf('%.0f', share), key from ${by(hour)} order by share`);
    const worst = sql.row(`select printf('%.0f', share), key from ${by(hour)} order by share desc`);
    assert.deepEqual(numbersIn(edition!.short), flat(late, best[0], clock(best[1]), worst[0], clock(worst[1])));
  });

  it('the analysis gives the hours, the days, and the longest delay', () => {
    const all = sql.row(
      `select printf('%,d', count(*)), printf('%.1f', 100.0 * sum(delay >= 15) / count(*)), 15 from flights`,
    );
    const hours = sql.rows(`select key, printf('%.1f', share) from ${by(hour)} order by share`);
    const days = sql.rows(`select key, printf('%.1f', share) from ${by(weekday)} order by share`);
    const longest = sql.row(`select max(delay) from flights`);
    const [best, worst] = [hours[0]!, hours.at(-1)!];
    assert.deepEqual(
      numbersIn(edition!.long),
      flat(all, clock(best[0]), best[1], clock(worst[0]), worst[1], days[0]![1], days.at(-1)![1], longest),
    );
    assert.deepEqual([days[0]![0], days.at(-1)![0]], ['6', '5']);
    assert.match(edition!.long, /Best day: Saturday[^]*Worst day: Friday/);
  });
});
