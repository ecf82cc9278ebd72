import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cleanText } from './sanitize.ts';

describe('cleanText() (T-39)', () => {
  for (const [what, text, clean] of [
    ['bidi overrides', 'a\u202eb\u2066c\u2069', 'abc'],
    ['zero width', 'pay\u200bpal\ufeff\u2060', 'paypal'],
    ['controls', 'a\u0000\u001b[31mb\u009f', 'a[31mb'],
    ['tags', 'a\u{e0041}b', 'ab'],
    ['line separators', 'a\u2028b\r\nc', 'ab\nc'],
  ] as const) {
    it(`removes ${what}`, () => assert.equal(cleanText(text, 99), clean));
  }

  it('keeps the joiners that Hindi, Persian, and emoji need', () => {
    for (const text of ['क्\u200dष', 'می\u200cخواهم', '👩\u200d💻']) assert.equal(cleanText(text, 99), text);
  });

  it('keeps line breaks and replaces tabs with spaces', () => assert.equal(cleanText('a\tb\nc', 99), 'a b\nc'));
  it('ends shortened text with an ellipsis', () => assert.equal(cleanText('abcdef', 4), 'abc…'));
});
