import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cleanLine, cleanText, cutText } from './text.ts';

describe('cutText()', () => {
  it('keeps text that fits', () => {
    assert.equal(cutText('abc', 3), 'abc');
  });

  it('truncates text that doesn’t fit and adds an ellipsis', () => {
    assert.equal(cutText('abcd', 3), 'ab…');
  });

  for (const [what, text] of [
    ['an emoji', 'a😀'],
    ['a family', 'a👨‍👩‍👧'],
    ['a flag', 'a🇩🇪'],
    ['the flag of Scotland', 'a🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['a letter with an accent', 'ae\u0301'],
    ['a syllable of Hindi', 'aक्षि'],
  ] as const)
    it(`never splits ${what}`, () => {
      for (let limit = 2; limit <= text.length; limit++) assert.equal(cutText(`${text}b`, limit), 'a…');
    });

  it('splits a character only if it is longer than the limit', () => {
    assert.equal(cutText(`a${'\u0301'.repeat(9)}`, 4), 'a\u0301\u0301…');
    assert.equal(cutText('👩‍👩‍👧‍👦', 5), '👩\u200d…');
  });

  it('for any text, stays within the limit and doesn’t split characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const cut = cutText(text, limit);
        assert.ok(cut.length <= limit);
        assert.ok(cut.isWellFormed());
      }),
    );
  });
});

describe('cleanText() (T-39)', () => {
  for (const [what, text, clean] of [
    ['bidi overrides', 'a\u202eb\u2066c\u2069', 'abc'],
    ['zero width', 'pay\u200bpal\ufeff\u2060', 'paypal'],
    ['controls', 'a\u0000\u001b[31mb\u009f', 'a[31mb'],
    ['tags', 'a\u{e0041}b', 'ab'],
    ['a message in tags', '🏴\u{e0068}\u{e0069}\u{e0064}\u{e0065}', '🏴'],
    ['variation selectors after the first', 'a\ufe0f\ufe0e\u{e0100}b', 'a\ufe0fb'],
    ['joiners after the first', 'a\u200d\u200c\u200db', 'a\u200db'],
    ['blank letters', 'a\u3164\u115f\u034fb', 'ab'],
    ['direction marks that aren’t directly before a number', '\u200ea\u200f\u200e\u061c5\u200e', 'a\u061c5'],
  ] as const) {
    it(`removes ${what}`, () => assert.equal(cleanText(text, 99), clean));
  }

  it('keeps the joiners that Hindi, Persian, and emoji need', () => {
    for (const text of ['क्\u200dष', 'می\u200cخواهم', '👩\u200d💻']) assert.equal(cleanText(text, 99), text);
  });

  for (const separator of ['\u2028', '\u2029', '\u0085', '\v', '\f', '\r', '\r\n', '\n'])
    it(`treats ${JSON.stringify(separator)} as a line break`, () =>
      assert.equal(cleanText(`a${separator}b`, 99), 'a\nb'));

  for (const [what, text] of [
    ['the flag of Scotland', 'a🏴󠁧󠁢󠁳󠁣󠁴󠁿b'],
    ['Arabic number signs', '\u0600١٢ \u06dd٣'],
    ['emoji in color', '❤️‍🔥 ☎️'],
    ['the direction of signed numbers', 'ירידה של \u200e-12% \u200f±2 \u061c−١٢'],
  ] as const)
    it(`keeps ${what}`, () => assert.equal(cleanText(text, 99), text));

  it('replaces a lone surrogate', () => assert.equal(cleanText('a\ud800b', 99), 'a\ufffdb'));

  it('doesn’t split characters when it truncates text', () => assert.equal(cleanText('ab👩‍💻c', 5), 'ab…'));

  it('keeps line breaks and replaces tabs with spaces', () => assert.equal(cleanText('a\tb\nc', 99), 'a b\nc'));
  it('treats a tab that indents a line as four spaces', () =>
    assert.equal(cleanText('- a\n\t- b\n\t\t- c', 99), '- a\n    - b\n        - c'));
  for (const [text, clean] of [
    [' a ', 'a'],
    [' \n\n  - a\n  - b\n ', '  - a\n  - b'],
    [' \u200b ', ''],
  ] as const)
    it(`keeps only the indentation of ${JSON.stringify(text)}`, () => assert.equal(cleanText(text, 99), clean));

  it('ends truncated text with an ellipsis', () => assert.equal(cleanText('abcdef', 4), 'abc…'));
});

describe('cleanLine()', () => {
  it('returns one line, with a single space for each line break or gap', () =>
    assert.equal(cleanLine(' a\u2028\tb\r\n\n c\u0085d\x1ee ', 99), 'a b c d e'));
});
