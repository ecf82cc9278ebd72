import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FRAME_COLORS } from '@pulse-card/widget/snippet';
import {
  declarationsOf,
  frameLookOf,
  type Look,
  PLAIN_LOOK,
  rulesForAll,
  rulesOf,
  styleOf,
  withColor,
  withPalette,
} from './look.ts';
import { THEMES, themeOf } from './themes.ts';
import { colorOf, contrastFor, defaultOf, ratioText, SCHEMES } from './tokens.ts';
import { contrastOf, paletteFrom } from './color.ts';

const ACCENT: Look = { ...PLAIN_LOOK, colors: { accent: { light: '#5b3df0' } } };

describe('declarationsOf()', () => {
  it('returns no declarations for the default look', () => assert.deepEqual(declarationsOf(PLAIN_LOOK, 'auto'), []));

  it('uses the default for a scheme whose color wasn’t changed', () => {
    assert.deepEqual(declarationsOf(ACCENT, 'auto'), [['--pulse-card-accent', 'light-dark(#5b3df0, #a3a9ff)']]);
  });

  it('writes only that scheme’s color if the card’s scheme is fixed', () => {
    assert.deepEqual(declarationsOf(ACCENT, 'light'), [['--pulse-card-accent', '#5b3df0']]);
    assert.deepEqual(declarationsOf(ACCENT, 'dark'), []);
  });

  it('writes a color only once if both schemes use it', () => {
    const look = { ...PLAIN_LOOK, colors: { border: { light: '#111111', dark: '#111111' } } };
    assert.deepEqual(declarationsOf(look, 'auto'), [['--pulse-card-border', '#111111']]);
  });

  it('keeps inner corners in proportion', () => {
    assert.deepEqual(declarationsOf({ ...PLAIN_LOOK, cornersEm: 0.75 }, 'auto'), [
      ['--pulse-card-radius', '0.75em'],
      ['--pulse-card-radius-inner', '0.5em'],
    ]);
  });
});

describe('Colors derived from the background', () => {
  const cream: Look = { ...PLAIN_LOOK, colors: { background: { light: '#fdf6e3' } } };

  it('apply to the chart background, the skeleton (also behind a board’s tabs), and the border', () => {
    const declared = Object.fromEntries(declarationsOf(cream, 'light'));
    assert.deepEqual(Object.keys(declared), [
      '--pulse-card-background',
      '--pulse-card-border',
      '--pulse-card-plate',
      '--pulse-card-surface',
    ]);
    assert.equal(declared['--pulse-card-plate'], '#fdf6e3');
    assert.ok(contrastOf(declared['--pulse-card-surface'] ?? '', '#fdf6e3') < 1.2);
    assert.ok(contrastOf(declared['--pulse-card-border'] ?? '', '#fdf6e3') > 1.2);
  });

  it('are close to the defaults on the default background', () => {
    for (const scheme of SCHEMES) {
      const own = { background: { [scheme]: defaultOf('background')[scheme] } };
      for (const token of ['surface', 'border'] as const)
        assert.ok(contrastOf(colorOf(own, token, scheme), defaultOf(token)[scheme]) < 1.06, `${token} ${scheme}`);
    }
  });

  it('keep their defaults if the background of their scheme is unchanged', () => {
    for (const token of ['plate', 'surface', 'border'] as const)
      assert.equal(colorOf(cream.colors, token, 'dark'), defaultOf(token).dark);
  });

  it('are also derived in themes and palettes', () => {
    for (const look of [...THEMES, withPalette(withColor(cream, 'plate', 'light', '#ffffff'), paletteFrom('#0a6847'))])
      assert.equal(colorOf(withColor(look, 'background', 'light', '#eef6f0').colors, 'plate', 'light'), '#eef6f0');
  });

  it('are overridden by chosen colors', () => {
    const look = withColor(cream, 'plate', 'light', '#fefefe');
    assert.equal(colorOf(look.colors, 'plate', 'light'), '#fefefe');
  });

  it('keep the chart background light if the background is too dark for a chart', () => {
    const dark = { background: { light: '#202020', dark: '#000000' } };
    for (const scheme of SCHEMES) assert.equal(colorOf(dark, 'plate', scheme), defaultOf('plate')[scheme]);
  });
});

describe('The page around the card', () => {
  const look = withColor(PLAIN_LOOK, 'page', 'light', '#fff1e5');

  it('can have its own color', () => assert.equal(colorOf(look.colors, 'page', 'light'), '#fff1e5'));
  it('isn’t part of the card’s code', () => assert.deepEqual(declarationsOf(look, 'auto'), []));
  it('doesn’t change which theme a look matches', () => assert.equal(themeOf(look)?.id, 'default'));
});

describe('rulesForAll()', () => {
  it('includes a separate rule for the heading, because no card property styles it', () =>
    assert.equal(
      rulesForAll({ ...PLAIN_LOOK, headingEm: 1.5, weight: '800', frame: 'none' }, 'auto'),
      'pulse-card,\npulse-board {\n  --pulse-card-frame: none;\n}\npulse-card::part(heading),\npulse-board::part(heading) {\n  font-size: 1.5em;\n  font-weight: 800;\n}',
    ));

  it('styles cards and boards in the chosen scheme', () => {
    assert.match(rulesForAll(ACCENT, 'auto'), /^pulse-card,\npulse-board \{\n {2}--pulse-card-accent: /);
    assert.match(rulesForAll(ACCENT, 'light'), /\{\n {2}color-scheme: light;\n {2}--pulse-card-accent: #5b3df0;\n\}$/);
  });
});

describe('rulesOf() and styleOf()', () => {
  it('return the same declarations', () => {
    const rule = rulesOf(ACCENT, 'auto', 'pulse-card');
    assert.equal(rule, 'pulse-card {\n  --pulse-card-accent: light-dark(#5b3df0, #a3a9ff);\n}');
    assert.equal(styleOf(ACCENT, 'auto'), '--pulse-card-accent: light-dark(#5b3df0, #a3a9ff)');
  });
});

describe('frameLookOf()', () => {
  it('includes the colors, the corners, and a font that the BFF knows by name', () => {
    const look = {
      ...PLAIN_LOOK,
      colors: { accent: { light: '#5b3df0' } },
      cornersEm: 0,
      font: 'system-ui, sans-serif',
    };
    const { query } = frameLookOf(look);
    assert.equal(query, 'accent=5b3df0.&radius=0&font=system');
  });

  for (const theme of THEMES)
    it(`drops only a theme’s spacing: ${theme.title}`, () =>
      assert.deepEqual(frameLookOf(theme).left, theme.spacingEm === null ? [] : ['spacing']));
});

describe('withColor()', () => {
  it('resets a color', () => assert.deepEqual(withColor(ACCENT, 'accent', 'light', null), PLAIN_LOOK));

  it('drops a color that equals the default', () => {
    assert.deepEqual(withColor(ACCENT, 'accent', 'light', defaultOf('accent').light), PLAIN_LOOK);
  });
});

describe('defaultOf()', () => {
  it('contains every color in the manifest in both schemes', () => {
    for (const token of FRAME_COLORS)
      for (const scheme of SCHEMES) assert.notEqual(defaultOf(token)[scheme], '#000000', token);
  });
});

describe('contrastFor()', () => {
  it('computes the contrast ratios that the design specifies for the default colors', () => {
    assert.equal(contrastFor({}, 'color', 'light')?.text, '17.8');
    assert.equal(contrastFor({}, 'accent', 'dark')?.text, '8.1');
    assert.equal(contrastFor({}, 'warning', 'light')?.text, '6.7');
  });

  it('returns the required contrast and suggests the nearest color that passes', () => {
    const contrast = contrastFor({ accent: { dark: '#7a52f4' } }, 'accent', 'dark');
    assert.equal(contrast?.passes, false);
    assert.equal(contrast?.words, '3.6 : 1 on the background. Links need 4.5 (AA).');
    assert.match(contrast?.suggestion?.words ?? '', /^4\.[56] : 1$/);
  });

  it('warns if charts are hard to see on the chart background', () => {
    assert.equal(contrastFor({ plate: { dark: '#333333' } }, 'plate', 'dark')?.passes, false);
    assert.equal(contrastFor({}, 'plate', 'dark'), undefined);
  });

  it('ignores purely decorative colors', () => assert.equal(contrastFor({}, 'border', 'light'), undefined));
});

describe('ratioText()', () => {
  it('never rounds a failing ratio up to a passing one', () => {
    assert.equal(ratioText(4.46, 4.5), '4.4');
    assert.equal(ratioText(4.5, 4.5), '4.5');
    assert.equal(ratioText(17.76), '17.8');
  });
});

describe('THEMES', () => {
  for (const { title, colors } of THEMES) {
    it(`pass AA in both schemes: ${title}`, () => {
      for (const token of FRAME_COLORS) {
        for (const scheme of SCHEMES) {
          const contrast = contrastFor(colors, token, scheme);
          assert.notEqual(contrast?.passes, false, `${token} ${scheme}: ${contrast?.words}`);
        }
      }
    });
  }

  it('are recognized until a setting is changed', () => {
    assert.equal(themeOf(PLAIN_LOOK)?.id, 'default');
    assert.equal(themeOf(THEMES[1]!)?.id, 'news');
    assert.equal(themeOf(withColor(THEMES[1]!, 'accent', 'light', '#123456')), undefined);
  });
});
