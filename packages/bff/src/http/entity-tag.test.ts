import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { entityTagOf, isNoneMatch } from './entity-tag.ts';

describe('entityTagOf()', () => {
  it('is strong, quoted, and differs where one byte differs', () => {
    assert.match(entityTagOf(Buffer.from('a')), /^"[\w-]{22}"$/);
    assert.notEqual(entityTagOf(Buffer.from('a')), entityTagOf(Buffer.from('b')));
  });
});

describe('isNoneMatch()', () => {
  for (const header of ['"a"', 'W/"a"', '"x", "a"', '"x",W/"a" ', '*', ' * ']) {
    it(`finds "a" in ${header}`, () => assert.equal(isNoneMatch(header, '"a"'), true));
  }
  for (const header of [undefined, '', '"b"', 'a', '"ab"', '"A"', '"a', 'W/a']) {
    it(`does not find "a" in ${header}`, () => assert.equal(isNoneMatch(header, '"a"'), false));
  }
});
