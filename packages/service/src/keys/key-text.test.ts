import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { keyDigest, keyIdIn, makeKey } from './key-text.ts';

describe('makeKey()', () => {
  it('makes a readable prefix, an id and 256 bits of secret', () => {
    const { id, text } = makeKey();
    assert.match(text, /^pk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
    assert.equal(Buffer.from(text.slice(20), 'base64url').length, 32);
    assert.equal(keyIdIn(text), id);
  });

  it('never makes the same key twice', () => {
    assert.equal(new Set(Array.from({ length: 1_000 }, () => makeKey().text)).size, 1_000);
  });
});

describe('keyIdIn()', () => {
  it('finds an id in nothing but a whole key', () => {
    const { text } = makeKey();
    const bad = [
      '',
      'pk_',
      text.slice(1),
      ` ${text}`,
      `${text}\n`,
      `${text}=`,
      text.replace('_', '-'),
      text.slice(0, 62),
    ];
    for (const wrong of bad) assert.equal(keyIdIn(wrong), undefined, JSON.stringify(wrong));
  });

  it('takes any text without failing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => keyIdIn(text) === undefined));
  });
});

describe('keyDigest()', () => {
  it('has 32 bytes whatever the text, so that comparing never fails', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => keyDigest(text).length === 32));
  });
});
