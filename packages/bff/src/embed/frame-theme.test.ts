import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { frameThemeOf } from './frame-theme.ts';

const cssOf = (query: string) => frameThemeOf(new URLSearchParams(query)).css;
const queryOf = (query: string) => frameThemeOf(new URLSearchParams(query)).query;

describe('frameThemeOf()', () => {
  it('is nothing where the address has no look', () => {
    for (const query of ['', 'theme=dark&variant=compact&lang=ar', 'accent=', 'utm=1']) assert.equal(cssOf(query), '');
  });

  it('is a colour for light and dark pages', () =>
    assert.equal(cssOf('accent=5b3df0'), ':root{--pulse-card-accent:#5b3df0}'));

  it('is two colours, as the Studio writes them', () =>
    assert.equal(
      cssOf('accent=5b3df0.7a52f4'),
      '@media(prefers-color-scheme:light){:root{--pulse-card-accent:#5b3df0}}@media(prefers-color-scheme:dark){:root{--pulse-card-accent:#7a52f4}}',
    ));

  it('leaves the scheme alone that has no colour', () =>
    assert.equal(cssOf('plate=.dfe2e8'), '@media(prefers-color-scheme:dark){:root{--pulse-card-plate:#dfe2e8}}'));

  it('takes the one value that a page of one scheme shows', () => {
    assert.equal(cssOf('theme=dark&accent=5b3df0.7a52f4'), ':root{--pulse-card-accent:#7a52f4}');
    assert.equal(cssOf('theme=light&accent=5b3df0.7a52f4'), ':root{--pulse-card-accent:#5b3df0}');
    assert.equal(cssOf('theme=light&accent=.7a52f4'), '');
    assert.equal(queryOf('theme=light&accent=.7a52f4'), '');
  });

  it('has radius and font', () => {
    assert.equal(cssOf('radius=0'), ':root{--pulse-card-radius:0em;--pulse-card-radius-inner:0em}');
    assert.equal(cssOf('radius=1.5'), ':root{--pulse-card-radius:1.5em;--pulse-card-radius-inner:1em}');
    assert.match(cssOf('font=serif') ?? '', /^:root\{--pulse-card-font-family:Charter,/);
  });

  it('writes colours of 3, 6 and 8 digits, in small letters', () =>
    assert.equal(
      cssOf('color=FFF&muted=AABBCC&border=aabbcc80'),
      ':root{--pulse-card-color:#fff;--pulse-card-muted:#aabbcc;--pulse-card-border:#aabbcc80}',
    ));

  for (const query of [
    'accent=red;}',
    'accent=fff;}body{display:none',
    'accent=url(//evil.test)',
    'accent=fff</style><script>alert(1)</script>',
    'accent=%00fff',
    'accent=ffff',
    'accent=fffff',
    'accent=ｆｆｆ',
    'accent=fff.fff.fff',
    'accent=fff%0a',
    'radius=-1',
    'radius=3.01',
    'radius=1e9',
    'radius=1em',
    'radius=NaN',
    'radius=Infinity',
    'radius=0x1',
    'radius=',
    'font=Comic Sans',
    'font=constructor',
    'font=__proto__',
    'font=serif;}',
    '__proto__=fff',
    'constructor=fff',
    'page=fff',
    '--pulse-card-accent=fff',
    'background-image=fff',
  ])
    it(`ignores ${query} (T-58)`, () => assert.equal(cssOf(query), ''));

  it('ignores one bad value, and takes the others (T-58)', () =>
    assert.equal(cssOf('accent=;}&color=fff'), ':root{--pulse-card-color:#fff}'));

  it('takes a parameter once: the first (T-58)', () =>
    assert.equal(cssOf('color=fff&color=000'), ':root{--pulse-card-color:#fff}'));

  it('says nothing but what it wrote itself, whatever the address says (T-58)', () => {
    const names = fc.constantFrom('accent', 'background', 'color', 'radius', 'font', 'theme');
    const values = fc.oneof(
      fc.string(),
      fc.constantFrom('fff', '000.fff', '1', 'serif', 'dark', ';}', '</style>', 'url('),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(names, values)), (parameters) => {
        const css = frameThemeOf(new URLSearchParams(parameters)).css;
        assert.match(
          css,
          /^(?:(?:@media\(prefers-color-scheme:(?:light|dark)\)\{)?:root\{(?:--pulse-card-[a-z-]+:[#\da-zA-Z ,.'-]+;?)+\}\}?)*$/,
        );
        assert.ok(css.length < 2_000);
      }),
    );
  });

  describe('query', () => {
    it('is the look written anew, for the address of a frame', () =>
      assert.equal(
        queryOf('accent=5B3DF0.7a52f4&radius=1.50&font=serif&x=1&color=;}'),
        'accent=5b3df0.7a52f4&radius=1.5&font=serif',
      ));

    it('has dark charts, with a look and without', () => {
      assert.equal(queryOf('chart-theme=auto'), 'chart-theme=auto');
      assert.equal(queryOf('radius=0&chart-theme=auto'), 'chart-theme=auto&radius=0');
    });

    it('is empty without a look', () => assert.equal(queryOf(''), ''));
  });
});
