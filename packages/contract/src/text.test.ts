import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cutText, readText } from './text.ts';

describe('cutText()', () => {
  it('keeps text that fits', () => {
    assert.equal(cutText('abc', 3), 'abc');
  });

  it('truncates text that doesn’t fit, and adds an ellipsis', () => {
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

  it('splits a character that is longer than the limit', () => {
    assert.equal(cutText(`a${'\u0301'.repeat(9)}`, 4), 'a\u0301\u0301…');
  });

  it('stays within the limit and keeps characters whole, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const cut = cutText(text, limit);
        assert.ok(cut.length <= limit);
        assert.ok(cut.isWellFormed());
      }),
    );
  });
});

describe('readText()', () => {
  it('reads text, and anything else as null', () => {
    assert.equal(readText(10).parse('abc'), 'abc');
    for (const value of [null, undefined, 7, {}, ['a']]) assert.equal(readText(10).parse(value), null);
  });

  it('replaces half of a surrogate pair', () => {
    assert.equal(readText(10).parse('a\ud800b'), 'a\ufffdb');
  });
});
