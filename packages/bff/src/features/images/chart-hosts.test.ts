import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Config } from '../../config.ts';
import { chartHosts } from './chart-hosts.ts';

const hostsOf = (baseUrl: string, imageHosts: readonly string[], { usesProxy = false, images = 'proxy' } = {}) => {
  const proxies = usesProxy ? { https: 'http://proxy.test' } : {};
  return chartHosts({ baseUrl, imageHosts, images, proxies } as unknown as Config);
};

describe('chartHosts().whyRefused()', () => {
  for (const [url, imageHosts, host, reason] of [
    ['http://cdn.test/a.png', [], 'cdn.test', 'http'],
    ['https://cdn.test/a.png', ['img.test'], 'cdn.test', 'not-listed'],
    ['https://10.0.0.1/a.png', [], '10.0.0.1', 'not-public'],
    ['about:invalid', [], 'none', 'not-public'],
  ] as const)
    it(`contains the host and the reason for ${url}`, () => {
      const hosts = hostsOf('https://pulses.test', imageHosts);
      assert.equal(hosts.allowed(url), undefined);
      assert.deepEqual(hosts.whyRefused({ imageUrl: url }), { host, reason });
    });

  it('allows only listed hosts and the service through an outgoing proxy, because the proxy resolves names', () => {
    const [url, own] = ['https://cdn.test/a.png', 'https://pulses.test/a.png'];
    const hosts = hostsOf('https://pulses.test', [], { usesProxy: true });
    assert.deepEqual(hosts.whyRefused({ imageUrl: url }), { host: 'cdn.test', reason: 'behind-proxy' });
    assert.deepEqual([hosts.allowed(url), hosts.allowed(own)?.href], [undefined, own]);
    assert.equal(hostsOf('https://pulses.test', ['cdn.test'], { usesProxy: true }).allowed(url)?.href, url);
  });
});

describe('chartHosts().allowed()', () => {
  it('allows http: charts only from a service at a private http: URL', () => {
    for (const imageHosts of [[], ['10.1.1.1:4010']]) {
      const hosts = hostsOf('http://10.1.1.1:4010', imageHosts);
      assert.equal(hosts.allowed('http://10.1.1.1:4010/charts/a.png')?.protocol, 'http:');
      for (const host of ['10.1.1.2:4010', 'user@10.1.1.1:4010', ':password@10.1.1.1:4010'])
        assert.equal(hosts.allowed(`http://${host}/charts/a.png`), undefined, host);
    }
  });

  it('accepts any loopback name for a service on loopback, but only on the service’s port', () => {
    const hosts = hostsOf('http://127.0.0.1:4010', []);
    for (const host of ['127.0.0.1:4010', 'localhost:4010', '[::1]:4010'])
      assert.equal(hosts.allowed(`http://${host}/charts/a.png`)?.host, host);
    for (const host of ['localhost:4020', 'localhost', '127.0.0.2:4010'])
      assert.equal(hosts.allowed(`http://${host}/charts/a.png`), undefined);
  });

  it('allows any path on a listed host', () => {
    const url = 'https://cdn.test//charts/a.png';
    assert.equal(hostsOf('https://pulses.test', ['cdn.test']).allowed(url)?.href, url);
  });

  it('allows any public https: URL on the default port if no host is configured', () => {
    const hosts = hostsOf('https://pulses.test', []);
    assert.equal(hosts.allowed('https://cdn.test/a.png')?.href, 'https://cdn.test/a.png');
    assert.equal(hosts.allowed('https://cdn.test:8443/a.png'), undefined);
  });
});

describe('chartHosts().whyRefused() in direct mode', () => {
  for (const [imageUrl, imageHosts, isShown] of [
    ['https://cdn.test/a.png', [], true],
    ['https://cdn.test/a.png', ['cdn.test'], true],
    ['https://cdn.test/a.png', ['img.test'], false],
    ['https://cdn.test:8443/a.png', ['cdn.test'], false],
    ['https://cdn.test:8443/a.png', ['cdn.test:8443'], true],
    ['https://cdn.test:8443/a.png', [], false],
    ['https://pulses.test:8443/a.png', [], false],
    ['https://10.0.0.1/a.png', [], false],
    ['https://127.0.0.1/a.png', [], false],
    ['http://cdn.test/a.png', [], false],
    [null, [], true],
  ] as const)
    it(`${isShown ? 'allows' : 'rejects'} ${imageUrl} with the hosts ${JSON.stringify(imageHosts)}`, () => {
      const hosts = hostsOf('https://pulses.test', imageHosts, { images: 'direct' });
      assert.equal(hosts.whyRefused({ imageUrl }) === undefined, isShown);
    });
});

it('chartHosts() in direct mode treats the service’s own charts like any others, except for the port', () => {
  const reasonOf = (origin: string) =>
    hostsOf(origin, [], { images: 'direct' }).whyRefused({ imageUrl: `${origin}/a.png` })?.reason;
  assert.deepEqual(['https://pulses.test:8443', 'http://10.1.1.1:4010'].map(reasonOf), [undefined, 'http']);
});

/** Parts of URLs, and the separators that attackers use to make two servers parse the same URL differently. */
const PIECES = `https: http: HTTPS: file: javascript: / // \\ @ : # ? . %2f %40 \t \u202e 。 cdn.test img.test 8443 443
127.0.0.1 4010 evil.test user a.png`.split(/[ \n]+/);

describe('chartHosts()', () => {
  it('T-50: never allows an unlisted host, regardless of the URL', () => {
    const imageHosts = ['cdn.test', 'img.test:8443', '127.0.0.1:4010'];
    const named = hostsOf('https://pulses.test', imageHosts);
    const address = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 3 })));
    fc.assert(
      fc.property(address, (pieces) => {
        const url = named.allowed(`https://${pieces.join('')}`) ?? named.allowed(pieces.join(''));
        if (url === undefined) return;
        assert.ok(imageHosts.includes(url.host));
        assert.equal(url.username + url.password, '');
        assert.ok(url.protocol === 'https:' || url.hostname === '127.0.0.1');
      }),
      { numRuns: 2_000 },
    );
  });
});
