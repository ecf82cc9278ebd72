import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DIRECT } from '../../http/public-fields.ts';
import { frameWarnings } from './frame-warnings.ts';

const [named, v6] = ['https://a.test', 'http://[::1]:8080'];
const config = {
  allowedOrigins: [named],
  baseUrl: named,
  altBaseUrl: undefined,
} as const;

describe('frameWarnings()', () => {
  it('warns that pages on an IPv6 origin can’t show frames, without quoting the origin', () => {
    const [line, ...rest] = frameWarnings({ ...config, allowedOrigins: [named, v6] }, DIRECT);
    assert.match(
      line ?? '',
      /^PULSE_ALLOWED_ORIGINS: pages on the origin in item 2 cannot show frames: .+; use a host name$/,
    );
    assert.deepEqual([rest, line?.includes('::1')], [[], false]);
  });

  for (const [variable, settings, hosts] of [
    ['PULSE_BASE_URL', { baseUrl: v6 }, []],
    ['PULSE_IMAGE_HOSTS', {}, ['cdn.test', '[2001:db8::1]']],
    ['PULSE_ALT_BASE_URL', { altBaseUrl: v6 }, []],
  ] as const)
    it(`warns that frames can’t show charts from an IPv6 address in ${variable}`, () => {
      const [line, ...rest] = frameWarnings({ ...config, ...settings }, { mode: 'direct', hosts });
      assert.match(line ?? '', new RegExp(`^${variable}: frames cannot show charts from this address: `));
      assert.deepEqual(rest, []);
    });

  it('gives no warning if the address appears in no policy', () =>
    assert.deepEqual(frameWarnings({ ...config, baseUrl: v6 }, { mode: 'proxy', hosts: [] }), []));
});
