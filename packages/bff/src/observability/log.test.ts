import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorSummary } from './log.ts';

describe('errorSummary()', () => {
  it('names kind and place, and never what was said', () => {
    const name = errorSummary(new TypeError('the key is canary', { cause: new Error('canary') }));
    assert.match(name, /^TypeError at .*log\.test\.ts:\d+/);
    assert.doesNotMatch(name, /canary/);
  });

  it('does so where the message has lines of its own', () => {
    assert.doesNotMatch(errorSummary(new Error('first\ncanary')), /canary/);
  });

  for (const thrown of ['canary', { key: 'canary' }, undefined]) {
    it(`names the type of a thrown ${typeof thrown}`, () => assert.equal(errorSummary(thrown), typeof thrown));
  }
});
