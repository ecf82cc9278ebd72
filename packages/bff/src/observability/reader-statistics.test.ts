import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { AnswerCounter, type CountedAnswer, ReadersToday } from './reader-statistics.ts';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

const PULSE = '/v1/sources/:sourceId/pulse';
const IMAGE = '/v1/sources/:sourceId/image';
const LIST = '/v1/sources';
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
    ['nothing for a list of sources, which has no chart', { route: LIST }, {}],
    ['nothing for an earlier list of sources', { route: LIST, cacheResult: 'stale', stale: true }, {}],
    [
      'a list that cannot be had as failed, for its board stays empty',
      { route: LIST, cacheResult: undefined, code: 'upstream_unavailable' },
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

const SITE = 'https://www.example.com';

function start(isKnown: (sourceId: string) => boolean = () => true) {
  const clock = createVirtualClock();
  return { clock, readers: new ReadersToday(() => clock.wallNow(), isKnown) };
}

function view(readers: ReadersToday, sourceIds: readonly string[], headers: IncomingHttpHeaders, code?: string): void {
  readers.record({ code, sourceIds, request: { headers } as IncomingMessage });
}

describe('ReadersToday', () => {
  it('counts views by source and page origin, most first', () => {
    const { readers } = start();
    view(readers, ['src_1', 'src_2'], { origin: SITE });
    view(readers, ['src_2'], { origin: 'https://blog.example.com' });
    view(readers, ['src_2'], { origin: SITE });
    assert.deepEqual(readers.counts(), {
      since: '2026-05-08T00:00:00.000Z',
      sources: [
        {
          sourceId: 'src_2',
          views: 3,
          origins: [
            { origin: SITE, views: 2 },
            { origin: 'https://blog.example.com', views: 1 },
          ],
        },
        { sourceId: 'src_1', views: 1, origins: [{ origin: SITE, views: 1 }] },
      ],
    });
  });

  for (const [words, headers, origin] of [
    ['the origin of the referrer, not its path', { referer: `${SITE}/people/jane?token=1#top` }, SITE],
    ['a referrer that is an origin alone', { referer: SITE }, SITE],
    ['the referrer of a page with no origin', { origin: 'null', referer: `${SITE}/` }, SITE],
    ['"other" for what is no origin', { origin: '<script>' }, 'other'],
    ['"other" for a referrer with a password', { referer: 'https://jane:secret@example.com/' }, 'other'],
  ] as const) {
    it(`counts ${words}`, () => {
      const { readers } = start();
      view(readers, ['src_1'], headers);
      assert.deepEqual(readers.counts().sources[0]?.origins, [{ origin, views: 1 }]);
    });
  }

  it('counts nothing where the page is not named', () => {
    const { readers } = start();
    view(readers, ['src_1'], {});
    view(readers, ['src_1'], { origin: 'null' });
    assert.deepEqual(readers.counts().sources, []);
  });

  it('counts nothing that was refused', () => {
    const { readers } = start();
    view(readers, ['src_1'], { origin: SITE }, 'origin_forbidden');
    assert.deepEqual(readers.counts().sources, []);
  });

  it('counts no source that does not exist', () => {
    const { readers } = start((sourceId) => sourceId === 'src_1');
    view(readers, ['src_1', 'invented'], { origin: SITE });
    assert.deepEqual(
      readers.counts().sources.map(({ sourceId }) => sourceId),
      ['src_1'],
    );
  });

  it('starts anew at midnight UTC', async () => {
    const { clock, readers } = start();
    view(readers, ['src_1'], { origin: SITE });
    await clock.advance(15 * 3_600_000 - 1);
    assert.equal(readers.counts().sources.length, 1);
    await clock.advance(1);
    assert.deepEqual(readers.counts(), { since: '2026-05-09T00:00:00.000Z', sources: [] });
  });

  it('holds a bounded number of origins and sources, whatever visitors send', () => {
    const { readers } = start();
    for (let at = 0; at < 5_000; at += 1) view(readers, ['src_1', `src_${at}`], { origin: `https://${at}.test` });
    const { sources } = readers.counts();
    assert.equal(sources.length, 1_000);
    assert.equal(sources[0]?.views, 5_001);
    assert.equal(sources[0]?.origins.length, 51);
    assert.equal(sources[0]?.origins[0]?.origin, 'other');
  });
});
