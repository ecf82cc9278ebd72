import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unsafeUrls } from '@pulse-card/contract/examples';
import fc from 'fast-check';
import { safeUrl } from './sanitize.ts';

describe('safeUrl() (T-36)', () => {
  for (const url of [
    'https://cdn.acme.test/a.png',
    'https://cdn.acme.test:8443/a@2x.png?b=1#c',
    'http://localhost:4010/charts/a.png',
    'http://127.0.0.1/a.png',
    'http://[::1]:1/a.png',
    'https://cdn.acme.test',
  ]) {
    it(`accepts ${url}`, () => assert.equal(safeUrl(url), url));
  }

  for (const [what, url] of Object.entries(unsafeUrls)) it(`rejects ${what}`, () => assert.equal(safeUrl(url), null));

  for (const url of [
    'http://localhost.evil.test/a',
    'http://localhost@evil.test/a',
    'http://127.0.0.1.evil.test/a',
    'https:///evil.test',
    '\u0000https://a.test',
    ' https://a.test',
    'https://a.test\n',
  ]) {
    it(`rejects ${JSON.stringify(url)}`, () => assert.equal(safeUrl(url), null));
  }

  for (const value of [undefined, null, 7, ['https://a.test'], { toString: 1 }])
    it(`rejects ${JSON.stringify(value)}`, () => assert.equal(safeUrl(value), null));

  it('rejects any URL that a browser parses as having a different scheme or a username', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('htps:/\\@.#?a1[]%\t\n ')), maxLength: 30 }),
        (raw) => {
          const url = safeUrl(raw);
          if (url === null || !URL.canParse(url)) return;
          const { protocol, username, password } = new URL(url);
          assert.ok((protocol === 'https:' || protocol === 'http:') && username === '' && password === '');
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
