import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  AddressError,
  browserImageTest,
  isAllowedHost,
  isPublicAddress,
  ssrfSafeLookup,
  type Resolve,
  allowedImageUrl,
} from './addresses.ts';
import fc from 'fast-check';

describe('isPublicAddress() (T-50, T-51)', () => {
  for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700::1111']) {
    it(`takes ${address}`, () => assert.equal(isPublicAddress(address), true));
  }
  const refused = [
    ...'0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 192.0.0.1 192.168.0.1'.split(' '),
    ...'198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::127.0.0.1'.split(' '),
    ...'::7f00:1 ::a00:1 ::808:808 ::ffff:8.8.8.8 1::1 1fff::1 4000::1 5f00::1 8000::1 e000::1'.split(' '),
    ...'64:ff9b::7f00:1 2002:7f00:1:: 2001::1 fc00::1 fd12::1 fe80::1 ff02::1 2001:db8::1 nonsense 1.2.3'.split(' '),
  ];
  for (const address of refused) it(`refuses ${address}`, () => assert.equal(isPublicAddress(address), false));
});

describe('browserImageTest() (T-84)', () => {
  const LOOPBACK = [
    'http://127.0.0.1:9/a.png',
    'http://localhost/a.png',
    'https://[::1]/a.png',
    'https://127.9.9.9/a.png',
  ];
  const PRIVATE = [
    'https://10.0.0.1/a.png',
    'https://192.168.1.1/a.png',
    'https://[fd00::1]/a.png',
    'https://[::7f00:1]/',
  ];
  const PUBLIC = ['https://cdn.test/a.png', 'https://1.1.1.1/a.png'];
  const cases = [
    ['https://pulses.test', PUBLIC, [...LOOPBACK, ...PRIVATE]],
    ['http://127.0.0.1:4010', [...PUBLIC, ...LOOPBACK], PRIVATE],
    ['http://10.1.1.1', [...PUBLIC, ...PRIVATE], LOOPBACK],
  ] as const;
  for (const [service, allowed, refused] of cases) {
    it(`sends browsers where a service at ${service} may`, () => {
      const isForBrowsers = browserImageTest([service]);
      for (const url of allowed) assert.equal(isForBrowsers(url), true, url);
      for (const url of refused) assert.equal(isForBrowsers(url), false, url);
    });
  }
});

describe('isAllowedHost()', () => {
  for (const host of ['cdn.test', '1.1.1.1', '127.0.0.1', '[::1]']) {
    it(`takes ${host}`, () => assert.equal(isAllowedHost(host), true));
  }
  for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:7f00:1]', '[fd00::1]']) {
    it(`refuses ${host}`, () => assert.equal(isAllowedHost(host), false));
  }
});

describe('ssrfSafeLookup() (T-51)', () => {
  const lookUp = (name: string, addresses: string[]) => {
    const resolve: Resolve = (_name, found) =>
      found(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
    return new Promise((settle) => {
      ssrfSafeLookup(resolve)(name, { all: true }, (error, found) => settle(error ?? found));
    });
  };

  it('gives the addresses that were judged', async () => {
    assert.deepEqual(await lookUp('cdn.test', ['1.1.1.1']), [{ address: '1.1.1.1', family: 4 }]);
  });

  it('refuses a name of which one address is not public, and a name of none', async () => {
    assert.ok((await lookUp('cdn.test', ['1.1.1.1', '10.0.0.1'])) instanceof AddressError);
    assert.ok((await lookUp('cdn.test', [])) instanceof AddressError);
  });

  it('lets a loopback name lead to loopback, and nowhere else', async () => {
    assert.deepEqual(await lookUp('localhost', ['127.0.0.1']), [{ address: '127.0.0.1', family: 4 }]);
    assert.ok((await lookUp('localhost', ['1.1.1.1'])) instanceof AddressError);
  });
});

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

  it('refuses a private address that is named', () =>
    assert.equal(allowedImageUrl('https://10.0.0.1/a.png', ['10.0.0.1']), undefined));

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
