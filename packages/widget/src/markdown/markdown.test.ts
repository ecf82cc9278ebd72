import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inlineTemplate, keepUnits, markdownTemplate, plainText } from './markdown.ts';

/** The HTML of a template. Only tests are allowed to build HTML from strings. */
function htmlOf(view: unknown): string {
  if (view === undefined || view === '') return '';
  if (Array.isArray(view)) return view.map(htmlOf).join('');
  if (typeof view === 'string') return view.replaceAll('<', '&lt;');
  const { strings, values } = view as { strings: readonly string[]; values: readonly unknown[] };
  return strings
    .map((text, at) => text + (text.endsWith('=') ? JSON.stringify(values[at]) : htmlOf(values[at] ?? '')))
    .join('')
    .replaceAll(/\s*\n\s*/g, '');
}

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
        const letters = (html: string) => html.replaceAll(/<\/?(strong|em|code)>/g, '').replaceAll(/[^ab]/g, '');
        assert.equal(letters(htmlOf(inlineTemplate(text))), text.replaceAll(/[^ab]/g, ''));
      }),
    );
  });
});

describe('markdownTemplate() (T-35, T-37)', () => {
  for (const [text, html] of [
    ['a\n\nb', '<p dir="auto">a</p><p dir="auto">b</p>'],
    ['- a\n- b', '<ul dir="auto"><li>a</li><li>b</li></ul>'],
    ['7) Tag der Aktion', '<ol dir="auto"><li value="7">Tag der Aktion</li></ol>'],
    ['12. 500 Kunden', '<ol dir="auto"><li value="12">500 Kunden</li></ol>'],
    ['24. a\n25. b', '<ol dir="auto"><li value="24">a</li><li value="25">b</li></ol>'],
    ['1. a\n\n2. b', '<ol dir="auto"><li value="1">a</li><li value="2">b</li></ol>'],
    ['1. a\nb\n2. c', '<ol dir="auto"><li value="1">a\nb</li><li value="2">c</li></ol>'],
    [
      '1. a\n   - b\n2. c',
      '<ol dir="auto"><li value="1">a<ul dir="auto"><li>b</li></ul></li><li value="2">c</li></ol>',
    ],
    ['in\n2024. Then', '<p dir="auto">in\n2024. Then</p>'],
    ['03. Mai', '<p dir="auto">03. Mai</p>'],
    ['- 12 % a', '<ul dir="auto" class="signed"><li>- 12 % a</li></ul>'],
    ['- **12 %** a\n- $5 b', '<ul dir="auto" class="signed"><li>- <strong>12 %</strong> a</li><li>- $5 b</li></ul>'],
    ['+ 3 a\n\n+ 4 b', '<ul dir="auto" class="signed"><li>+ 3 a</li><li>+ 4 b</li></ul>'],
    ['- 12 % a\n- b', '<ul dir="auto"><li>12 % a</li><li>b</li></ul>'],
    ['• أ', '<ul dir="auto"><li>أ</li></ul>'],
    ['# a\nb', '<p dir="auto"><strong>a</strong></p><p dir="auto">b</p>'],
    ['a\n- b\nc', '<p dir="auto">a</p><ul dir="auto"><li>b\nc</li></ul>'],
    ['-5 % in May', '<p dir="auto">-5 % in May</p>'],
    ['', ''],
  ] as const) {
    it(`reads ${JSON.stringify(text)}`, () => assert.equal(htmlOf(markdownTemplate(text)), html));
  }

  for (const [what, text] of [
    ['emphasis', '*a* '.repeat(2_000)],
    ['code', '`a`'.repeat(2_600)],
    ['list items', '- a\n'.repeat(2_000)],
    ['lists and paragraphs', '- a\nb\n'.repeat(1_300)],
    ['headings', '# a\n'.repeat(2_000)],
    ['nested marks', '- **`a`**\n'.repeat(800)],
  ] as const)
    it(`makes at most 1,500 elements for text full of ${what}, and shows the whole text`, () => {
      const html = htmlOf(markdownTemplate(text));
      assert.ok((html.match(/<[a-z]/g) ?? []).length <= 1_500);
      assert.equal((html.replaceAll(/<[^>]+>/g, '').match(/a/g) ?? []).length, (text.match(/a/g) ?? []).length);
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
