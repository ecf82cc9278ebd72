import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_ADMITTED } from './source-allowlist.ts';
import { ANY_READER, openCacheHarness, seen } from '../testing/cache-harness.ts';
import { pulseOf, rowOf } from '../testing/fake-upstream.ts';

const UNKNOWNS = Array.from({ length: 20_000 }, (_, index) => `unknown_${index}`);

describe('PulseCache', () => {
  describe('if all known ids come from the list', () => {
    it('T-11: never requests an unknown id, even while the list is loading', async () => {
      await using harness = await openCacheHarness({ settled: false });
      const lookups = UNKNOWNS.slice(0, 100).map(async (id) => harness.cache.reader.read(id, ANY_READER));
      await harness.clock.advance(5_000);
      assert.deepEqual(new Set((await Promise.all(lookups)).map(seen)), new Set(['source_unknown']));
      assert.ok(harness.upstream.calls.every(({ about }) => about === 'sources'));
    });

    it('T-11: doesn’t refresh an id that is no longer known', async () => {
      await using harness = await openCacheHarness();
      harness.cache.reader.admit(['tok_x']);
      await harness.readers(['tok_x'], 10_000);
      harness.cache.reader.admit(Array.from({ length: MAX_ADMITTED }, (_, index) => `tok_${index}`));
      const before = harness.upstream.callsAbout('tok_x');
      await harness.clock.advance(600_000);
      assert.equal(harness.upstream.callsAbout('tok_x'), before);
    });

    it('T-11: makes the same calls with requests for unknown ids as without them', async () => {
      const callsWith = async (ids: readonly string[]): Promise<readonly string[]> => {
        await using harness = await openCacheHarness();
        await harness.readers(ids, 600_000, 500);
        return harness.upstream.calls.map(({ about, at }) => `${about} ${at}`);
      };
      assert.deepEqual(await callsWith(['unknown_1', 'unknown_2']), await callsWith([]));
    });

    it('shows a new source within two minutes, even if no one reads any other source', async () => {
      await using harness = await openCacheHarness();
      harness.upstream.sources.unshift(rowOf('src_new'));
      harness.upstream.pulses.set('src_new', pulseOf('src_new'));
      assert.equal((await harness.read('src_new')).ok, false);
      await harness.clock.advance(121_000);
      assert.equal((await harness.read('src_new')).ok, true);
    });

    it('still knows an id that has disappeared from the list', async () => {
      await using harness = await openCacheHarness();
      harness.upstream.sources = [];
      await harness.readers(['src_1', 'unknown_1'], 200_000);
      const lookup = await harness.read('src_1');
      assert.equal(lookup.ok && lookup.value.source, null);
      assert.equal(lookup.ok && lookup.value.pulse?.jobRunId, 'run_1');
    });

    it('makes a reader wait at most one deadline for both the first list and the pulse', async () => {
      await using harness = await openCacheHarness({
        prepare: (upstream) => {
          upstream.latencyMs = 4_000;
          upstream.failure = ({ about }) => (about === 'sources' ? undefined : 'hangs');
        },
        settled: false,
      });
      const { clock } = harness;
      let waitedMs: number | undefined;
      const askedAt = clock.now();
      const lookup = harness.cache.reader.read('src_1', ANY_READER);
      void Promise.resolve(lookup).then(() => (waitedMs = clock.now() - askedAt));
      await clock.advance(20_000);
      assert.equal(waitedMs, 5_000);
      assert.equal(seen(await lookup), 'upstream_unavailable');
    });

    it('doesn’t report ids as unknown until it has loaded a list', async () => {
      await using harness = await openCacheHarness({
        prepare: (upstream) => (upstream.failure = () => ({ kind: 'unreachable' })),
        settled: false,
      });
      assert.equal(await harness.see('src_1'), 'upstream_unavailable');
    });
  });

  describe('if the operator names the known ids', () => {
    it('serves and lists only the named ids, regardless of the service’s list', async () => {
      await using harness = await openCacheHarness({ sources: { listed: false, ids: ['src_1'] } });
      assert.equal((await harness.read('src_1')).ok, true);
      assert.equal(await harness.see('src_2'), 'source_unknown');
      assert.equal(harness.upstream.callsAbout('src_2'), 0);
      const list = await harness.cache.reader.readList({});
      assert.deepEqual(list.ok && list.value.sources.map(({ id }) => id), ['src_1']);
    });

    it('serves the named ids even if the list can’t be loaded', async () => {
      await using harness = await openCacheHarness({
        sources: { listed: false, ids: ['src_1'] },
        prepare: (upstream) =>
          (upstream.failure = ({ about }) => (about === 'sources' ? { kind: 'key-refused', status: 403 } : undefined)),
      });
      const lookup = await harness.read('src_1');
      assert.equal(lookup.ok && lookup.value.source, null);
      assert.equal(harness.cache.health().ready, true);
    });
  });
});
