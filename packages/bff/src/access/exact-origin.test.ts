import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isExactOrigin, originFault } from './exact-origin.ts';

describe('originFault()', () => {
  for (const origin of [
    'https://www.example.com',
    'http://localhost:8123',
    'https://xn--mller-kva.example',
    'http://[::1]:4030',
    'https://my_app.example.com',
  ]) {
    it(`finds none in ${origin}`, () => assert.equal(originFault(origin), undefined));
  }

  const faulty: readonly (readonly [text: string, fault: RegExp])[] = [
    ['https://*.site.test', /wildcard; list each origin/],
    ['https://*', /wildcard/],
    ['www.example.com', /does not begin with https:\/\//],
    ['null', /does not begin with https:\/\//],
    ['ftp://www.example.com', /does not begin with https:\/\//],
    ['https://', /is not an origin/],
    ['https://www.example.com/', /ends with a slash; leave it out/],
    ['https://www.example.com/blog', /has a path; leave it out/],
    ['https://www.example.com?a', /query or fragment/],
    ['https://user@www.example.com', /user name; leave it out/],
    ['https://WWW.example.com', /capital letters; use lower case/],
    ['HTTPS://www.example.com', /capital letters/],
    ['https://www.example.com:443', /default port/],
    ['http://www.example.com:80', /default port/],
    ['https://müller.example', /beyond ASCII; write the xn-- form/],
    ["https://a.test;script-src'unsafe-inline'", /is not an origin as browsers send it/],
    ['https://0x7f.1', /is not an origin as browsers send it/],
  ];
  for (const [text, fault] of faulty) {
    it(`says what to write instead of ${text}`, () => assert.match(originFault(text) ?? '', fault));
  }
});

describe('isExactOrigin()', () => {
  it('takes texts alone', () => {
    assert.equal(isExactOrigin('https://a.test'), true);
    for (const value of [undefined, 7, {}, ['https://a.test'], 'https://a.test/'])
      assert.equal(isExactOrigin(value), false);
  });
});
