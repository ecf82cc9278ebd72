import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIST_ID } from './subject.ts';
import { upstreamUrl } from './upstream-url.ts';

const BASE = 'https://pulse.example.com';

const urlOf = (base: string, subject: string) => upstreamUrl(new URL(base), subject);

describe('upstreamUrl() (T-15)', () => {
  it('returns the address of the route below the base address', () => {
    assert.equal(urlOf(BASE, LIST_ID).href, `${BASE}/v1/sources`);
    assert.equal(urlOf(BASE, 'src_1').href, `${BASE}/v1/sources/src_1/pulse`);
    assert.equal(urlOf(`${BASE}/api/`, 'src_1').href, `${BASE}/api/v1/sources/src_1/pulse`);
  });

  const bad = [
    '',
    '.',
    '..',
    '../admin',
    'a/b',
    'a%2Fb',
    '%2e%2e',
    'a?b',
    'a#b',
    '//evil.test',
    '\\\\evil',
    'a\nb',
    'a\u0000',
    '．．',
    'x'.repeat(129),
  ];
  for (const sourceId of bad)
    it(`rejects ${JSON.stringify(sourceId.slice(0, 20))}`, () => {
      assert.throws(() => urlOf(BASE, sourceId), /not a source id/);
    });

  it('never returns an address outside the base address, for any id', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webPath()), (sourceId) => {
        let url: URL;
        try {
          url = urlOf(`${BASE}/api`, sourceId);
        } catch {
          return;
        }
        assert.equal(url.origin, BASE);
        assert.equal(url.pathname, `/api/v1/sources/${sourceId}/pulse`);
      }),
    );
  });
});
