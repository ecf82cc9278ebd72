import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mostInAnyWindow } from '../testing/arrivals.ts';
import { openCacheStory } from '../testing/cache-story.ts';
import { pulseOf, rowOf } from '../testing/fake-upstream.ts';

const STRANGERS = Array.from({ length: 20_000 }, (_, index) => `stranger_${index}`);

describe('openPulseCache()', () => {
  describe('with the ids of the list alone', () => {
    it('T-11: refuses 20,000 others without asking for one of them', async () => {
      await using story = await openCacheStory();
      const before = story.upstream.calls.length;
      for (const id of STRANGERS) {
        const reading = await (story.cache.peekCard(id) ?? story.cache.readCard(id));
        assert.equal(!reading.ok && reading.code, 'source_unknown');
      }
      await story.clock.advance(15_000);
      assert.ok(story.upstream.calls.length - before <= 1);
      assert.ok(story.upstream.calls.slice(before).every(({ about }) => about === 'sources'));
    });

    it('T-11: asks for none of them while the list is on its way, either', async () => {
      await using story = await openCacheStory({ settled: false });
      const readings = STRANGERS.slice(0, 100).map((id) => story.cache.readCard(id));
      await story.clock.advance(5_000);
      for (const reading of await Promise.all(readings)) assert.equal(!reading.ok && reading.code, 'source_unknown');
      assert.ok(story.upstream.calls.every(({ about }) => about === 'sources'));
    });

    it('asks for the list anew because of them, no more than once a minute', async () => {
      await using story = await openCacheStory();
      const lists = () => story.upstream.callsAbout('sources');
      const before = lists();
      await story.readers(['stranger_1', 'stranger_2'], 600_000, 500);
      assert.ok(lists() - before <= 10, `${lists() - before} in ten minutes`);
    });

    it('shows a new source within a minute of its first reader', async () => {
      await using story = await openCacheStory();
      await story.clock.advance(61_000);
      story.upstream.sources.unshift(rowOf('src_new'));
      story.upstream.pulses.set('src_new', pulseOf('src_new'));
      assert.equal((await story.read('src_new')).ok, false);
      await story.clock.advance(1_000);
      assert.equal((await story.read('src_new')).ok, true);
    });

    it('knows an id for good that the list has shown once', async () => {
      await using story = await openCacheStory();
      story.upstream.sources = [];
      await story.readers(['src_1', 'stranger_1'], 200_000);
      const reading = await story.read('src_1');
      assert.equal(reading.ok && reading.known.source, null);
      assert.equal(reading.ok && reading.known.pulse?.jobRunId, 'run_1');
    });

    it('lets a reader wait who comes before the first list', async () => {
      await using story = await openCacheStory({ settled: false });
      assert.equal((await story.read('src_1')).ok, true);
      assert.equal(story.upstream.callsAbout('sources'), 1);
    });

    it('does not call an id unknown while no list was to be had', async () => {
      await using story = await openCacheStory({
        prepare: (upstream) => (upstream.failure = () => ({ kind: 'unreachable' })),
        settled: false,
      });
      const reading = await story.read('src_1');
      assert.equal(!reading.ok && reading.code, 'upstream_unavailable');
    });
  });

  describe('with ids that the operator names', () => {
    it('knows them and no others, whatever the list shows', async () => {
      await using story = await openCacheStory({ sources: { listed: false, any: false, ids: ['src_1'] } });
      assert.equal((await story.read('src_1')).ok, true);
      const reading = await story.read('src_2');
      assert.equal(!reading.ok && reading.code, 'source_unknown');
      assert.equal(story.upstream.callsAbout('src_2'), 0);
    });

    it('serves them though the list cannot be had', async () => {
      await using story = await openCacheStory({
        sources: { listed: false, any: false, ids: ['src_1'] },
        prepare: (upstream) =>
          (upstream.failure = ({ about }) => (about === 'sources' ? { kind: 'key-refused', status: 403 } : undefined)),
      });
      const reading = await story.read('src_1');
      assert.equal(reading.ok && reading.known.source, null);
      assert.equal(story.cache.health().ready, true);
    });
  });

  describe('with any id', () => {
    const any = { sources: { listed: true, any: true, ids: [] } };

    it('tries six a minute, and lets known ones feel nothing', async () => {
      await using story = await openCacheStory(any);
      const known = ['src_1', 'src_2'];
      await story.readers(known, 1_000);
      const readings: boolean[] = [];
      for (let second = 0; second < 180; second += 1) {
        for (const id of STRANGERS.slice(second * 100, second * 100 + 100)) void story.cache.readCard(id);
        readings.push(...(await story.readers(known, 1_000)).map((reading) => reading.ok));
      }
      const strange = story.upstream.calls.filter(({ about }) => about.startsWith('stranger'));
      assert.ok(
        mostInAnyWindow(
          strange.map(({ at }) => at),
          60_000,
        ) <= 6,
      );
      assert.ok(strange.length >= 15, `${strange.length} strangers were tried`);
      assert.ok(readings.every(Boolean));
    });

    it('serves a source that the list does not show, and keeps it fresh from there on', async () => {
      await using story = await openCacheStory(any);
      story.upstream.pulses.set('src_hidden', pulseOf('src_hidden'));
      assert.equal((await story.read('src_hidden')).ok, true);
      await story.readers(['src_hidden'], 120_000);
      assert.ok(story.upstream.callsAbout('src_hidden') >= 6);
    });

    it('asks for one that is not there after a minute, then two, then four', async () => {
      await using story = await openCacheStory({ ...any, random: () => 0.999 });
      await story.readers(['stranger_1'], 1_000_000, 5_000);
      const asked = story.upstream.calls.filter(({ about }) => about === 'stranger_1').map(({ at }) => at);
      const gaps = asked.slice(1).map((at, index) => Math.round((at - (asked[index] ?? 0)) / 60_000));
      assert.deepEqual(gaps, [1, 2, 4, 8]);
    });

    it('answers meanwhile that there is no pulse', async () => {
      await using story = await openCacheStory(any);
      await story.read('stranger_1');
      await story.clock.advance(30_000);
      const reading = await story.read('stranger_1');
      assert.ok(reading.ok);
      assert.deepEqual([reading.known.pulse, reading.known.source, reading.stale], [null, null, false]);
      assert.equal(story.upstream.callsAbout('stranger_1'), 1);
    });

    it('lets no stranger crowd out what is known', async () => {
      await using story = await openCacheStory({ ...any, limit: 100_000, reserve: 0 });
      await story.read('src_1');
      story.upstream.failure = ({ about }) => (about === 'src_1' ? { kind: 'unreachable' } : undefined);
      for (const id of STRANGERS.slice(0, 3_000)) void story.cache.readCard(id);
      await story.clock.advance(1_000);
      assert.equal((await story.read('src_1')).ok, true);
    });
  });
});
