import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ANY_LETTER } from '../../../testkit/src/any-letter.ts';
import { hashKey, parseKeyId, generateKey } from './api-key.ts';

describe('generateKey()', () => {
  it('creates a key with a readable prefix, an ID, and a 256-bit secret', () => {
    const { id, text } = generateKey();
    assert.match(text, /^pk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
    assert.equal(Buffer.from(text.slice(20), 'base64url').length, 32);
    assert.equal(parseKeyId(text), id);
  });

  it('never creates the same key twice', () => {
    assert.equal(new Set(Array.from({ length: 1_000 }, () => generateKey().text)).size, 1_000);
  });
});

describe('parseKeyId()', () => {
  it('finds the ID only in a complete key', () => {
    const { text } = generateKey();
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
    for (const wrong of bad) assert.equal(parseKeyId(wrong), undefined, JSON.stringify(wrong));
  });

  it('doesn’t throw for any string', () => {
    fc.assert(fc.property(fc.string({ unit: ANY_LETTER, maxLength: 200 }), (text) => parseKeyId(text) === undefined));
  });
});

describe('hashKey()', () => {
  it('returns 32 bytes for any string, so that hashes can always be compared', () => {
    fc.assert(fc.property(fc.string({ unit: ANY_LETTER }), (text) => hashKey(text).length === 32));
  });
});
