import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inlineTemplate } from '../markdown/inline-template.ts';
import { htmlOf } from '../testing/html-of.ts';
import { markdownTemplate } from './markdown-template.ts';

const htmlFor = (text: string) => htmlOf(markdownTemplate(text, inlineTemplate));

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
    ['- .5 % a', '<ul dir="auto" class="signed"><li>- .5 % a</li></ul>'],
    ['- %12 a\n- US$ 3 b', '<ul dir="auto" class="signed"><li>- %12 a</li><li>- US$ 3 b</li></ul>'],
    ['- "5 %" a\n- `3` b', '<ul dir="auto" class="signed"><li>- "5 %" a</li><li>- <code>3</code> b</li></ul>'],
    ['- Q2 a\n- 12 b', '<ul dir="auto"><li>Q2 a</li><li>12 b</li></ul>'],
    ['- (12) a', '<ul dir="auto" class="signed"><li>- (12) a</li></ul>'],
    ['- 12 % a\n- b', '<ul dir="auto"><li>12 % a</li><li>b</li></ul>'],
    [
      '# **a** #\nb\n===\n---',
      '<p dir="auto"><strong><strong>a</strong></strong></p><p dir="auto"><strong>b</strong></p><hr />',
    ],
    [
      '- [x] a\n- [X] b\n- [ ] c',
      '<ul dir="auto"><li class="task">☑ a</li><li class="task">☑ b</li><li class="task">☐ c</li></ul>',
    ],
    ['> a\n> - b', '<blockquote><p dir="auto">a</p><ul dir="auto"><li>b</li></ul></blockquote>'],
    ['> 5 % a\n>= b', '<p dir="auto">> 5 % a\n>= b</p>'],
    ['```js\n*a* <b>\n\n- c', '<pre dir="auto" role="group" tabindex="0"><code>*a* &lt;b>\n\n- c</code></pre>'],
    [
      'a|b\n:-:|-:\n*c*|d\\|e|f',
      '<div class="table" role="group" tabindex="0"><table dir="auto"><thead><tr><th class="center">a</th><th class="end">b</th></tr></thead><tbody><tr><td class="center"><em>c</em></td><td class="end">d|e</td><td>f</td></tr></tbody></table></div>',
    ],
    ['a|b', '<p dir="auto">a|b</p>'],
    ['999. a\n1000. b', '<ol dir="auto" class="wide"><li value="999">a</li><li value="1000">b</li></ol>'],
    [
      '10. a\n   - b\n11. c',
      '<ol dir="auto"><li value="10">a<ul dir="auto"><li>b</li></ul></li><li value="11">c</li></ol>',
    ],
    ['• أ', '<ul dir="auto"><li>أ</li></ul>'],
    ['# a\nb', '<p dir="auto"><strong>a</strong></p><p dir="auto">b</p>'],
    ['a\n- b\nc', '<p dir="auto">a</p><ul dir="auto"><li>b\nc</li></ul>'],
    ['-5 % in May', '<p dir="auto">-5 % in May</p>'],
    ['', ''],
  ] as const) {
    it(`reads ${JSON.stringify(text)}`, () => assert.equal(htmlFor(text), html));
  }

  for (const [what, text] of [
    ['emphasis', '*a* '.repeat(2_000)],
    ['code', '`a`'.repeat(2_600)],
    ['list items', '- a\n'.repeat(2_000)],
    ['lists and paragraphs', '- a\nb\n'.repeat(1_300)],
    ['headings', '# a\n'.repeat(2_000)],
    ['nested marks', '- **`a`**\n'.repeat(800)],
  ] as const)
    it(`creates at most 1,500 elements for text full of ${what}, and shows the whole text`, () => {
      const html = htmlFor(text);
      assert.ok((html.match(/<[a-z]/g) ?? []).length <= 1_500);
      assert.equal((html.replaceAll(/<[^>]+>/g, '').match(/a/g) ?? []).length, (text.match(/a/g) ?? []).length);
    });
});

describe('markdownTemplate() with 100 kB of text', () => {
  const filled = (unit: string) => unit.repeat(Math.ceil(100_000 / unit.length));
  /**
   * Far more processor time than linear time needs, in microseconds. It doesn't depend on other processes. A test's own
   * time limit can't interrupt this code.
   */
  const MAX_US = 3_000_000;
  function htmlInTime(text: string): string {
    const start = process.cpuUsage();
    const html = htmlFor(text);
    assert.ok(process.cpuUsage(start).user < MAX_US, 'this takes too long');
    return html;
  }

  for (const unit of [
    '*',
    '_',
    '~',
    '[',
    '](',
    '|',
    '`',
    '>',
    '> ',
    '#',
    '-',
    '- ',
    '1. ',
    '\\',
    '&#x',
    '<https:',
    '=',
    ' ',
    '\n',
  ])
    it(`takes linear time: ${JSON.stringify(unit)}`, () => void htmlInTime(filled(unit)));

  for (const unit of [
    '*a ',
    'a* ',
    '**a *b _c ~~d ',
    '`a``b```c',
    '[a](https://b "',
    '- a\n',
    '> 5\n',
    '```\n',
    '|a|\n|-|\n',
    'a\n-\n',
    '1. a\n  - b\n',
  ])
    it(`takes linear time and creates at most 1,500 elements: ${JSON.stringify(unit)}`, () =>
      assert.ok((htmlInTime(filled(unit)).match(/<[a-z]/g) ?? []).length <= 1_500));

  it('takes linear time for 50,000 marks that never pair', () => void htmlInTime('*a_ '.repeat(50_000)));

  it('takes linear time for a link with 60,000 spaces', () => void htmlInTime(`[a](${' '.repeat(60_000)}b`));

  it('shows a sequence of 100,000 backticks within a line', () =>
    assert.equal(htmlFor(`a${'`'.repeat(100_000)}`), `<p dir="auto">a${'`'.repeat(100_000)}</p>`));

  it('takes linear time for deeply nested lists and quotes', () => {
    const levels = Array.from({ length: 440 }, (_, level) => level);
    htmlInTime(levels.map((level) => `${' '.repeat(level)}- a`).join('\n'));
    htmlInTime(levels.map((level) => `${'>'.repeat(level)} a`).join('\n'));
  });
});

describe('markdownTemplate() for a preview', () => {
  it('creates at most 100 elements, none of them focusable', () => {
    const html = htmlOf(markdownTemplate(`|a|\n|-|\n\n${'- **a**\n'.repeat(200)}`, inlineTemplate, true));
    assert.ok((html.match(/<[a-z]/g) ?? []).length <= 100);
    assert.doesNotMatch(html, /tabindex/);
  });
});
