import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Problem, ranked, readinessFailureOf } from './problem.ts';

const problem = (code: string, of: Partial<Problem> = {}): Problem => {
  return { code, level: 'degraded', headline: `${code}.`, advice: 'Look.', ...of };
};

describe('ranked()', () => {
  it('lists general problems first, then problems of single hosts, then problems of single sources', () => {
    const found = [problem('d', { sourceId: 'src_1' }), problem('a'), problem('c', { host: 'cdn.test' }), problem('b')];
    assert.deepEqual(
      ranked(found).map(({ code }) => code),
      ['a', 'b', 'c', 'd'],
    );
  });
});

describe('readinessFailureOf()', () => {
  it('contains the first problem with its public code', () =>
    assert.deepEqual(readinessFailureOf([problem('upstream_auth')]), {
      code: 'upstream_auth',
      reason: 'upstream_auth.',
    }));

  for (const found of [[problem('key_ends')], []])
    it(`contains the code of an outage if readers get no other code: ${found[0]?.code ?? 'no problem'}`, () =>
      assert.equal(readinessFailureOf(found).code, 'upstream_unavailable'));
});
