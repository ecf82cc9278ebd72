import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { analysisInline } from '../markdown/inline-template.ts';
import { htmlOf } from '../testing/html-of.ts';
import { markdownTemplate } from './markdown-template.ts';

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
    it(`reads ${JSON.stringify(text)}`, () => assert.equal(htmlOf(markdownTemplate(text, analysisInline)), html));
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
      const html = htmlOf(markdownTemplate(text, analysisInline));
      assert.ok((html.match(/<[a-z]/g) ?? []).length <= 1_500);
      assert.equal((html.replaceAll(/<[^>]+>/g, '').match(/a/g) ?? []).length, (text.match(/a/g) ?? []).length);
    });
});
