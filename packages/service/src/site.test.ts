import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { siteAt } from './site.ts';

describe('siteAt()', () => {
  it('puts charts and the dashboard under the public address', () => {
    const site = siteAt(() => 'https://pulse.example.com', undefined);
    assert.equal(site.chartUrl('abc'), 'https://pulse.example.com/charts/abc.png');
    assert.equal(site.sourceUrl('src_1'), 'https://pulse.example.com/admin/sources/src_1');
  });

  it('takes another address for the dashboard', () => {
    const site = siteAt(() => 'https://pulse.example.com', 'https://app.example.com/x');
    assert.equal(site.sourceUrl('src_1'), 'https://app.example.com/x/sources/src_1');
  });
});
