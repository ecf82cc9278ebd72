import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { publicUrls } from './public-urls.ts';

describe('publicUrls()', () => {
  it('puts charts and source pages under the public URL', () => {
    const urls = publicUrls(() => 'https://pulse.example.com', undefined);
    assert.equal(urls.chart('abc'), 'https://pulse.example.com/charts/abc.png');
    assert.equal(urls.source('src_1'), 'https://pulse.example.com/admin/sources/src_1');
  });

  it('puts source pages under PULSE_ADMIN_URL if it is set', () => {
    const urls = publicUrls(() => 'https://pulse.example.com', 'https://app.example.com/x');
    assert.equal(urls.source('src_1'), 'https://app.example.com/x/sources/src_1');
  });
});
