import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CARD_ATTRIBUTES } from './card-attributes.ts';
import {
  DEFAULT_SETTINGS,
  hasLook,
  lookQueryOf,
  queryOf,
  type Settings,
  settingsOf,
  valueOf,
  withAttribute,
  withLook,
} from './settings.ts';

/** A value other than an attribute's default. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  switch: 'true',
  number: '2',
  text: 'Umsatz & Kosten',
};

const EVERYTHING: Settings = {
  sourceId: 'src_1',
  language: 'ar',
  attributes: Object.fromEntries(
    CARD_ATTRIBUTES.map(({ name, kind, values, preset }) => [
      name,
      OTHER_VALUES[kind] ?? values.find((value) => value !== preset) ?? '',
    ]),
  ),
  look: {
    colors: { accent: { light: '#5b3df0', dark: '#7a52f4' }, plate: { dark: '#dfe2e8' }, page: { light: '#fff1e5' } },
    font: "'Open Sans', sans-serif",
    weight: '700',
    frame: '1px dashed',
    toggle: 'start',
    sizeEm: 1.125,
    cornersEm: 0,
    spacingEm: 1.5,
    maxWidthEm: 45,
    extraHeightEm: 1.5,
    headingEm: 1.5,
  },
  view: 'dark',
  width: 'compare',
  state: 'stale',
  direction: 'rtl',
  tab: 'react',
  pinned: true,
  site: 'https://www.example.com',
};

describe('CARD_ATTRIBUTES', () => {
  it('match the manifest, including their types and defaults', () => {
    const facts = Object.fromEntries(CARD_ATTRIBUTES.map(({ name, kind, preset }) => [name, `${kind} ${preset}`]));
    assert.equal(facts['variant'], 'choice card');
    assert.equal(facts['open'], 'switch false');
    assert.equal(facts['heading-level'], 'number 3');
    assert.equal(facts['summary-lang'], 'text ');
    assert.equal(facts['token'], undefined);
  });
});

describe('withAttribute()', () => {
  it('keeps only values that differ from the card’s defaults', () => {
    const live = withAttribute(DEFAULT_SETTINGS, 'live', 'true');
    assert.deepEqual(live.attributes, { 'chart-theme': 'auto', live: 'true' });
    assert.deepEqual(withAttribute(live, 'live', 'false').attributes, DEFAULT_SETTINGS.attributes);
  });
});

describe('queryOf()', () => {
  it('returns an empty query for the Studio’s defaults', () => assert.equal(queryOf(DEFAULT_SETTINGS), ''));

  for (const settings of [EVERYTHING, withAttribute(EVERYTHING, 'chart-theme', 'auto')])
    it('contains everything that settingsOf() needs to restore the settings', () =>
      assert.deepEqual(settingsOf(`?${queryOf(settings)}`), settings));

  it('stays short enough to read', () => {
    const look = { ...DEFAULT_SETTINGS.look, colors: { accent: { light: '#5b3df0' } } };
    const settings = withAttribute({ ...DEFAULT_SETTINGS, sourceId: 'src_1', look }, 'open', 'true');
    assert.equal(queryOf(settings), 'source=src_1&open&accent=5b3df0.');
  });
});

describe('lookQueryOf()', () => {
  it('contains the look, the scheme, and the chart’s scheme, but not the source', () => {
    const query = lookQueryOf(EVERYTHING);
    assert.doesNotMatch(query, /source|variant|label|site|code/);
    const { look, attributes } = settingsOf(query);
    const { theme } = EVERYTHING.attributes;
    assert.deepEqual(
      [look, attributes],
      [EVERYTHING.look, { theme, ...(EVERYTHING.attributes['chart-theme'] && { 'chart-theme': 'auto' }) }],
    );
  });

  it('marks the default look so that a link can restore it', () => {
    assert.equal(lookQueryOf(DEFAULT_SETTINGS), 'look=own');
    assert.ok(hasLook('?source=src_1&look=own'));
  });
});

describe('withLook()', () => {
  it('adds a style to a URL without one', () =>
    assert.equal(withLook('?source=src_1', 'accent=5b3df0.'), 'source=src_1&accent=5b3df0.'));

  for (const look of ['theme=dark', 'extra-height=1', 'weight=700'])
    it(`leaves a URL that already has a theme unchanged: ${look}`, () =>
      assert.equal(withLook(`?source=src_1&${look}`, 'accent=5b3df0.'), `?source=src_1&${look}`));
});

describe('settingsOf()', () => {
  it('keeps charts light only if the URL says so', () =>
    assert.deepEqual(
      ['', '?chart-theme=light'].map((query) => valueOf(settingsOf(query), 'chart-theme')),
      ['auto', 'light'],
    ));

  for (const query of [
    '',
    'variant=huge',
    'lang=xx',
    'heading=1',
    'width=10',
    'width=99999',
    'width=wide',
    'code=perl',
    'state=odd',
    'theme=blue',
    'open=maybe',
    'accent=red.blue',
    'accent=12345.',
    'size=9',
    'corners=-1',
    'weight=950',
    'frame=9px solid red',
    'toggle=middle',
  ])
    it(`has the Studio’s defaults for "${query}"`, () => assert.deepEqual(settingsOf(query), DEFAULT_SETTINGS));

  it('strips line breaks from text, as a text field does', () => {
    const settings = settingsOf('label=a%0Ab&reviewed=a%0D%0Ab&site=a%0Ab&font=a%0Ab');
    const texts = [valueOf(settings, 'label'), valueOf(settings, 'ai-reviewed-by'), settings.site, settings.look.font];
    assert.deepEqual(texts, ['ab', 'ab', 'ab', 'ab']);
  });

  it('doesn’t let a font name close its CSS rule', () => {
    assert.doesNotMatch(settingsOf(`font=${encodeURIComponent('x;} </style><script>`')}`).look.font, /[;{}<>`]/);
  });
});
