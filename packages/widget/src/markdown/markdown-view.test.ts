import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inlineView, markdownView } from './markdown-view.ts';

/** What a template says, as text: tests alone may make HTML of strings. */
function htmlOf(view: unknown): string {
  if (view === undefined) return '';
  if (Array.isArray(view)) return view.map(htmlOf).join('');
  if (typeof view === 'string') return view.replaceAll('<', '&lt;');
  const { strings, values } = view as { strings: readonly string[]; values: readonly unknown[] };
  return strings
    .map((text, at) => text + htmlOf(values[at] ?? ''))
    .join('')
    .replaceAll(/\s*\n\s*/g, '');
}

describe('inlineView()', () => {
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
    ['[a](https://b.test) ![c](d) <e>', '[a](https://b.test) ![c](d) &lt;e>'],
  ] as const) {
    it(`reads ${text}`, () => assert.equal(htmlOf(inlineView(text)), html));
  }

  it('loses no letter', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('ab *_`\\')) }), (text) => {
        const letters = (html: string) => html.replaceAll(/<\/?(strong|em|code)>/g, '').replaceAll(/[^ab]/g, '');
        assert.equal(letters(htmlOf(inlineView(text))), text.replaceAll(/[^ab]/g, ''));
      }),
    );
  });
});

describe('markdownView() (T-35, T-37)', () => {
  for (const [text, html] of [
    ['a\n\nb', '<p>a</p><p>b</p>'],
    ['- a\n- b', '<ul dir="ltr"><li>a</li><li>b</li></ul>'],
    ['1. a\n2) b', '<ol dir="ltr"><li>a</li><li>b</li></ol>'],
    ['• أ', '<ul dir="rtl"><li>أ</li></ul>'],
    ['# a\nb', '<p><strong>a</strong></p><p>b</p>'],
    ['a\n- b\nc', '<p>a</p><ul dir="ltr"><li>b</li></ul><p>c</p>'],
    ['-5 % in May', '<p>-5 % in May</p>'],
    ['', ''],
  ] as const) {
    it(`reads ${JSON.stringify(text)}`, () => assert.equal(htmlOf(markdownView(text)), html));
  }
});
