import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { acceptedEncoding, BodyCache, ENCODINGS, entityTagOf, JSON_TYPE, Representation } from './representation.ts';

describe('acceptedEncoding()', () => {
  for (const [header, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['identity;q=0', 'identity'],
  ] as const)
    it(`selects ${encoding} for ${header}`, () => assert.equal(acceptedEncoding(header), encoding));

  it('selects an existing encoding for any header', () => {
    fc.assert(fc.property(fc.string(), (header) => ENCODINGS.includes(acceptedEncoding(header))));
  });
});

describe('entityTagOf()', () => {
  it('is a quoted hash of 132 bits', () => assert.equal(entityTagOf(Buffer.from('pulse')), '"QbWJ6hXy2Uog-93oKw7WmI"'));
});

describe('Representation', () => {
  for (const [length, encoding] of [
    [199, 'identity'],
    [200, 'br'],
  ] as const)
    it(`sends ${length} bytes as ${encoding} to a client that accepts brotli`, () =>
      assert.equal(
        new Representation('x'.repeat(length), JSON_TYPE).in('br').headers.includes('Content-Encoding'),
        encoding === 'br',
      ));

  it('is compressed only once', () => {
    const body = new Representation('x'.repeat(1_000), JSON_TYPE);
    assert.equal(body.in('br'), body.in('br'));
  });
});

describe('BodyCache', () => {
  for (const [what, count, length] of [
    ['5,000 bodies', 5_000, 1],
    ['16 MiB of text', 16, 1_024 * 1_024],
  ] as const)
    it(`keeps at most ${what}, regardless of how many addresses are requested`, () => {
      const cache = new BodyCache();
      const bodyOf = (at: number) => cache.body(`ids=${at}`, [], JSON_TYPE, () => 'x'.repeat(length));
      const first = bodyOf(0);
      assert.equal(bodyOf(0), first);
      for (let at = 1; at <= count; at += 1) bodyOf(at);
      assert.notEqual(bodyOf(0), first);
    });
});
