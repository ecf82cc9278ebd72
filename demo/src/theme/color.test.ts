import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contrastOf, hexOf, nearestPassing, paletteFrom, parseColor } from './color.ts';

describe('hexOf()', () => {
  for (const [text, hex] of [
    ['#FFF', '#ffffff'],
    ['3d40d4', '#3d40d4'],
    [' #3D40D4 ', '#3d40d4'],
    ['red', undefined],
    ['#12345', undefined],
    ['#12345678', undefined],
    ['', undefined],
  ] as const) {
    it(`is ${hex} for "${text}"`, () => assert.equal(hexOf(text), hex));
  }
});

describe('parseColor()', () => {
  for (const [text, hex] of [
    ['teal', '#008080'],
    ['rgb(255 0 0)', '#ff0000'],
    ['hsl(120 100% 25%)', '#008000'],
    ['3d40d4', '#3d40d4'],
    ['rgb(0 0 0 / 50%)', undefined],
    ['#00000080', undefined],
    ['nonsense', undefined],
    ['url(x)', undefined],
  ] as const) {
    it(`is ${hex} for "${text}"`, () => assert.equal(parseColor(text), hex));
  }
});

describe('contrastOf()', () => {
  it('returns the contrast ratio that WCAG defines', () => {
    assert.equal(contrastOf('#000000', '#ffffff'), 21);
    assert.equal(contrastOf('#767676', '#ffffff').toFixed(2), '4.54');
  });
});

describe('nearestPassing()', () => {
  it('keeps a color that already passes', () => assert.equal(nearestPassing('#3d40d4', '#ffffff', 4.5), '#3d40d4'));

  for (const ground of ['#ffffff', '#16191f', '#808080', '#fcf1dd']) {
    for (const color of ['#7a52f4', '#ffff00', '#777777', '#000000', '#ff0000']) {
      it(`turns ${color} into a color that passes on ${ground}`, () => {
        assert.ok(contrastOf(nearestPassing(color, ground, 4.5), ground) >= 4.5);
      });
    }
  }
});

describe('paletteFrom()', () => {
  for (const accent of [
    '#ff0000',
    '#00ff00',
    '#0000ff',
    '#ffff00',
    '#00ffff',
    '#ff00ff',
    '#000000',
    '#ffffff',
    '#808080',
    '#3d40d4',
    '#f7a8b8',
  ]) {
    it(`passes AA in both schemes for the accent ${accent}`, () => {
      const palette = paletteFrom(accent);
      for (const scheme of ['light', 'dark'] as const) {
        for (const token of ['color', 'muted', 'accent'] as const) {
          const ratio = contrastOf(palette[token][scheme], palette.background[scheme]);
          assert.ok(ratio >= 4.5, `${token} ${scheme}: ${ratio}`);
        }
        assert.ok(contrastOf(palette.control[scheme], palette.background[scheme]) >= 3, `control ${scheme}`);
      }
    });
  }
});
