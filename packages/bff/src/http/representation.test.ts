import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { acceptedEncoding, BodyCache, ENCODINGS, JSON_TYPE } from './representation.ts';

describe('acceptedEncoding()', () => {
  const cases: [header: string | undefined, encoding: string][] = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['identity', 'identity'],
    ['identity;q=1, br;q=0.5', 'identity'],
    ['identity;q=0', 'identity'],
    ['deflate', 'identity'],
    ['br;q=nonsense', 'identity'],
  ];
  for (const [header, encoding] of cases) {
    it(`answers ${encoding} to ${JSON.stringify(header)}`, () => assert.equal(acceptedEncoding(header), encoding));
  }

  it('always names a form that exists', () => {
    fc.assert(fc.property(fc.string(), (header) => ENCODINGS.includes(acceptedEncoding(header))));
  });
});

describe('BodyCache', () => {
  const bodyIn = (cache: BodyCache, name: string, ...dependencies: readonly unknown[]) =>
    cache.body(name, dependencies, JSON_TYPE, () => `${name} ${dependencies.join()}`);

  it('keeps a body while all that it is made of is the same', () => {
    const cache = new BodyCache();
    const first = bodyIn(cache, 'ids=a', '1', false);
    assert.equal(bodyIn(cache, 'ids=a', '1', false), first);
    for (const others of [['2', false], ['1', true], ['1'], ['1', false, '2']])
      assert.notEqual(bodyIn(cache, 'ids=a', ...others), first);
  });

  it('keeps no more bodies, and no more text, than a visitor who asks for every form may cost', () => {
    for (const [count, length] of [
      [5_000, 1],
      [16, 1_024 * 1_024],
    ] as const) {
      const cache = new BodyCache();
      const first = bodyIn(cache, 'ids=0', 'x'.repeat(length));
      for (let at = 1; at <= count; at += 1) bodyIn(cache, `ids=${at}`, 'x'.repeat(length));
      assert.notEqual(bodyIn(cache, 'ids=0', 'x'.repeat(length)), first);
    }
  });
});
