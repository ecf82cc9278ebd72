import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isBase64url } from './base64url.ts';

describe('isBase64url()', () => {
  for (const text of ['', 'A', 'AB=', 'AA==', 'AB', 'AA\n', ' AA', 'A+', 'A/', 'AAA A', 'ÄA']) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.ok(!isBase64url(text)));
  }

  it('takes the one spelling of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        assert.ok(isBase64url(Buffer.from(bytes).toString('base64url')));
      }),
    );
  });
});
