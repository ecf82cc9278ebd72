import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { htmlOf } from '../testing/html-of.ts';
import { plainText } from './inline.ts';
import { inlineTemplate } from './inline-template.ts';
import { keepUnits } from './keep-units.ts';

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
    ['ยอดขาย**เพิ่ม 12%**ในปีนี้', 'ยอดขาย<strong>เพิ่ม 12%</strong>ในปีนี้'],
    ['**(ລາຍໄດ້)**ເພີ່ມ', '<strong>(ລາຍໄດ້)</strong>ເພີ່ມ'],
    ['**12%**កើនឡើង', '<strong>12%</strong>កើនឡើង'],
    ['**12%**တိုးတက်', '<strong>12%</strong>တိုးတက်'],
    ['a\u0301*b\u0302*c', 'a\u0301*b\u0302*c'],
    ['5\ufe0f\u20e3*6\ufe0f\u20e3*7', '5\ufe0f\u20e3*6\ufe0f\u20e3*7'],
    ['при**рост**а', 'при<strong>рост</strong>а'],
    ['***both***', '<em><strong>both</strong></em>'],
    ['__Total__', '<strong>Total</strong>'],
    ['**bold\nacross** lines', '<strong>bold\nacross</strong> lines'],
  ] as const) {
    it(`reads ${text}`, () => assert.equal(htmlOf(inlineTemplate(text)), html));
  }

  for (const [text, html] of [
    ['~~x~~ but ~5 and ~6', '<del>x</del> but ~5 and ~6'],
    [String.raw`\~5 \*a\* 5 \% C:\dir`, String.raw`~5 *a* 5 % C:\dir`],
    ['R&amp;D &lt;b&gt; &#8364; &#x20AC; &nosuch;', 'R&D &lt;b> € € &nosuch;'],
    ['&minus;5 &euro;2&ndash;3&mdash;&valueOf;', '−5 €2–3—&valueOf;'],
    ['a&#x202e;b&#0;c&#x110000;d', 'ab\ufffdc\ufffdd'],
    ['`` a`b `` and `c\nd`', '<code>a`b</code> and <code>c d</code>'],
    ['`[a](https://b.test)`', '<code>[a](https://b.test)</code>'],
    ['[a *b*](https://b.test "T")', 'a <em>b</em>'],
  ] as const)
    it(`reads ${text}`, () => assert.equal(htmlOf(inlineTemplate(text)), html));

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
    ['~~5~~ **6**', '~~5~~ 6'],
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
    it(`keeps each number on the same line as its unit in ${JSON.stringify(text)}`, () =>
      assert.equal(keepUnits(text), kept));
  }
});

describe('inlineTemplate() with links', () => {
  const linked = (url: string, text: string) => `<a href="${url}" target="_blank" rel="nofollow noopener">${text}</a>`;
  const htmlFor = (text: string) => htmlOf(inlineTemplate(text, { elements: 9 }, true));

  for (const [text, html] of [
    ['[a](https://b.test)', linked('https://b.test', 'a')],
    ['[**a**](<https://b.test/(c)?d=1&amp;e=2> "T")', linked('https://b.test/(c)?d=1&e=2', '<strong>a</strong>')],
    ['*[a](https://b.test/*)*', `<em>${linked('https://b.test/*', 'a')}</em>`],
    ['![a](https://b.test/c.png)', linked('https://b.test/c.png', 'a')],
    ['<https://b.test>', linked('https://b.test', 'https://b.test')],
    ['[[a](https://b.test)](https://c.test)', `[${linked('https://b.test', 'a')}](https://c.test)`],
  ] as const)
    it(`links ${text}`, () => assert.equal(htmlFor(text), html));

  for (const text of [
    '[a](http://b.test)',
    '[a](javascript:alert(1))',
    '[a](https://user@b.test)',
    '[a](//b.test)',
    '[a](/b)',
    '[](https://b.test)',
    '![](https://b.test/c.png)',
    '[a]: https://b.test',
    'f[i](x)',
    'https://b.test',
  ])
    it(`leaves ${text} unchanged`, () => assert.equal(htmlFor(text), text));

  it('nests elements at most eight levels deep and never exceeds the budget', () => {
    const marks = '*'.repeat(40);
    assert.equal((htmlOf(inlineTemplate(`${marks}a${marks}`)).match(/<strong>/g) ?? []).length, 8);
    assert.equal((htmlFor('*a* '.repeat(20)).match(/<em>/g) ?? []).length, 9);
    const link = '[a](https://b.test)';
    assert.equal(htmlOf(inlineTemplate(link, { elements: 0 }, true)), link);
  });
});
