import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import type { ResponseRecord } from '../../http/request-context.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { Counters, type CountersOptions } from './counters.ts';

const IMAGE = '/v1/sources/:sourceId/image';
const LIST = '/v1/sources';
const SITE = 'https://www.example.com';

function open(options: Partial<CountersOptions> = {}) {
  const clock = createVirtualClock();
  return {
    clock,
    counters: new Counters({ clock, isKnown: () => true, isReady: () => true, isBudgetReady: () => true, ...options }),
  };
}

type Answer = Partial<Omit<ResponseRecord, 'request' | 'headers'>> & { readonly headers?: IncomingHttpHeaders };

/** Records a cache hit with some other facts. */
function record(counters: Counters, { headers = {}, ...changes }: Answer = {}): void {
  counters.record({
    method: 'GET',
    route: '/v1/sources/:sourceId/pulse',
    status: 200,
    durationMs: 1,
    cacheResult: 'hit',
    ageMs: 0,
    code: undefined,
    client: '198.51.100.7',
    isEarlierVersion: false,
    request: { headers } as IncomingMessage,
    ...changes,
  });
}

const refused = (code: string, origin?: string): Answer => ({ code, cacheResult: undefined, headers: { origin } });

describe('Counters', () => {
  describe('of the last hour', () => {
    const unavailable = refused('upstream_unavailable');
    for (const [words, answer, counts] of [
      ['an answer from the cache as fresh', {}, { fresh: 1 }],
      ['an earlier version as stale', { cacheResult: 'stale', isEarlierVersion: true }, { stale: 1 }],
      [
        'an answer that was refreshed while the reader waited as waited for',
        { cacheResult: 'stale', isEarlierVersion: false },
        { waited: 1 },
      ],
      ['a first answer as waited for', { cacheResult: 'miss' }, { waited: 1 }],
      ['a request from a forbidden origin as refused', refused('origin_forbidden'), { refused: 1 }],
      ['a request for an unknown source as refused', refused('source_unknown'), { refused: 1 }],
      ['a response without a chart in an outage as failed', unavailable, { failed: 1 }],
      ['no list of sources, because a list has no chart', { route: LIST }, {}],
      ['an unavailable list as failed, because its board stays empty', { ...unavailable, route: LIST }, { failed: 1 }],
      ['no script', { cacheResult: undefined, route: '/pulse-card.js' }, {}],
      ['no request for an unknown path', refused('not_found'), {}],
      ['no probe of a server that isn’t ready', { ...unavailable, route: '/readyz' }, {}],
      ['no picture', { route: IMAGE }, {}],
      ['a picture whose pulse can’t be loaded as failed', { ...unavailable, route: IMAGE }, { failed: 1 }],
    ] as const satisfies readonly (readonly [string, Answer, object])[])
      it(`count ${words}`, () => {
        const { counters } = open();
        record(counters, answer);
        assert.deepEqual(counters.lastHour(), { fresh: 0, stale: 0, waited: 0, refused: 0, failed: 0, ...counts });
      });

    it('forget responses after an hour', async () => {
      const { counters, clock } = open();
      record(counters);
      await clock.advance(59 * 60_000);
      assert.equal(counters.lastHour().fresh, 1);
      await clock.advance(60_000);
      assert.equal(counters.lastHour().fresh, 0);
    });

    it('forget images after five minutes', async () => {
      const { counters, clock } = open();
      for (const code of [undefined, 'upstream_invalid']) record(counters, { route: IMAGE, code });
      assert.deepEqual(counters.images(), { loaded: 1, failed: 1 });
      await clock.advance(5 * 60_000);
      assert.deepEqual(counters.images(), { loaded: 0, failed: 0 });
    });
  });

  describe('of requests and failures', () => {
    it('count responses, and bad responses by code, but no probes or unknown ids', () => {
      const { counters } = open();
      record(counters, { ...refused('upstream_unavailable'), route: '/readyz' });
      record(counters);
      for (let at = 0; at < 2; at += 1) record(counters, refused('upstream_invalid'));
      record(counters, { cacheResult: undefined });
      record(counters, refused('source_unknown'));
      assert.deepEqual(counters.outcomes(), { total: 3, bad: { upstream_invalid: 2 }, limited: 0 });
    });

    it('count only requests that aren’t rejected', () => {
      const { counters } = open();
      for (let at = 0; at < 5; at += 1) record(counters);
      for (const code of ['origin_forbidden', 'token_missing', 'token_invalid', 'token_forbidden', 'rate_limited'])
        record(counters, refused(code, 'https://other.test'));
      assert.deepEqual(counters.outcomes(), { total: 5, bad: {}, limited: 1 });
    });

    it('don’t count a client as limited if its batch exceeds the size limit', () => {
      const { counters } = open();
      record(counters, { itemCode: 'rate_limited' });
      assert.deepEqual(counters.outcomes(), { total: 1, bad: {}, limited: 0 });
    });

    it('ignore requests for images', () => {
      const { counters } = open();
      record(counters);
      for (const code of [undefined, 'upstream_invalid']) record(counters, { route: IMAGE, code });
      assert.deepEqual(counters.outcomes(), { total: 1, bad: {}, limited: 0 });
      record(counters, { ...refused('upstream_unavailable'), route: IMAGE });
      assert.deepEqual(counters.outcomes(), { total: 2, bad: { upstream_unavailable: 1 }, limited: 0 });
    });

    it('count a batch as bad if one of its pulses couldn’t be loaded', () => {
      const { counters } = open();
      record(counters, { itemCode: 'upstream_unavailable', cacheResult: 'miss' });
      record(counters, { itemCode: 'pulse_not_found' });
      assert.deepEqual(counters.outcomes(), { total: 2, bad: { upstream_unavailable: 1 }, limited: 0 });
    });

    it('start once there is something to serve, and forget responses after five minutes', async () => {
      let isReady = false;
      const { counters, clock } = open({ isReady: () => isReady });
      record(counters, refused('upstream_unavailable'));
      isReady = true;
      record(counters, refused('internal'));
      isReady = false;
      await clock.advance(240_000);
      assert.deepEqual(counters.outcomes(), { total: 1, bad: { internal: 1 }, limited: 0 });
      await clock.advance(60_000);
      assert.deepEqual(counters.outcomes(), { total: 0, bad: {}, limited: 0 });
    });
  });

  describe('while a new Redis has no record of the calls in the last window', () => {
    it('ignore only the failures of readers who wait for a call', () => {
      let isBudgetReady = false;
      const { counters } = open({ isBudgetReady: () => isBudgetReady });
      record(counters, refused('upstream_rate_limited'));
      record(counters, { itemCode: 'upstream_rate_limited' });
      record(counters, refused('upstream_unavailable'));
      assert.deepEqual(counters.outcomes(), { total: 1, bad: { upstream_unavailable: 1 }, limited: 0 });
      isBudgetReady = true;
      record(counters, refused('upstream_rate_limited'));
      assert.equal(counters.outcomes().bad['upstream_rate_limited'], 1);
    });
  });

  describe('of rejections', () => {
    it('count rejections by code and origin, most frequent first, and ignore other responses', () => {
      const { counters } = open();
      for (const code of ['rate_limited', 'upstream_unavailable', 'pulse_not_found']) record(counters, refused(code));
      for (let at = 0; at < 2; at += 1) record(counters, refused('origin_forbidden', SITE));
      assert.deepEqual(counters.refusals(), [
        { code: 'origin_forbidden', origin: SITE, count: 2 },
        { code: 'rate_limited', origin: 'none', count: 1 },
      ]);
    });

    it('contain the id of an unknown source that a page requested', () => {
      const { counters } = open();
      record(counters, { ...refused('source_unknown', SITE), sourceIds: ['src_old'] });
      assert.deepEqual(counters.refusals(), [{ code: 'source_unknown', origin: SITE, count: 1, sourceId: 'src_old' }]);
    });

    it('ignore values that aren’t origins', () => {
      const { counters } = open();
      for (const origin of ['__proto__', 'https://a.test/path', '\u001b[31m', 'x'.repeat(5_000)])
        record(counters, refused('origin_forbidden', origin));
      assert.deepEqual(counters.refusals(), [{ code: 'origin_forbidden', origin: 'other', count: 4 }]);
    });
  });

  describe('of today’s readers', () => {
    const view = (counters: Counters, sourceIds: readonly string[], headers: IncomingHttpHeaders): void =>
      record(counters, { sourceIds, headers });

    it('count views by source and by page origin, highest first', () => {
      const { counters } = open();
      view(counters, ['src_1', 'src_2'], { origin: SITE });
      for (const origin of ['https://blog.example.com', SITE]) view(counters, ['src_2'], { origin });
      const views = counters
        .readersToday()
        .sources.map(({ sourceId, views, origins }) => [
          `${sourceId} ${views}`,
          ...origins.map((of) => `${of.origin} ${of.views}`),
        ]);
      assert.deepEqual(views, [
        ['src_2 3', `${SITE} 2`, 'https://blog.example.com 1'],
        ['src_1 1', `${SITE} 1`],
      ]);
    });

    for (const [words, headers, origin] of [
      ['the origin of the referrer, not its path', { referer: `${SITE}/people/jane?token=1#top` }, SITE],
      ['a referrer that is only an origin', { referer: SITE }, SITE],
      ['the referrer of a page without an origin', { origin: 'null', referer: `${SITE}/` }, SITE],
      ['"other" for a value that isn’t an origin', { origin: '<script>' }, 'other'],
      ['"other" for a referrer with a password', { referer: 'https://jane:secret@example.com/' }, 'other'],
    ] as const)
      it(`count ${words}`, () => {
        const { counters } = open();
        view(counters, ['src_1'], headers);
        assert.deepEqual(counters.readersToday().sources[0]?.origins, [{ origin, views: 1 }]);
      });

    it('don’t count rejected requests or views of unknown pages or sources', () => {
      const { counters } = open({ isKnown: (sourceId) => sourceId === 'src_1' });
      view(counters, ['src_1'], {});
      view(counters, ['src_1'], { origin: 'null' });
      record(counters, { ...refused('origin_forbidden', SITE), sourceIds: ['src_1'] });
      view(counters, ['invented'], { origin: SITE });
      assert.deepEqual(counters.readersToday().sources, []);
    });

    it('start over at midnight UTC', async () => {
      const { clock, counters } = open();
      view(counters, ['src_1'], { origin: SITE });
      await clock.advance(15 * 3_600_000 - 1);
      assert.equal(counters.readersToday().sources.length, 1);
      await clock.advance(1);
      assert.deepEqual(counters.readersToday(), { since: '2026-05-09T00:00:00.000Z', sources: [] });
    });

    it('store a limited number of origins and sources, regardless of how many are requested', () => {
      const { counters } = open();
      for (let at = 0; at < 5_000; at += 1) view(counters, ['src_1', `src_${at}`], { origin: `https://${at}.test` });
      const { sources } = counters.readersToday();
      assert.equal(sources.length, 1_000);
      assert.equal(sources[0]?.views, 5_001);
      assert.equal(sources[0]?.origins.length, 51);
      assert.equal(sources[0]?.origins[0]?.origin, 'other');
    });
  });
});
