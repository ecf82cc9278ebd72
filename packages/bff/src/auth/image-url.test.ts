import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { allowedImageUrl } from './image-url.ts';

const HOSTS = ['cdn.test', 'img.test:8443', '127.0.0.1:4010'];

/** Pieces that addresses are made of, and what people put between them to be read in two ways. */
const PIECES = `https: http: HTTPS: file: javascript: / // \\ @ : # ? . %2f %40 \t \u202e 。 cdn.test img.test 8443 443
127.0.0.1 4010 evil.test user a.png`.split(/[ \n]+/);

describe('allowedImageUrl()', () => {
  it('takes https: on a host that is named, port included', () => {
    for (const address of ['https://cdn.test/a.png?b', 'https://img.test:8443/', 'https://CDN.test:443/a.png'])
      assert.ok(allowedImageUrl(address, HOSTS), address);
  });

  it('takes http: on a loopback host that is named, and nowhere else', () => {
    assert.ok(allowedImageUrl('http://127.0.0.1:4010/charts/a.png', HOSTS));
    assert.equal(allowedImageUrl('http://cdn.test/a.png', HOSTS), undefined);
  });

  it('takes nothing where there is no address', () => assert.equal(allowedImageUrl(null, HOSTS), undefined));

  it('T-50: never leads to a host that is not named, whatever the address is made of', () => {
    const address = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 3 })));
    fc.assert(
      fc.property(address, (pieces) => {
        const url = allowedImageUrl(`https://${pieces.join('')}`, HOSTS) ?? allowedImageUrl(pieces.join(''), HOSTS);
        if (url === undefined) return;
        assert.ok(HOSTS.includes(url.host));
        assert.equal(url.username + url.password, '');
        assert.ok(url.protocol === 'https:' || url.hostname === '127.0.0.1');
      }),
      { numRuns: 2_000 },
    );
  });
});
