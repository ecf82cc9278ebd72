import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pngOf } from '../testing/chart-file.ts';
import { isPng } from './png.ts';

describe('isPng()', () => {
  it('knows a PNG', () => {
    assert.equal(isPng(pngOf(0)), true);
  });

  it('takes nothing else for one', () => {
    const others: Record<string, Buffer> = {
      nothing: Buffer.alloc(0),
      'a GIF': Buffer.from('GIF89a..............'),
      'a JPEG': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46]),
      'an SVG': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'a web page': Buffer.from('<!doctype html><script>alert(1)</script>'),
      'a PNG that was cut short': pngOf(0).subarray(0, -12),
      'a first chunk alone': pngOf(0).subarray(0, 33),
      'a signature alone': pngOf(0).subarray(0, 8),
      'a PNG that lost its line endings': Buffer.from(pngOf(0).toString('latin1').replace('\r\n', '\n'), 'latin1'),
      'a PNG after a blank': Buffer.concat([Buffer.from(' '), pngOf(0)]),
    };
    for (const [what, bytes] of Object.entries(others)) assert.equal(isPng(bytes), false, what);
  });
});
