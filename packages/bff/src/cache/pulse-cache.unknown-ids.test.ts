import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxInAnyWindow } from '../testing/arrivals.ts';
import { openCacheHarness } from '../testing/cache-harness.ts';
import { pulseOf, rowOf } from '../testing/fake-upstream.ts';

const UNKNOWNS = Array.from({ length: 20_000 }, (_, index) => `unknown_${index}`);

describe('OpenPulseCache', () => {
  describe('with the ids of the list alone', () => {
    it('T-11: refuses 20,000 others without asking for one of them', async () => {
      await using harness = await openCacheHarness();
      const before = harness.upstream.calls.length;
      for (const id of UNKNOWNS) {
        const lookup = await (harness.cache.getIfCached(id) ?? harness.cache.getOrFetch(id));
        assert.equal(!lookup.ok && lookup.code, 'source_unknown');
      }
      await harness.clock.advance(15_000);
      assert.ok(harness.upstream.calls.length - before <= 1);
      assert.ok(harness.upstream.calls.slice(before).every(({ about }) => about === 'sources'));
    });

    it('T-11: asks for none of them while the list is on its way, either', async () => {
      await using harness = await openCacheHarness({ settled: false });
      const lookups = UNKNOWNS.slice(0, 100).map((id) => harness.cache.getOrFetch(id));
      await harness.clock.advance(5_000);
      for (const lookup of await Promise.all(lookups)) assert.equal(!lookup.ok && lookup.code, 'source_unknown');
      assert.ok(harness.upstream.calls.every(({ about }) => about === 'sources'));
    });

    it('asks for the list anew because of them, no more than once a minute', async () => {
      await using harness = await openCacheHarness();
      const listReader = () => harness.upstream.callsAbout('sources');
      const before = listReader();
      await harness.readers(['unknown_1', 'unknown_2'], 600_000, 500);
      assert.ok(listReader() - before <= 10, `${listReader() - before} in ten minutes`);
    });

    it('shows a new source within a minute of its first reader', async () => {
      await using harness = await openCacheHarness();
      await harness.clock.advance(61_000);
      harness.upstream.sources.unshift(rowOf('src_new'));
      harness.upstream.pulses.set('src_new', pulseOf('src_new'));
      assert.equal((await harness.read('src_new')).ok, false);
      await harness.clock.advance(1_000);
      assert.equal((await harness.read('src_new')).ok, true);
    });

    it('knows an id for good that the list has shown once', async () => {
      await using harness = await openCacheHarness();
      harness.upstream.sources = [];
      await harness.readers(['src_1', 'unknown_1'], 200_000);
      const lookup = await harness.read('src_1');
      assert.equal(lookup.ok && lookup.value.source, null);
      assert.equal(lookup.ok && lookup.value.pulse?.jobRunId, 'run_1');
    });

    it('lets a reader wait who comes before the first list', async () => {
      await using harness = await openCacheHarness({ settled: false });
      assert.equal((await harness.read('src_1')).ok, true);
      assert.equal(harness.upstream.callsAbout('sources'), 1);
    });

    it('does not call an id unknown while no list was to be had', async () => {
      await using harness = await openCacheHarness({
        prepare: (upstream) => (upstream.failure = () => ({ kind: 'unreachable' })),
        settled: false,
      });
      const lookup = await harness.read('src_1');
      assert.equal(!lookup.ok && lookup.code, 'upstream_unavailable');
    });
  });

  describe('with ids that the operator names', () => {
    it('knows them and no others, whatever the list shows', async () => {
      await using harness = await openCacheHarness({ sources: { listed: false, any: false, ids: ['src_1'] } });
      assert.equal((await harness.read('src_1')).ok, true);
      const lookup = await harness.read('src_2');
      assert.equal(!lookup.ok && lookup.code, 'source_unknown');
      assert.equal(harness.upstream.callsAbout('src_2'), 0);
    });

    it('serves them though the list cannot be had', async () => {
      await using harness = await openCacheHarness({
        sources: { listed: false, any: false, ids: ['src_1'] },
        prepare: (upstream) =>
          (upstream.failure = ({ about }) => (about === 'sources' ? { kind: 'key-refused', status: 403 } : undefined)),
      });
      const lookup = await harness.read('src_1');
      assert.equal(lookup.ok && lookup.value.source, null);
      assert.equal(harness.cache.health().ready, true);
    });
  });

  describe('with any id', () => {
    const any = { sources: { listed: true, any: true, ids: [] } };

    it('tries six a minute, and lets known ones feel nothing', async () => {
      await using harness = await openCacheHarness(any);
      const known = ['src_1', 'src_2'];
      await harness.readers(known, 1_000);
      const lookups: boolean[] = [];
      for (let second = 0; second < 180; second += 1) {
        for (const id of UNKNOWNS.slice(second * 100, second * 100 + 100)) void harness.cache.getOrFetch(id);
        lookups.push(...(await harness.readers(known, 1_000)).map((lookup) => lookup.ok));
      }
      const strange = harness.upstream.calls.filter(({ about }) => about.startsWith('unknown'));
      assert.ok(
        maxInAnyWindow(
          strange.map(({ at }) => at),
          60_000,
        ) <= 6,
      );
      assert.ok(strange.length >= 15, `${strange.length} unknown ids were tried`);
      assert.ok(lookups.every(Boolean));
    });

    it('serves a source that the list does not show, and keeps it fresh from there on', async () => {
      await using harness = await openCacheHarness(any);
      harness.upstream.pulses.set('src_hidden', pulseOf('src_hidden'));
      assert.equal((await harness.read('src_hidden')).ok, true);
      await harness.readers(['src_hidden'], 120_000);
      assert.ok(harness.upstream.callsAbout('src_hidden') >= 6);
    });

    it('asks for one that is not there after a minute, then two, then four', async () => {
      await using harness = await openCacheHarness({ ...any, random: () => 0.999 });
      await harness.readers(['unknown_1'], 1_000_000, 5_000);
      const asked = harness.upstream.calls.filter(({ about }) => about === 'unknown_1').map(({ at }) => at);
      const gaps = asked.slice(1).map((at, index) => Math.round((at - (asked[index] ?? 0)) / 60_000));
      assert.deepEqual(gaps, [1, 2, 4, 8]);
    });

    it('answers meanwhile that there is no pulse', async () => {
      await using harness = await openCacheHarness(any);
      await harness.read('unknown_1');
      await harness.clock.advance(30_000);
      const lookup = await harness.read('unknown_1');
      assert.ok(lookup.ok);
      assert.deepEqual([lookup.value.pulse, lookup.value.source, lookup.stale], [null, null, false]);
      assert.equal(harness.upstream.callsAbout('unknown_1'), 1);
    });

    it('lets no unknown id evict what is known', async () => {
      await using harness = await openCacheHarness({ ...any, limit: 100_000, reserve: 0 });
      await harness.read('src_1');
      harness.upstream.failure = ({ about }) => (about === 'src_1' ? { kind: 'unreachable' } : undefined);
      for (const id of UNKNOWNS.slice(0, 3_000)) void harness.cache.getOrFetch(id);
      await harness.clock.advance(1_000);
      assert.equal((await harness.read('src_1')).ok, true);
    });
  });
});
