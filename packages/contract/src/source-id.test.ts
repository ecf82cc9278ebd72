import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ANY_LETTER } from '../../testkit/src/any-letter.ts';
import { idSchema, isSourceId, SOURCE_ID_MAX_LENGTH } from './source-id.ts';

const FIRST = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~-'.split('');

const validId = fc
  .tuple(
    fc.constantFrom(...FIRST),
    fc.array(fc.constantFrom(...FIRST, '.'), { maxLength: SOURCE_ID_MAX_LENGTH - 1 }).map((rest) => rest.join('')),
  )
  .map(([first, rest]) => first + rest);

describe('isSourceId() (T-15, T-16)', () => {
  it('accepts the ID formats that services use', () => {
    for (const id of ['src_1', 'src_01J9ZK3', 'a', '7', 'b1946ac9-2492-4d23', 'a.b~c_d-e', '_', 'A'.repeat(128)]) {
      assert.equal(isSourceId(id), true, id);
    }
  });

  it('rejects text that would need escaping in a path, query, or cache key', () => {
    const bad = [
      '',
      '.',
      '..',
      '.hidden',
      'a/b',
      'a\\b',
      'a b',
      'a?b',
      'a#b',
      'a%2Fb',
      'a,b',
      'a:b',
      'a;b',
      'a@b',
      'a+b',
    ];
    for (const id of [...bad, 'a\0', 'a\n', '\u200b', 'é', 'ａ', '\ud800', '<b>', "a'b", 'A'.repeat(129)]) {
      assert.equal(isSourceId(id), false, JSON.stringify(id));
    }
  });

  it('rejects values that aren’t text', () => {
    for (const id of [null, undefined, 7, true, {}, ['src_1'], Object('src_1')]) assert.equal(isSourceId(id), false);
  });

  it('accepts only characters that don’t need to be encoded in a URL', () => {
    fc.assert(
      fc.property(validId, (id) => {
        assert.equal(isSourceId(id), true);
        const url = new URL(`https://host.test/v1/sources/${id}/pulse`);
        assert.equal(url.pathname, `/v1/sources/${id}/pulse`);
        assert.equal(encodeURIComponent(id), id);
      }),
    );
  });

  it('doesn’t accept text that would make a path point elsewhere', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_LETTER, maxLength: 140 }), (id) => {
        if (!isSourceId(id)) return;
        assert.equal(new URL(`https://host.test/v1/sources/${id}/pulse`).pathname, `/v1/sources/${id}/pulse`);
      }),
    );
  });
});

describe('idSchema', () => {
  it('agrees with isSourceId()', () => {
    fc.assert(
      fc.property(fc.oneof(validId, fc.string({ unit: ANY_LETTER })), (id) => {
        assert.equal(idSchema.safeParse(id).success, isSourceId(id));
      }),
    );
  });
});
