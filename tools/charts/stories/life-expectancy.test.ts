import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storyOf } from '@pulse-card/demo/data/story';
import { chartSvg } from '../render-chart.ts';
import { flat, numbersIn, SqlTables } from '../sql-tables.ts';
import { type CountryYear, lifeExpectancy } from './life-expectancy.ts';
import { readJson } from '../read-dataset.ts';

describe('the commentary on life expectancy', () => {
  const sql = new SqlTables().json('countries', 'gapminder.json');
  const [edition] = storyOf('src_life_expectancy').editions;
  const mean = (column: string, year: number) =>
    `(select printf('%.1f', sum(${column} * pop) / sum(pop)) from countries where year = ${year})`;
  const pairs = `(select b.life_expect - a.life_expect as gain, a.life_expect as before, b.life_expect as after from countries a join countries b using (country) where a.year = 1955 and b.year = 2005)`;

  it('the finding gives the world mean for the first and last years', () => {
    const expected = sql.row(
      `select ${mean('life_expect', 2005)}, '2005', ${mean('life_expect', 1955)}, '1955', ${mean('fertility', 1955)}, ${mean('fertility', 2005)}`,
    );
    assert.deepEqual(numbersIn(edition!.short), flat(expected));
  });

  it('the analysis gives the largest gains and the gap', () => {
    const count = sql.row(`select count(*), '1955' from countries where year = 2005`);
    // 73.55 is written as 73.6, although its binary fraction is slightly less than 73.55.
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

/**
 * The bounding box of a name in a drawing. Each letter counts as 0.6 times the type size. The box depends on the anchor
 * of the text.
 */
function boxesOfNames(svg: string): { name: string; left: number; right: number; middle: number }[] {
  const name =
    /text-anchor="(\w+)" style="font-size:(\d+)px[^"]*font-weight:600;"(?: xml:space="preserve")?(?: y="(-?\d+)")? transform="translate\(([\d.]+) ([\d.]+)\)"[^>]*>([^<]+)</g;
  return [...svg.matchAll(name)].map(([, anchor, size, shift, x, y, text]) => {
    const width = text!.length * Number(size) * 0.6;
    const left = Number(x) - width * ({ start: 0, middle: 0.5, end: 1 }[anchor!] ?? 0);
    return { name: text!, left, right: left + width, middle: Number(y) + Number(shift ?? 0) };
  });
}

describe('the chart of life expectancy', () => {
  const drawings = lifeExpectancy().map(chartSvg);

  it('labels five countries in every edition, and no labels overlap', () => {
    for (const svg of drawings) {
      const boxes = boxesOfNames(svg);
      assert.equal(boxes.length, 5);
      for (const [index, a] of boxes.entries()) {
        for (const b of boxes.slice(index + 1)) {
          const apart = a.right < b.left || b.right < a.left || Math.abs(a.middle - b.middle) > 46;
          assert.ok(apart, `${a.name} and ${b.name}`);
        }
      }
    }
  });

  it('keeps every country within its axes', () => {
    for (const [index, year] of [2005, 2000, 1995].entries()) {
      const countries = readJson<CountryYear>('gapminder.json').filter((row) => row.year === year);
      const bubbles = drawings[index]!.match(/<path[^>]*fill-opacity="0.72"/g) ?? [];
      assert.equal(bubbles.length, countries.length, String(year));
    }
  });
});
