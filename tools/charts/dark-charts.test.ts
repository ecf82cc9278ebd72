import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  blend,
  clampRgb,
  type Color,
  filterHueRotate,
  filterInvert,
  filterSaturate,
  formatHex,
  interpolate,
  parse,
  wcagContrast,
} from 'culori';
import { LISTED_STORIES } from '@pulse-card/demo/data/story';
import { drawingsOf } from './drawings.ts';

const MANIFEST = readFileSync(new URL(import.meta.resolve('@pulse-card/widget/custom-elements.json')), 'utf8');

/** The default of one of the card's custom properties. */
function defaultOf(property: string): string {
  return new RegExp(`"name": "${property}",\\s+"default": "([^"]+)"`).exec(MANIFEST)?.[1] ?? '';
}

const FILTERS = { invert: filterInvert, 'hue-rotate': filterHueRotate, saturate: filterSaturate };

/** The color that the card's filter and blending produce on a dark card. Browsers limit the channels after each filter. */
function darkColor(color: string, ground: string): string {
  const filters = defaultOf('--pulse-card-chart-filter').matchAll(/([\w-]+)\(([\d.]+)(?:deg)?\)/g);
  const filtered = [...filters].reduce<Color>((last, [, name, amount]) => {
    const filter = FILTERS[name as keyof typeof FILTERS](Number(amount));
    return clampRgb(filter(last));
  }, parse(color)!);
  return formatHex(blend([ground, filtered], 'screen'));
}

/** Every color that a drawing uses, blended with white if it is translucent. */
function colorsOf(svg: string): string[] {
  const tags = svg.match(/<(?!svg)[^>]+>/g) ?? [];
  return tags.flatMap((tag) =>
    (['fill', 'stroke'] as const).flatMap((kind) => {
      const value = new RegExp(`[ ;"]${kind}[=:]"?([^";]+)`).exec(tag)?.[1];
      const color = value === undefined || value === 'none' ? undefined : parse(value);
      const alpha = Number(new RegExp(`${kind}-opacity[=:]"?([\\d.]+)`).exec(tag)?.[1] ?? 1);
      return color === undefined ? [] : [formatHex(interpolate([WHITE, formatHex(color)])(alpha))];
    }),
  );
}

const GROUND = /light-dark\([^,]+, (#\w+)\)/.exec(defaultOf('--pulse-card-background'))?.[1] ?? '';
const WHITE = '#ffffff';

const charts = LISTED_STORIES.flatMap(({ sourceId }) => drawingsOf(sourceId).map(({ svg }) => svg));
const colors = charts.map((svg) => [...new Set(colorsOf(svg))]);

describe('the demo’s charts with chart-theme="auto"', () => {
  it('have a white background that takes the color of the dark card', () => {
    assert.equal(defaultOf('--pulse-card-chart-blend'), 'screen');
    assert.equal(darkColor(WHITE, GROUND), GROUND);
  });

  for (const ratio of [3, 4.5]) {
    it(`keep every color that has a ratio of ${ratio}:1 in light mode`, () => {
      const stood = colors.flatMap((all, chart) =>
        all.filter((color) => wcagContrast(color, WHITE) >= ratio).map((color) => ({ chart, color })),
      );
      assert.ok(stood.length > 3 * charts.length, `${stood.length} colors of ${charts.length} charts`);
      const fallen = stood.filter(({ color }) => wcagContrast(darkColor(color, GROUND), GROUND) < ratio);
      assert.deepEqual(fallen, []);
    });
  }
});
