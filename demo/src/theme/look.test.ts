import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declarationsOf, type Look, PLAIN_LOOK, ruleOf, styleOf, withColour } from './look.ts';
import { THEMES, themeOf } from './themes.ts';
import { contrastFor, defaultOf, ratioText, SCHEMES, TOKENS } from './tokens.ts';

const ACCENT: Look = { ...PLAIN_LOOK, colours: { accent: { light: '#5b3df0' } } };

describe('declarationsOf()', () => {
  it('is empty for a card as it comes', () => assert.deepEqual(declarationsOf(PLAIN_LOOK, 'auto'), []));

  it('completes a colour with the card’s own for the other scheme', () => {
    assert.deepEqual(declarationsOf(ACCENT, 'auto'), [['--pulse-card-accent', 'light-dark(#5b3df0, #a3a9ff)']]);
  });

  it('writes the one value that a card of one scheme shows', () => {
    assert.deepEqual(declarationsOf(ACCENT, 'light'), [['--pulse-card-accent', '#5b3df0']]);
    assert.deepEqual(declarationsOf(ACCENT, 'dark'), []);
  });

  it('writes a colour once that is the same in both', () => {
    const look = { ...PLAIN_LOOK, colours: { border: { light: '#111111', dark: '#111111' } } };
    assert.deepEqual(declarationsOf(look, 'auto'), [['--pulse-card-border', '#111111']]);
  });

  it('keeps inner corners in proportion', () => {
    assert.deepEqual(declarationsOf({ ...PLAIN_LOOK, cornersEm: 0.75 }, 'auto'), [
      ['--pulse-card-radius', '0.75em'],
      ['--pulse-card-radius-inner', '0.5em'],
    ]);
  });
});

describe('ruleOf() and styleOf()', () => {
  it('say the same', () => {
    assert.equal(ruleOf(ACCENT, 'auto'), 'pulse-card {\n  --pulse-card-accent: light-dark(#5b3df0, #a3a9ff);\n}');
    assert.equal(styleOf(ACCENT, 'auto'), '--pulse-card-accent: light-dark(#5b3df0, #a3a9ff)');
  });
});

describe('withColour()', () => {
  it('takes a colour back', () => assert.deepEqual(withColour(ACCENT, 'accent', 'light', null), PLAIN_LOOK));

  it('forgets a colour that is the card’s own', () => {
    assert.deepEqual(withColour(ACCENT, 'accent', 'light', defaultOf('accent').light), PLAIN_LOOK);
  });
});

describe('defaultOf()', () => {
  it('knows every colour of the manifest in both schemes', () => {
    for (const token of TOKENS)
      for (const scheme of SCHEMES) assert.notEqual(defaultOf(token)[scheme], '#000000', token);
  });
});

describe('contrastFor()', () => {
  it('measures the card’s own colours as the design does', () => {
    assert.equal(contrastFor({}, 'color', 'light')?.text, '17.8');
    assert.equal(contrastFor({}, 'accent', 'dark')?.text, '8.1');
    assert.equal(contrastFor({}, 'warning', 'light')?.text, '6.7');
  });

  it('names what is needed and offers the nearest colour that passes', () => {
    const contrast = contrastFor({ accent: { dark: '#7a52f4' } }, 'accent', 'dark');
    assert.equal(contrast?.passes, false);
    assert.equal(contrast?.words, '3.6 : 1 on the background. Links need 4.5 (AA).');
    assert.match(contrast?.suggestion?.words ?? '', /^4\.[56] : 1$/);
  });

  it('warns of a plate on which charts drown', () => {
    assert.equal(contrastFor({ plate: { dark: '#333333' } }, 'plate', 'dark')?.passes, false);
    assert.equal(contrastFor({}, 'plate', 'dark'), undefined);
  });

  it('has no opinion on what only decorates', () => assert.equal(contrastFor({}, 'border', 'light'), undefined));
});

describe('ratioText()', () => {
  it('never makes a pass of what fails', () => {
    assert.equal(ratioText(4.46, 4.5), '4.4');
    assert.equal(ratioText(4.5, 4.5), '4.5');
    assert.equal(ratioText(17.76), '17.8');
  });
});

describe('THEMES', () => {
  for (const { title, colours } of THEMES) {
    it(`pass AA in both schemes: ${title}`, () => {
      for (const token of TOKENS) {
        for (const scheme of SCHEMES) {
          const contrast = contrastFor(colours, token, scheme);
          assert.notEqual(contrast?.passes, false, `${token} ${scheme}: ${contrast?.words}`);
        }
      }
    });
  }

  it('are recognised until something is changed', () => {
    assert.equal(themeOf(PLAIN_LOOK)?.id, 'default');
    assert.equal(themeOf(THEMES[1]!)?.id, 'news');
    assert.equal(themeOf(withColour(THEMES[1]!, 'accent', 'light', '#123456')), undefined);
  });
});
