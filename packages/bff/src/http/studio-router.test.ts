import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFromOtherSite, isSameOriginPost } from './studio-router.ts';

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

describe('isSameOriginPost()', () => {
  const host = 'localhost:4021';
  for (const [words, headers, isOwn] of [
    ['the page itself', { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:4030', host }, true],
    ['a page of another port', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000', host }, false],
    ['an address that was typed in', { 'sec-fetch-site': 'none', host }, false],
    ['the page itself in an old browser', { origin: 'http://localhost:4021', host }, true],
    ['another page in an old browser', { origin: 'https://evil.test', host }, false],
    ['a page without an origin', { origin: 'null', host }, false],
    ['a program', { host }, true],
  ] as const) {
    it(`says ${isOwn} for ${words}`, () => assert.equal(isSameOriginPost(headers), isOwn));
  }
});
