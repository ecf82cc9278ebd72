import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { htmlOf } from '../testing/html-of.ts';
import { plainText } from './inline.ts';
import { inlineTemplate, keepUnits } from './inline-template.ts';

describe('inlineTemplate()', () => {
  for (const [text, html] of [
    ['plain', 'plain'],
    ['**a** b', '<strong>a</strong> b'],
    ['*a* _b_', '<em>a</em> <em>b</em>'],
    ['`a*b*c`', '<code>a*b*c</code>'],
    ['**a *b* c**', '<strong>a <em>b</em> c</strong>'],
    ['3 * 4 * 5', '3 * 4 * 5'],
    ['gross_margin_pct', 'gross_margin_pct'],
    ['a ** b', 'a ** b'],
    ['**open', '**open'],
    ['`open', '`open'],
    ['![c](d) <e>', '![c](d) &lt;e>'],
    ['4*5 and 6*7', '4*5 and 6*7'],
    ['12*30*2 cm', '12*30*2 cm'],
    ['2**3**2 = 512', '2**3**2 = 512'],
    ['p*q*r, x²*y²*z²', 'p*q*r, x²*y²*z²'],
    ['10_000_000 and a__b__c', '10_000_000 and a__b__c'],
    ['a*(b+c)*d', 'a*(b+c)*d'],
    ['4* hotels; 5 * 3', '4* hotels; 5 * 3'],
    ['**売上**は増加', '<strong>売上</strong>は増加'],
    ['売上は**12%**増加', '売上は<strong>12%</strong>増加'],
    ['при**рост**а', 'при<strong>рост</strong>а'],
    ['***both***', '<em><strong>both</strong></em>'],
    ['__Total__', '<strong>Total</strong>'],
    ['**bold\nacross** lines', '<strong>bold\nacross</strong> lines'],
  ] as const) {
    it(`reads ${text}`, () => assert.equal(htmlOf(inlineTemplate(text)), html));
  }

  it('keeps every letter of the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('ab *_`\\')) }), (text) => {
        const letters = (html: string) => html.replaceAll(/<\/?(strong|em|code|del)>/g, '').replaceAll(/[^ab]/g, '');
        assert.equal(letters(htmlOf(inlineTemplate(text))), text.replaceAll(/[^ab]/g, ''));
      }),
    );
  });
});

describe('plainText()', () => {
  for (const [text, plain] of [
    ['**a** _b_ `c*d`', 'a b c*d'],
    ['4* hotels; 5 * 3', '4* hotels; 5 * 3'],
    ['4*5 and 6*7', '4*5 and 6*7'],
    ['2**3**2', '2**3**2'],
  ] as const)
    it(`is ${plain} for ${text}`, () => assert.equal(plainText(text), plain));
});

describe('keepUnits()', () => {
  for (const [text, kept] of [
    ['143.1 million in 2015', '143.1 million in 2015'],
    ['with 285 mm, at 6 AM', 'with 285\u00a0mm, at 6\u00a0AM'],
    ['$100 put into', '$100\u00a0put into'],
    ['1.9% on the year', '1.9% on the year'],
    ['12 дн. и 3 Мб', '12\u00a0дн. и 3\u00a0Мб'],
  ] as const) {
    it(`keeps each number on a line with its unit in ${JSON.stringify(text)}`, () =>
      assert.equal(keepUnits(text), kept));
  }
});
