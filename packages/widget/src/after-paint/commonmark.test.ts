import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cleanText } from '@pulse-card/contract/text';
import spec from 'commonmark-spec';
import { inlineTemplate } from '../markdown/inline-template.ts';
import { htmlOf } from '../testing/html-of.ts';
import { markdownTemplate } from './markdown-template.ts';

/** An example from CommonMark's specification. */
interface Example {
  readonly number: number;
  readonly section: string;
  readonly markdown: string;
  readonly html: string;
}

const tests: readonly Example[] = spec.tests;

/** The sections about what an analysis can contain. */
const SECTIONS = new Set([
  'Precedence',
  'Thematic breaks',
  'ATX headings',
  'Setext headings',
  'Fenced code blocks',
  'Paragraphs',
  'Blank lines',
  'Block quotes',
  'List items',
  'Lists',
  'Inlines',
  'Code spans',
  'Emphasis and strong emphasis',
  'Hard line breaks',
  'Soft line breaks',
  'Textual content',
]);

/** The examples that an analysis shows differently, by reason. */
const EXCEPTIONS: Readonly<Record<string, readonly number[]>> = {
  'Indented text isn’t code, and blocks can be indented by any number of spaces': [
    48, 49, 69, 70, 85, 87, 100, 134, 137, 225, 231, 236, 238, 252, 253, 254, 257, 264, 270, 271, 272, 273, 274, 278,
    286, 287, 288, 289, 290, 309, 312, 313,
  ],
  'Marks between two Latin letters or digits are text': [355, 356, 370, 381, 396, 411, 415, 416, 417, 429],
  'HTML, references, and links that aren’t https: are text': [
    308, 317, 344, 404, 419, 422, 433, 473, 474, 475, 476, 477, 642, 643,
  ],
  'A number with a leading zero is text': [268],
  'A paragraph of a quote can become a heading in its next line': [93],
  'An item can begin with an empty line': [280],
  'Only the first paragraph of an item has no element': [300],
  'Bullets below an ordered item belong to it, even if they are indented by less than its number': [297],
  'Space at the end of lines is removed in code, too': [335, 336, 337, 640],
  'The browser encodes the URL of a link': [346],
};

const excepted = new Set(Object.values(EXCEPTIONS).flat());

/** An analysis's HTML, as in the specification: headings are strong paragraphs, and all lists are tight. */
function normalized(html: string): string {
  return html
    .replaceAll(/ (?:dir|tabindex|role|target|rel|class|start)="[^"]*"/g, '')
    .replaceAll(/<h\d>(.*?)<\/h\d>/gs, '<p><strong>$1</strong></p>')
    .replaceAll(/<(?:br|hr) \/>\n?/g, (tag) => (tag.startsWith('<br') ? '\n' : '<hr>'))
    .replaceAll(/ value="\d+"/g, '')
    .replaceAll(/<li>\s*<p>(.*?)<\/p>/gs, '<li>$1')
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll(/\s*(<\/?(?:ul|ol|li|p|blockquote|pre|hr)>)\s*/g, '$1')
    .trim();
}

function specified({ html }: Example): string {
  return normalized(html.replaceAll('\n</code>', '</code>'));
}

function shownFor({ markdown }: Example): string {
  return normalized(htmlOf(markdownTemplate(cleanText(markdown.replaceAll('→', '\t'), Infinity), inlineTemplate)));
}

describe('markdownTemplate() (CommonMark 0.31.2)', () => {
  for (const example of tests.filter(({ section }) => SECTIONS.has(section))) {
    const { number, section, markdown } = example;
    if (excepted.has(number)) continue;
    it(`example ${number}, ${section}: ${JSON.stringify(markdown).slice(0, 60)}`, () =>
      assert.equal(shownFor(example), specified(example)));
  }

  for (const [reason, numbers] of Object.entries(EXCEPTIONS))
    it(`differs from the spec only in these examples: ${reason}`, () => {
      const same = numbers.filter((number) => {
        const example = tests[number - 1] as Example;
        return shownFor(example) === specified(example);
      });
      assert.deepEqual(same, []);
    });
});
