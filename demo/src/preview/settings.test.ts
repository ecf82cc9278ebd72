import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queryOf, settingsOf, withAttribute, withLanguage, withLook, withProperty, type Settings } from './settings.ts';

const SETTINGS: Settings = {
  attributes: { 'source-id': 'src_1', open: '' },
  properties: { '--pulse-card-accent': '#9b1c1c' },
  width: 320,
};

describe('queryOf() and settingsOf()', () => {
  it('bring what was written back', () => {
    assert.deepEqual(settingsOf(queryOf(SETTINGS), ['source-id', 'open']), SETTINGS);
  });

  it('leave out attributes and properties that are not the card’s', () => {
    assert.deepEqual(settingsOf('?onclick=alert(1)&style=x&--other=1&source-id=src_1', ['source-id']), {
      attributes: { 'source-id': 'src_1' },
      properties: {},
      width: null,
    });
  });

  for (const width of ['', '239', '1201', 'wide', 'NaN', '-320']) {
    it(`take all there is for the width "${width}"`, () => assert.equal(settingsOf(`?width=${width}`, []).width, null));
  }
});

describe('withAttribute()', () => {
  it('sets, and takes away', () => {
    assert.deepEqual(withAttribute(SETTINGS, 'variant', 'text').attributes, {
      ...SETTINGS.attributes,
      variant: 'text',
    });
    assert.deepEqual(withAttribute(SETTINGS, 'open', null).attributes, { 'source-id': 'src_1' });
  });
});

describe('withProperty()', () => {
  it('takes away what is set to nothing', () => {
    assert.deepEqual(withProperty(SETTINGS, '--pulse-card-accent', '').properties, {});
  });
});

describe('withLanguage()', () => {
  it('turns the direction with the language, and back', () => {
    const arabic = withLanguage(SETTINGS, 'ar');
    assert.deepEqual(arabic.attributes, { ...SETTINGS.attributes, lang: 'ar', dir: 'rtl' });
    assert.deepEqual(withLanguage(arabic, 'de').attributes, { ...SETTINGS.attributes, lang: 'de' });
    assert.deepEqual(withLanguage(arabic, null), SETTINGS);
  });
});

describe('withLook()', () => {
  it('takes the look in place of what was chosen, with its scheme', () => {
    const { attributes, properties } = withLook(SETTINGS, {
      scheme: 'dark',
      properties: { '--pulse-card-radius': '0' },
    });
    assert.deepEqual([attributes['theme'], properties], ['dark', { '--pulse-card-radius': '0' }]);
  });

  it('leaves the scheme to the page where the look fits both', () => {
    const dark = withAttribute(SETTINGS, 'theme', 'dark');
    assert.equal('theme' in withLook(dark, { scheme: 'auto', properties: {} }).attributes, false);
  });
});
