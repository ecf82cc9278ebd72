import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pngOf } from '../testing/chart-file.ts';
import { chartIdIn, chartIdOf, chartPath } from './chart-id.ts';

describe('chartIdOf()', () => {
  it('names equal bytes alike and other bytes otherwise', () => {
    assert.equal(chartIdOf(pngOf(1)), chartIdOf(pngOf(1)));
    assert.notEqual(chartIdOf(pngOf(1)), chartIdOf(pngOf(2)));
  });
});

describe('chartIdIn()', () => {
  it('reads back what chartPath() wrote', () => {
    const id = chartIdOf(pngOf(1));
    assert.equal(chartIdIn(chartPath(id).slice('/charts/'.length)), id);
  });

  it('finds no chart in any other name', () => {
    const id = chartIdOf(pngOf(1));
    for (const name of ['', id, `${id}.PNG`, `${id}.png.gz`, `../${id}.png`, `${id.toUpperCase()}.png`, `${id}a.png`]) {
      assert.equal(chartIdIn(name), undefined, name);
    }
  });
});
