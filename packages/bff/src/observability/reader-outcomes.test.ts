import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { ReaderOutcomeCounter, readerProblem } from './reader-outcomes.ts';

describe('ReaderOutcomeCounter', () => {
  it('counts good answers and bad ones by code, and neither probes nor unknown ids', () => {
    const counter = new ReaderOutcomeCounter(createVirtualClock());
    counter.record({ code: undefined, cacheResult: 'hit' });
    counter.record({ code: 'rate_limited', cacheResult: undefined });
    counter.record({ code: 'rate_limited', cacheResult: undefined });
    counter.record({ code: undefined, cacheResult: undefined });
    counter.record({ code: 'source_unknown', cacheResult: undefined });
    assert.deepEqual(counter.outcomes(), { total: 3, bad: { rate_limited: 2 } });
  });

  it('counts a batch as bad in which a pulse could not be had', () => {
    const counter = new ReaderOutcomeCounter(createVirtualClock());
    counter.record({ code: undefined, itemCode: 'upstream_unavailable', cacheResult: 'miss' });
    counter.record({ code: undefined, itemCode: 'pulse_not_found', cacheResult: 'hit' });
    assert.deepEqual(counter.outcomes(), { total: 2, bad: { upstream_unavailable: 1 } });
  });

  it('forgets what is older than five minutes', async () => {
    const clock = createVirtualClock();
    const counter = new ReaderOutcomeCounter(clock);
    counter.record({ code: 'internal', cacheResult: undefined });
    await clock.advance(240_000);
    assert.equal(counter.outcomes().total, 1);
    await clock.advance(60_000);
    assert.deepEqual(counter.outcomes(), { total: 0, bad: {} });
  });
});

describe('readerProblem()', () => {
  for (const [what, outcomes, problem] of [
    ['no answers', { total: 0, bad: {} }, undefined],
    ['5 %', { total: 100, bad: { rate_limited: 5 } }, undefined],
    ['more than 5 %', { total: 100, bad: { rate_limited: 6 } }, { code: 'rate_limited', share: 0.06 }],
    ['two bad answers of two', { total: 2, bad: { internal: 2 } }, undefined],
    ['three bad answers of three', { total: 3, bad: { internal: 3 } }, { code: 'internal', share: 1 }],
    [
      'several causes: the most frequent one, with the share of all',
      { total: 10, bad: { rate_limited: 2, origin_forbidden: 3 } },
      { code: 'origin_forbidden', share: 0.5 },
    ],
  ] as const)
    it(`for ${what}`, () => assert.deepEqual(readerProblem(outcomes), problem));
});
