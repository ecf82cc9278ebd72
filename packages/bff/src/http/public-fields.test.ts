import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { directChartUrl } from './public-fields.ts';

describe('directChartUrl() (T-84)', () => {
  const LOOPBACK = ['http://127.0.0.1:9/a.png', 'http://localhost/a.png', 'https://[::1]/a.png'];
  const PRIVATE = ['https://10.0.0.1/a.png', 'https://[fd00::1]/a.png', 'https://[::7f00:1]/'];
  const PUBLIC = ['https://cdn.test/a.png', 'https://1.1.1.1/a.png'];
  for (const [baseUrl, allowed, refused] of [
    ['https://pulses.test', PUBLIC, [...LOOPBACK, ...PRIVATE]],
    ['http://127.0.0.1:4010', [...PUBLIC, ...LOOPBACK], PRIVATE],
    ['http://10.1.1.1', [...PUBLIC, ...PRIVATE], LOOPBACK],
  ] as const)
    it(`returns only chart addresses that a service at ${baseUrl} is allowed to use`, () => {
      const urlOf = directChartUrl({ baseUrl, altBaseUrl: undefined });
      for (const imageUrl of allowed) assert.equal(urlOf({ imageUrl }), imageUrl);
      for (const imageUrl of refused) assert.equal(urlOf({ imageUrl }), null, imageUrl);
    });

  it('returns only charts on the listed hosts, if any host is listed', () => {
    const urlOf = directChartUrl({ baseUrl: 'https://pulses.test', altBaseUrl: undefined }, ['cdn.test']);
    assert.equal(urlOf({ imageUrl: 'https://cdn.test/a.png' }), 'https://cdn.test/a.png');
    for (const imageUrl of ['https://pulses.test/a.png', 'https://cdn.test:8443/a.png', 'https://a.cdn.test/a.png'])
      assert.equal(urlOf({ imageUrl }), null, imageUrl);
  });
});
