import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RequestRecord } from '../../http/locals.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { Counters } from './counters.ts';

const PULSE = '/v1/sources/:sourceId/pulse';

function open({ isReady = true } = {}) {
  const world = { isReady };
  const clock = createVirtualClock();
  const counters = new Counters(clock, { ids: { has: (id) => id.startsWith('src_') }, isReady: () => world.isReady });
  const record = (more: Partial<RequestRecord>) =>
    counters.record({
      route: PULSE,
      method: 'GET',
      path: '/',
      status: 200,
      durationMs: 1,
      sourceIds: [],
      client: 'c',
      isUntrustedProxy: false,
      ...more,
    });
  return { world, clock, record, counts: () => counters.counts() };
}

describe('Counters', () => {
  it('counts the outcomes that readers got in the last hour', async () => {
    const { clock, record, counts } = open();
    for (const more of [
      { cache: 'hit' },
      { cache: 'hit', isStale: true },
      { cache: 'miss' },
      { code: 'upstream_unavailable' },
      { code: 'origin_forbidden' },
      { code: 'pulse_not_found' },
      { route: '/readyz', code: 'upstream_unavailable' },
      { route: '/v1/sources', cache: 'hit' },
      { route: '/healthz' },
    ] as const)
      record(more);
    assert.deepEqual(counts().lastHour, { fresh: 1, stale: 1, waited: 1, refused: 1, failed: 1 });
    await clock.advance(60 * 60_000);
    assert.deepEqual(counts().lastHour, { fresh: 0, stale: 0, waited: 0, refused: 0, failed: 0 });
  });

  it('counts missing charts by code for five minutes, and each pulse in a batch separately', async () => {
    const { clock, record, counts } = open();
    record({ cache: 'hit' });
    const sourceIds = ['src_1', 'src_2', 'src_3'];
    record({ route: '/v1/pulses', sourceIds, cache: 'miss', itemCodes: ['upstream_invalid', 'source_unknown'] });
    record({ route: '/v1/pulses', sourceIds, code: 'internal' });
    record({ code: 'upstream_unavailable' });
    record({ code: 'rate_limited' });
    assert.deepEqual(counts().outcomes, {
      total: 7,
      bad: { upstream_invalid: 1, internal: 3, upstream_unavailable: 1 },
      limited: 1,
    });
    await clock.advance(5 * 60_000);
    assert.deepEqual(counts().outcomes, { total: 0, bad: {}, limited: 0 });
  });

  it('doesn’t count outcomes until there is something to serve', () => {
    const { world, record, counts } = open({ isReady: false });
    record({ code: 'upstream_unavailable' });
    assert.deepEqual(counts().outcomes, { total: 0, bad: {}, limited: 0 });
    world.isReady = true;
    record({ code: 'upstream_unavailable' });
    world.isReady = false;
    record({ code: 'upstream_unavailable' });
    assert.deepEqual(counts().outcomes, { total: 2, bad: { upstream_unavailable: 2 }, limited: 0 });
  });

  it('counts images separately from their pulses', () => {
    const { record, counts } = open();
    const route = '/v1/sources/:sourceId/image';
    record({ route, cache: 'hit' });
    record({ route, cache: 'hit', code: 'upstream_invalid' });
    assert.deepEqual([counts().images, counts().outcomes.total], [{ loaded: 1, failed: 1 }, 0]);
  });

  it('counts rejected requests by code and origin, most frequent first', () => {
    const { record, counts } = open();
    record({ code: 'source_unknown', sourceIds: ['src_old'] });
    for (let at = 0; at < 2; at += 1) record({ code: 'origin_forbidden', origin: 'https://a.test' });
    record({ code: 'origin_forbidden', origin: 'https://a.test/\u001b[31m' });
    record({ cache: 'hit', sourceIds: ['src_1', 'src_gone'], missingId: 'src_gone', origin: 'https://b.test' });
    const refusals = counts().refusals.map(({ code, origin, count, sourceId }) => [code, origin, count, sourceId]);
    assert.deepEqual(refusals, [
      ['origin_forbidden', 'https://a.test', 2, undefined],
      ['source_unknown', 'https://b.test', 1, 'src_gone'],
      ['source_unknown', 'none', 1, 'src_old'],
      ['origin_forbidden', 'other', 1, undefined],
    ]);
    assert.equal(counts().lastHour.fresh, 1);
  });

  it('lists only the 50 latest origins for each code', () => {
    const { record, counts } = open();
    for (let at = 0; at < 60; at += 1) record({ code: 'origin_forbidden', origin: `https://${at}.test` });
    const refusals = counts().refusals;
    assert.equal(refusals.length, 51);
    assert.deepEqual([refusals[0]?.origin, refusals[0]?.count], ['other', 10]);
  });

  it('notices requests through a proxy that isn’t trusted', () => {
    const { record, counts } = open();
    assert.equal(counts().isBehindUnknownProxy, false);
    for (const isUntrustedProxy of [true, false]) record({ route: '/readyz', isUntrustedProxy });
    assert.equal(counts().isBehindUnknownProxy, true);
  });

  it('counts views of at most 1,000 sources', () => {
    const { record, counts } = open();
    const sourceIds = Array.from({ length: 1_001 }, (_, at) => `src_${at}`);
    record({ cache: 'hit', sourceIds, origin: 'https://a.test' });
    assert.equal(counts().readersToday.sources.length, 1_000);
  });

  it('counts today’s views of known sources by page origin', async () => {
    const { clock, record, counts } = open();
    record({ cache: 'hit', sourceIds: ['src_1', 'invented'], origin: 'https://a.test' });
    record({ cache: 'hit', sourceIds: ['src_1'], referer: 'https://b.test/page' });
    record({ cache: 'hit', sourceIds: ['src_1'], origin: 'null', referer: 'https://b.test/page' });
    record({ cache: 'hit', sourceIds: ['src_1'] });
    record({ code: 'upstream_unavailable', sourceIds: ['src_1'], origin: 'https://a.test' });
    const origins = [
      { origin: 'https://b.test', views: 2 },
      { origin: 'https://a.test', views: 1 },
    ];
    assert.deepEqual(counts().readersToday, {
      since: '2026-05-08T00:00:00.000Z',
      sources: [{ sourceId: 'src_1', views: 3, origins }],
    });
    await clock.advance(15 * 3_600_000);
    assert.deepEqual(counts().readersToday, { since: '2026-05-09T00:00:00.000Z', sources: [] });
  });
});
