import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchesOrigin } from '@pulse-card/contract';
import { originFault } from './origin-pattern.ts';

describe('originFault()', () => {
  for (const origin of [
    'http://[::1]:4030',
    'capacitor://localhost',
    'ionic://localhost',
    'tauri://localhost',
    'app://com.example.reader',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'moz-extension://2c127fa4-62c7-7e4f-90e5-472b45eecfdc',
    'https://*.preview.example.com',
    'https://*.branch.vercel.app',
  ])
    it(`accepts ${origin}`, () => assert.equal(originFault(origin), undefined));

  for (const [text, fault] of [
    ['null', /^isn’t an origin as browsers send it\. Write it like/],
    ['capacitor://localhost/', /^isn’t an origin/],
    ['file://localhost', /^isn’t an origin/],
    ['https://Canary.test/', /lower case.+trailing slash/],
    ['http://*.example.com', /wildcard that isn’t allowed/],
    ['https://*.localhost', /at least two labels/],
    ['https://a.*.example.com', /the star as the whole first label/],
    ['https://*.example.com:8443', /no port or path/],
    ['https://*.2.3.4', /wildcard that isn’t allowed/],
    ['https://*.vercel.app', /public suffix/],
    ['https://*.co.uk', /public suffix/],
    ['https://*.kawasaki.jp', /public suffix/],
  ] as const)
    it(`rejects ${text} without repeating it`, () => {
      assert.match(originFault(text) ?? '', fault);
      assert.doesNotMatch(originFault(text) ?? '', /canary/i);
    });
});

describe('matchesOrigin()', () => {
  const patterns = ['https://*.preview.example.com', 'https://www.example.com', 'capacitor://localhost'];

  for (const origin of ['https://a.b.preview.example.com', 'https://www.example.com', 'capacitor://localhost'])
    it(`accepts ${origin}`, () => assert.equal(matchesOrigin(patterns, origin), true));

  for (const origin of [
    'https://preview.example.com',
    'http://pr-1.preview.example.com',
    'https://pr-1.preview.example.com:8443',
    'https://evil.test/.preview.example.com',
    'https://.preview.example.com',
    'https://*.preview.example.com',
    'https://evilpreview.example.com',
    'https://pr-1.preview.example.com.evil.test',
    'capacitor://localhost2',
    'null',
  ])
    it(`rejects ${origin}`, () => assert.equal(matchesOrigin(patterns, origin), false));
});
