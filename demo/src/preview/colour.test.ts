import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hexOf } from './colour.ts';

describe('hexOf()', () => {
  it('takes the colour of the scheme that is shown', () => {
    assert.equal(hexOf('light-dark(#fff, #161A23)', 'light'), '#ffffff');
    assert.equal(hexOf('light-dark(#fff, #161A23)', 'dark'), '#161a23');
  });

  it('leaves out how opaque a colour is', () => {
    assert.equal(hexOf('#12345678', 'light'), '#123456');
    assert.equal(hexOf('#abcd', 'dark'), '#aabbcc');
  });

  for (const value of ['', 'inherit', '0.875em', 'red', '#x']) {
    it(`finds no colour in "${value}"`, () => assert.equal(hexOf(value, 'light'), undefined));
  }
});
