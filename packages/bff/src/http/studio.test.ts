import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFromOtherSite } from './studio.ts';

describe('isFromOtherSite()', () => {
  for (const [site, isOther] of [
    ['cross-site', true],
    ['same-site', true],
    ['same-origin', false],
    ['none', false],
    [undefined, false],
  ] as const) {
    it(`says ${isOther} for Sec-Fetch-Site ${site}`, () =>
      assert.equal(isFromOtherSite({ 'sec-fetch-site': site }), isOther));
  }
});
