import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hasDuplicateKeys } from './token-header.ts';

const says = (json: string): boolean => hasDuplicateKeys(json, JSON.parse(json));

describe('hasDuplicateKeys()', () => {
  const twice = [
    '{"a":1,"a":1}',
    String.raw`{"a":1,"\u0061":2}`,
    '{"b":{"a":1,"a":2}}',
    '[{"a":1,"a":2}]',
    '{"a" :1,"b":2,\n"a"\t: 3}',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
  ];
  for (const json of twice) it(`finds the name in ${JSON.stringify(json)}`, () => assert.ok(says(json)));

  const once = [
    '{"a":{"a":1}}',
    '{"a":"\\"a\\":"}',
    '["a","a"]',
    '{"a":"a:","b":"{\\"a\\":1,\\"a\\":1}"}',
    '{}',
    '"a"',
  ];
  for (const json of once) it(`finds none in ${JSON.stringify(json)}`, () => assert.ok(!says(json)));

  it('finds none in what was written out of a value', () => {
    fc.assert(fc.property(fc.json(), (json) => assert.ok(!says(json))));
  });
});
