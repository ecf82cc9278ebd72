import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { AnswerCounter, type CountedAnswer } from './answer-counts.ts';

const PULSE = '/v1/sources/:sourceId/pulse';
const IMAGE = '/v1/sources/:sourceId/image';
const NONE = { fresh: 0, stale: 0, waited: 0, refused: 0, failed: 0 };

const hit: CountedAnswer = { route: PULSE, cacheResult: 'hit', stale: false, code: undefined };

function countsAfter(answer: Partial<CountedAnswer>) {
  const counter = new AnswerCounter(createVirtualClock());
  counter.record({ ...hit, ...answer });
  return counter;
}

describe('AnswerCounter', () => {
  for (const [words, answer, counts] of [
    ['an answer from the cache as fresh', {}, { fresh: 1 }],
    ['an earlier version as stale', { cacheResult: 'stale', stale: true }, { stale: 1 }],
    ['an answer that was refreshed in time as waited for', { cacheResult: 'stale', stale: false }, { waited: 1 }],
    ['a first answer as waited for', { cacheResult: 'miss' }, { waited: 1 }],
    ['a page that is not allowed as refused', { cacheResult: undefined, code: 'origin_forbidden' }, { refused: 1 }],
    ['a source that is not known as refused', { cacheResult: undefined, code: 'source_unknown' }, { refused: 1 }],
    [
      'an outage with nothing to show as failed',
      { cacheResult: undefined, code: 'upstream_unavailable' },
      { failed: 1 },
    ],
    ['nothing for a script', { cacheResult: undefined, route: '/pulse-card.js' }, {}],
    ['nothing for a path that does not exist', { cacheResult: undefined, code: 'not_found' }, {}],
  ] as const) {
    it(`counts ${words}`, () => assert.deepEqual(countsAfter(answer).counts(), { ...NONE, ...counts }));
  }

  it('counts pictures apart', () => {
    assert.deepEqual(countsAfter({ route: IMAGE }).images(), { loaded: 1, failed: 0 });
    assert.deepEqual(countsAfter({ route: IMAGE, code: 'upstream_invalid' }).images(), { loaded: 0, failed: 1 });
    assert.deepEqual(countsAfter({ route: IMAGE }).counts(), NONE);
  });

  it('counts a picture of a pulse that cannot be read as a failed answer', () => {
    const counter = countsAfter({ route: IMAGE, cacheResult: undefined, code: 'upstream_unavailable' });
    assert.equal(counter.counts().failed, 1);
    assert.deepEqual(counter.images(), { loaded: 0, failed: 0 });
  });

  it('forgets answers after an hour, and pictures after five minutes', async () => {
    const clock = createVirtualClock();
    const counter = new AnswerCounter(clock);
    counter.record(hit);
    counter.record({ ...hit, route: IMAGE, code: 'upstream_invalid' });
    await clock.advance(5 * 60_000);
    assert.equal(counter.images().failed, 0);
    await clock.advance(54 * 60_000);
    assert.equal(counter.counts().fresh, 1);
    await clock.advance(60_000);
    assert.equal(counter.counts().fresh, 0);
    counter.record(hit);
    assert.equal(counter.counts().fresh, 1);
  });
});
