import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readText } from './read-text.ts';

describe('readText()', () => {
  it('keeps text and treats anything else as null', () => {
    assert.equal(readText(10).parse('abc'), 'abc');
    for (const value of [null, undefined, 7, {}, ['a']]) assert.equal(readText(10).parse(value), null);
  });

  it('replaces a lone surrogate', () => {
    assert.equal(readText(10).parse('a\ud800b'), 'a\ufffdb');
  });
});
