import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_SETTINGS, hasLook, lookQueryOf, queryOf, type Settings, settingsOf, withLook } from './settings.ts';

const EVERYTHING: Settings = {
  sourceId: 'src_1',
  language: 'ar',
  variant: 'compact',
  open: true,
  live: true,
  history: true,
  actions: 'copy share',
  label: 'Umsatz & Kosten',
  headingLevel: 2,
  loading: 'eager',
  theme: 'dark',
  chartTheme: 'light',
  reviewedBy: 'Ada',
  look: {
    colors: { accent: { light: '#5b3df0', dark: '#7a52f4' }, plate: { dark: '#dfe2e8' }, page: { light: '#fff1e5' } },
    font: "'Open Sans', sans-serif",
    sizeEm: 1.125,
    cornersEm: 0,
    spacingEm: 1.5,
    maxWidthEm: 45,
  },
  view: 'dark',
  width: 'compare',
  state: 'stale',
  direction: 'rtl',
  tab: 'react',
  pinned: true,
  site: 'https://www.example.com',
};

describe('queryOf()', () => {
  it('returns an empty query for the Studio’s defaults', () => assert.equal(queryOf(DEFAULT_SETTINGS), ''));

  it('contains everything that settingsOf() needs to restore the settings', () => {
    assert.deepEqual(settingsOf(`?${queryOf(EVERYTHING)}`), EVERYTHING);
  });

  it('is short enough to read', () => {
    const look = { ...DEFAULT_SETTINGS.look, colors: { accent: { light: '#5b3df0' } } };
    assert.equal(
      queryOf({ ...DEFAULT_SETTINGS, sourceId: 'src_1', open: true, look }),
      'source=src_1&open&accent=5b3df0.',
    );
  });
});

describe('lookQueryOf()', () => {
  it('contains the look, the scheme, and the chart’s scheme, but not the source', () => {
    const query = lookQueryOf(EVERYTHING);
    assert.doesNotMatch(query, /source|variant|label|site|code/);
    const { look, theme, chartTheme } = settingsOf(query);
    assert.deepEqual([look, theme, chartTheme], [EVERYTHING.look, EVERYTHING.theme, EVERYTHING.chartTheme]);
  });

  it('marks the default look, so that a link can restore it', () => {
    assert.equal(lookQueryOf(DEFAULT_SETTINGS), 'look=own');
    assert.ok(hasLook('?source=src_1&look=own'));
  });
});

describe('withLook()', () => {
  it('adds a look to an address that has no look', () =>
    assert.equal(withLook('?source=src_1', 'accent=5b3df0.'), 'source=src_1&accent=5b3df0.'));

  it('keeps an address that already has a look', () =>
    assert.equal(withLook('?source=src_1&theme=dark', 'accent=5b3df0.'), '?source=src_1&theme=dark'));
});

describe('settingsOf()', () => {
  it('keeps charts light only if the address says so', () =>
    assert.deepEqual(
      ['', '?chart-theme=light'].map((query) => settingsOf(query).chartTheme),
      ['auto', 'light'],
    ));

  it('has the Studio’s defaults for an empty address', () => assert.deepEqual(settingsOf(''), DEFAULT_SETTINGS));

  for (const [query, key] of [
    ['variant=huge', 'variant'],
    ['lang=xx', 'language'],
    ['heading=1', 'headingLevel'],
    ['width=10', 'width'],
    ['width=99999', 'width'],
    ['width=wide', 'width'],
    ['code=perl', 'tab'],
    ['state=odd', 'state'],
    ['theme=blue', 'theme'],
  ] as const) {
    it(`refuses ${query}`, () => assert.deepEqual(settingsOf(query)[key], DEFAULT_SETTINGS[key]));
  }

  for (const query of ['accent=red.blue', 'accent=12345.', 'accent=', 'size=9', 'size=', 'corners=-1', 'spacing=x']) {
    it(`refuses ${query}`, () => assert.deepEqual(settingsOf(query).look, DEFAULT_SETTINGS.look));
  }

  it('reads texts without line breaks, like a text field', () => {
    const { label, reviewedBy, site, look } = settingsOf('label=a%0Ab&reviewed=a%0D%0Ab&site=a%0Ab&font=a%0Ab');
    assert.deepEqual([label, reviewedBy, site, look.font], ['ab', 'ab', 'ab', 'ab']);
  });

  it('doesn’t let a font end its CSS rule', () => {
    assert.doesNotMatch(settingsOf(`font=${encodeURIComponent('x;} </style><script>`')}`).look.font, /[;{}<>`]/);
  });
});
