import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pngOf } from '../testing/chart-file.ts';
import { chartIdOf, chartPath, isPng, parseChartFileName } from './chart.ts';

describe('chartIdOf()', () => {
  it('returns the same ID only for identical bytes', () => {
    assert.equal(chartIdOf(pngOf(1)), chartIdOf(pngOf(1)));
    assert.notEqual(chartIdOf(pngOf(1)), chartIdOf(pngOf(2)));
  });
});

describe('parseChartFileName()', () => {
  it('extracts the ID from a name that chartPath() created', () => {
    const id = chartIdOf(pngOf(1));
    assert.equal(parseChartFileName(chartPath(id).slice('/charts/'.length)), id);
  });

  it('returns undefined for any other name', () => {
    const id = chartIdOf(pngOf(1));
    for (const name of ['', id, `${id}.PNG`, `${id}.png.gz`, `../${id}.png`, `${id.toUpperCase()}.png`, `${id}a.png`]) {
      assert.equal(parseChartFileName(name), undefined, name);
    }
  });
});

describe('isPng()', () => {
  it('recognizes a PNG', () => {
    assert.equal(isPng(pngOf(0)), true);
  });

  it('rejects everything else', () => {
    const others: Record<string, Buffer> = {
      nothing: Buffer.alloc(0),
      'a GIF': Buffer.from('GIF89a..............'),
      'a JPEG': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46]),
      'an SVG': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'a web page': Buffer.from('<!doctype html><script>alert(1)</script>'),
      'a PNG that was cut short': pngOf(0).subarray(0, -12),
      'only a first chunk': pngOf(0).subarray(0, 33),
      'only a signature': pngOf(0).subarray(0, 8),
      'a PNG that lost its line endings': Buffer.from(pngOf(0).toString('latin1').replace('\r\n', '\n'), 'latin1'),
      'a PNG after a blank': Buffer.concat([Buffer.from(' '), pngOf(0)]),
    };
    for (const [what, bytes] of Object.entries(others)) assert.equal(isPng(bytes), false, what);
  });
});
