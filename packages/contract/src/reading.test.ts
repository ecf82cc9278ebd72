import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { unsafeUrls } from './examples.ts';
import {
  cutText,
  httpsOrLoopbackUrl,
  isLoopbackHost,
  readMoment,
  readText,
  readUrl,
  safeUrl,
  TEXT_LIMITS,
} from './reading.ts';

describe('cutText()', () => {
  it('leaves text that fits as it is', () => {
    assert.equal(cutText('abc', 3), 'abc');
  });

  it('cuts what does not fit and marks the cut', () => {
    assert.equal(cutText('abcd', 3), 'ab…');
  });

  it('never leaves half a character', () => {
    assert.equal(cutText('a😀😀', 3), 'a…');
  });

  it('keeps to the limit and to whole characters for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const cut = cutText(text, limit);
        assert.ok(cut.length <= limit);
        assert.ok(cut.isWellFormed());
      }),
    );
  });
});

describe('readText()', () => {
  it('takes text and null, and nothing else', () => {
    const schema = readText(10);
    assert.equal(schema.parse('abc'), 'abc');
    assert.equal(schema.parse(null), null);
    for (const bad of [undefined, 7, {}, ['a']]) assert.equal(schema.safeParse(bad).success, false);
  });

  it('mends half a character', () => {
    assert.equal(readText(10).parse('a\ud800b'), 'a\ufffdb');
  });
});

describe('isLoopbackHost()', () => {
  it('knows the names of this machine', () => {
    for (const host of ['localhost', '127.0.0.1', '127.8.8.8', '[::1]']) assert.equal(isLoopbackHost(host), true, host);
  });

  it('takes no other host for it', () => {
    for (const host of ['127.0.0.1.evil.test', 'localhost.evil.test', '128.0.0.1', 'evil.test', '[::2]', '']) {
      assert.equal(isLoopbackHost(host), false, host);
    }
  });
});

describe('safeUrl() (T-36, T-50)', () => {
  it('takes https: anywhere and http: on this machine', () => {
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
    it(`refuses ${what}`, () => assert.equal(safeUrl(url), undefined));
  }

  it('refuses an address beyond all measure', () => {
    assert.equal(safeUrl(`https://cdn.acme.test/${'a'.repeat(TEXT_LIMITS.url)}`), undefined);
  });

  it('never returns anything but https:, or http: on this machine, without user name', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string({ unit: 'binary' }),
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
  it('holds what we write to the rule of what we read', () => {
    assert.equal(httpsOrLoopbackUrl.safeParse('https://cdn.acme.test/a.png').success, true);
    for (const [what, url] of Object.entries(unsafeUrls)) {
      assert.equal(httpsOrLoopbackUrl.safeParse(url).success, false, what);
    }
  });
});

describe('readUrl', () => {
  it('turns an address that no browser should be sent to into null', () => {
    for (const [what, url] of Object.entries(unsafeUrls)) assert.equal(readUrl.parse(url), null, what);
    assert.equal(readUrl.parse(null), null);
  });
});

describe('readMoment', () => {
  it('reads any offset and keeps UTC with milliseconds', () => {
    assert.equal(readMoment.parse('2026-05-08T11:00:12+02:00'), '2026-05-08T09:00:12.000Z');
    assert.equal(readMoment.parse('2026-05-08T09:00:12.000Z'), '2026-05-08T09:00:12.000Z');
    assert.equal(readMoment.parse(null), null);
  });

  it('refuses what is no moment', () => {
    for (const bad of [
      'yesterday',
      '2026-05-08',
      '2026-02-30T00:00:00Z',
      '2026-05-08 09:00',
      '9999-12-31T23:59:59-01:00',
      '',
      1_778_230_812,
    ]) {
      assert.equal(readMoment.safeParse(bad).success, false, String(bad));
    }
  });
});
