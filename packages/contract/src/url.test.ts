import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ANY_LETTER } from '../../testkit/src/any-letter.ts';
import { unsafeUrls } from './examples.ts';
import { TEXT_LIMITS } from './text.ts';
import { canPolicyName, httpsOrLoopbackUrl, isExactOrigin, isLoopbackHost, readUrl, safeUrl } from './url.ts';

describe('isLoopbackHost()', () => {
  it('recognizes this machine’s names', () => {
    for (const host of ['localhost', '127.0.0.1', '127.8.8.8', '[::1]']) assert.equal(isLoopbackHost(host), true, host);
  });

  it('doesn’t treat any other host as this machine', () => {
    for (const host of ['127.0.0.1.evil.test', 'localhost.evil.test', '128.0.0.1', 'evil.test', '[::2]', '']) {
      assert.equal(isLoopbackHost(host), false, host);
    }
  });
});

describe('safeUrl() (T-36, T-50)', () => {
  it('accepts https: anywhere and http: on this machine', () => {
    for (const url of [
      'https://cdn.acme.test/a.png',
      'http://localhost:4010/a.png',
      'http://127.0.0.1/a',
      'http://[::1]/a',
    ]) {
      assert.equal(safeUrl(url), url);
    }
  });

  it('returns the canonical form', () => {
    assert.equal(safeUrl('HTTPS://CDN.acme.test:443/a/../b.png'), 'https://cdn.acme.test/b.png');
  });

  for (const [what, url] of Object.entries(unsafeUrls)) {
    it(`rejects ${what}`, () => assert.equal(safeUrl(url), undefined));
  }

  it('rejects an extremely long URL', () => {
    assert.equal(safeUrl(`https://cdn.acme.test/${'a'.repeat(TEXT_LIMITS.url)}`), undefined);
  });

  it('returns only URLs without a username that use https:, or http: on this machine', () => {
    // fc.webUrl() needs a second of CPU before its first URL.
    const letters = fc.string({ unit: ANY_LETTER });
    const webUrl = fc
      .tuple(fc.constantFrom('https', 'http'), fc.webAuthority(), letters)
      .map(([scheme, authority, path]) => `${scheme}://${authority}/${path}`);
    fc.assert(
      fc.property(
        fc.oneof(
          webUrl,
          letters,
          fc.string().map((tail) => `https://a${tail}`),
        ),
        (raw) => {
          const safe = safeUrl(raw);
          if (safe === undefined) return;
          const { protocol, hostname, username, password } = new URL(safe);
          assert.ok(protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)));
          assert.equal(username + password, '');
          assert.equal(safeUrl(safe), safe);
        },
      ),
    );
  });
});

describe('httpsOrLoopbackUrl', () => {
  it('rejects URLs that browsers shouldn’t open', () => {
    assert.equal(httpsOrLoopbackUrl.safeParse('https://cdn.acme.test/a.png').success, true);
    for (const [what, url] of Object.entries(unsafeUrls)) {
      assert.equal(httpsOrLoopbackUrl.safeParse(url).success, false, what);
    }
  });
});

describe('readUrl', () => {
  it('returns null for a URL that browsers shouldn’t open', () => {
    for (const [what, url] of Object.entries(unsafeUrls)) assert.equal(readUrl.parse(url), null, what);
    assert.equal(readUrl.parse(null), null);
  });
});

describe('isExactOrigin()', () => {
  it('accepts only origins exactly as browsers send them', () => {
    for (const origin of ['https://a.test', 'http://localhost:8123', 'https://[::1]:8443'])
      assert.equal(isExactOrigin(origin), true);
    const others = ['https://a.test/', 'https://A.test', 'https://a.test:443', 'https://*.a.test', 'null', 'a.test'];
    for (const value of [...others, undefined, 7, {}, ['https://a.test']]) assert.equal(isExactOrigin(value), false);
  });
});

describe('canPolicyName()', () => {
  it('accepts exact origins with names or IPv4 addresses', () => {
    for (const origin of ['https://a.test', 'http://localhost:8123', 'http://127.0.0.1:4010'])
      assert.equal(canPolicyName(origin), true, origin);
  });

  it('accepts a pattern whose first label is an asterisk', () => {
    assert.equal(canPolicyName('https://*.a.test'), true);
  });

  it('rejects IPv6 addresses and text with a special meaning in a policy', () => {
    for (const origin of ['https://[::1]:8443', 'http://[2001:db8::1]', 'https://a.*.test', 'https://a;b.test', ''])
      assert.equal(canPolicyName(origin), false, origin);
  });
});
