import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { frameThemeOf } from './frame-theme.ts';

const themeOf = (query: string) => frameThemeOf(new URLSearchParams(query));

describe('frameThemeOf()', () => {
  for (const [words, query, css] of [
    ['nothing if the address has no look', 'theme=dark&variant=compact&lang=ar&accent=&utm=1', ''],
    ['a color for light and dark pages', 'accent=5b3df0', ':root{--pulse-card-accent:#5b3df0}'],
    [
      'two colors in the format of the Studio',
      'accent=5b3df0.7a52f4',
      '@media(prefers-color-scheme:light){:root{--pulse-card-accent:#5b3df0}}@media(prefers-color-scheme:dark){:root{--pulse-card-accent:#7a52f4}}',
    ],
    [
      'a color for only one scheme',
      'plate=.dfe2e8',
      '@media(prefers-color-scheme:dark){:root{--pulse-card-plate:#dfe2e8}}',
    ],
    ['the dark value of a dark page', 'theme=dark&accent=5b3df0.7a52f4', ':root{--pulse-card-accent:#7a52f4}'],
    ['the light value of a light page', 'theme=light&accent=5b3df0.7a52f4', ':root{--pulse-card-accent:#5b3df0}'],
    ['nothing if a page with one scheme has no value', 'theme=light&accent=.7a52f4', ''],
    ['no radius at all', 'radius=0', ':root{--pulse-card-radius:0em;--pulse-card-radius-inner:0em}'],
    [
      'a radius, which is at most 1em inside',
      'radius=1.5',
      ':root{--pulse-card-radius:1.5em;--pulse-card-radius-inner:1em}',
    ],
    [
      'colors of 3, 6, and 8 digits, in lower case',
      'color=FFF&muted=AABBCC&border=aabbcc80',
      ':root{--pulse-card-color:#fff;--pulse-card-muted:#aabbcc;--pulse-card-border:#aabbcc80}',
    ],
    ['the good values next to a bad one (T-58)', 'accent=;}&color=fff', ':root{--pulse-card-color:#fff}'],
    ['the first of two equal parameters (T-58)', 'color=fff&color=000', ':root{--pulse-card-color:#fff}'],
  ] as const)
    it(`is ${words}`, () => assert.equal(themeOf(query).css, css));

  it('accepts a font from a fixed list', () =>
    assert.match(themeOf('font=serif').css, /^:root\{--pulse-card-font-family:Charter,/));

  for (const query of [
    'accent=red;}',
    'accent=fff;}body{display:none',
    'accent=url(//evil.test)',
    'accent=fff</style><script>alert(1)</script>',
    'accent=%00fff',
    'accent=ffff',
    'accent=ｆｆｆ',
    'accent=fff.fff.fff',
    'accent=fff%0a',
    'radius=-1',
    'radius=3.01',
    'radius=1e9',
    'radius=NaN',
    'radius=',
    'font=Comic Sans',
    'font=__proto__',
    'font=serif;}',
    '__proto__=fff',
    '--pulse-card-accent=fff',
    'background-image=fff',
  ])
    it(`ignores ${query} (T-58)`, () => assert.equal(themeOf(query).css, ''));

  it('never copies text from the address into the CSS, for any address (T-58)', () => {
    const names = fc.constantFrom('accent', 'background', 'color', 'radius', 'font', 'theme');
    const values = fc.oneof(
      fc.string(),
      fc.constantFrom('fff', '000.fff', '1', 'serif', 'dark', ';}', '</style>', 'url('),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(names, values)), (parameters) => {
        const { css } = frameThemeOf(new URLSearchParams(parameters));
        assert.match(
          css,
          /^(?:(?:@media\(prefers-color-scheme:(?:light|dark)\)\{)?:root\{(?:--pulse-card-[a-z-]+:[#\da-zA-Z ,.'-]+;?)+\}\}?)*$/,
        );
        assert.ok(css.length < 2_000);
      }),
    );
  });

  for (const [query, written] of [
    ['accent=5B3DF0.7a52f4&radius=1.50&font=serif&x=1&color=;}', 'accent=5b3df0.7a52f4&radius=1.5&font=serif'],
    ['theme=light&accent=.7a52f4', ''],
    ['chart-theme=auto', 'chart-theme=auto'],
    ['radius=0&chart-theme=auto', 'chart-theme=auto&radius=0'],
  ] as const)
    it(`cleans up ${query} for the address of a frame`, () => assert.equal(themeOf(query).query, written));
});
