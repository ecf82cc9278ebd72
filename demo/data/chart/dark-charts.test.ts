import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { LISTED_STORIES } from '../stories/listed-stories.ts';
import { contrastOf, parseColour } from '../../src/theme/colour.ts';
import { chartSvg } from './render-chart.ts';

/** Red, green and blue, 0 to 1. */
type Rgb = readonly number[];

const MANIFEST = readFileSync(
  createRequire(import.meta.url).resolve('@pulse-card/widget/custom-elements.json'),
  'utf8',
);

/** The default of one of the card's custom properties. */
function defaultOf(property: string): string {
  const { modules } = JSON.parse(MANIFEST) as {
    modules: { declarations: { cssProperties?: { name: string; default?: string }[] }[] }[];
  };
  const all = modules.flatMap(({ declarations }) => declarations.flatMap(({ cssProperties = [] }) => cssProperties));
  return all.find(({ name }) => name === property)?.default ?? '';
}

/** The color that the card's filter and blending produce on a dark card (Filter Effects 1, section 13; Compositing 1). */
function darkColour(colour: string, ground: string): string {
  const filters = [...FILTER.matchAll(/([\w-]+)\(([\d.]+)(?:deg)?\)/g)];
  const filtered = filters.reduce(
    (rgb, [, name = '', amount = '']) => filter(rgb, name, Number(amount)),
    rgbOf(colour),
  );
  const under = rgbOf(ground);
  return hexOf(filtered.map((value, at) => 1 - (1 - value) * (1 - (under[at] as number))));
}

function filter(rgb: Rgb, name: string, amount: number): Rgb {
  if (name === 'invert') return rgb.map((value) => value * (1 - amount) + (1 - value) * amount);
  const matrix = name === 'saturate' ? saturation(amount) : hueRotation((amount * Math.PI) / 180);
  return matrix.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, factor, at) => sum + factor * (rgb[at] as number), 0),
      ),
    ),
  );
}

function saturation(s: number): readonly Rgb[] {
  return [
    [0.213 + 0.787 * s, 0.715 - 0.715 * s, 0.072 - 0.072 * s],
    [0.213 - 0.213 * s, 0.715 + 0.285 * s, 0.072 - 0.072 * s],
    [0.213 - 0.213 * s, 0.715 - 0.715 * s, 0.072 + 0.928 * s],
  ];
}

function hueRotation(angle: number): readonly Rgb[] {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [
    [0.213 + c * 0.787 - s * 0.213, 0.715 - c * 0.715 - s * 0.715, 0.072 - c * 0.072 + s * 0.928],
    [0.213 - c * 0.213 + s * 0.143, 0.715 + c * 0.285 + s * 0.14, 0.072 - c * 0.072 - s * 0.283],
    [0.213 - c * 0.213 - s * 0.787, 0.715 - c * 0.715 + s * 0.715, 0.072 + c * 0.928 + s * 0.072],
  ];
}

function rgbOf(colour: string): Rgb {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
}

function hexOf(rgb: Rgb): string {
  return `#${rgb
    .map((value) =>
      Math.round(value * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/** Every color that a drawing uses, blended with white if it is translucent. */
function coloursOf(svg: string): string[] {
  const tags = svg.match(/<(?!svg)[^>]+>/g) ?? [];
  return tags.flatMap((tag) =>
    (['fill', 'stroke'] as const).flatMap((kind) => {
      const value = new RegExp(`[ ;"]${kind}[=:]"?([^";]+)`).exec(tag)?.[1];
      const colour = value === undefined || value === 'none' ? undefined : parseColour(value);
      const alpha = Number(new RegExp(`${kind}-opacity[=:]"?([\\d.]+)`).exec(tag)?.[1] ?? 1);
      return colour === undefined ? [] : [hexOf(rgbOf(colour).map((v) => v * alpha + 1 - alpha))];
    }),
  );
}

const FILTER = defaultOf('--pulse-card-chart-filter');
const GROUND = /light-dark\([^,]+, (#\w+)\)/.exec(defaultOf('--pulse-card-background'))?.[1] ?? '';
const WHITE = '#ffffff';

const charts = LISTED_STORIES.flatMap((story) => story.editions().map(({ chart }) => chartSvg(chart)));
const colours = charts.map((svg) => [...new Set(coloursOf(svg))]);

describe('the demo’s charts with chart-theme="auto"', () => {
  it('have a white background that takes the color of the dark card', () => {
    assert.equal(defaultOf('--pulse-card-chart-blend'), 'screen');
    assert.equal(darkColour(WHITE, GROUND), GROUND);
  });

  for (const ratio of [3, 4.5]) {
    it(`keep every color that has a ratio of ${ratio}:1 in light mode`, () => {
      const stood = colours.flatMap((all, chart) =>
        all.filter((colour) => contrastOf(colour, WHITE) >= ratio).map((colour) => ({ chart, colour })),
      );
      assert.ok(stood.length > 3 * charts.length, `${stood.length} colours of ${charts.length} charts`);
      const fallen = stood.filter(({ colour }) => contrastOf(darkColour(colour, GROUND), GROUND) < ratio);
      assert.deepEqual(fallen, []);
    });
  }
});
