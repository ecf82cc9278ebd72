import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CacheHarness, openCacheHarness } from '../testing/cache-harness.ts';
import { rowOf } from '../testing/fake-upstream.ts';
import { overTime } from '../testing/virtual-clock.ts';

function readList(harness: CacheHarness) {
  return overTime(harness.clock, harness.cache.getOrFetchSources());
}

describe('PulseCache.getOrFetchSources()', () => {
  it('shows only the ids that the operator names, where no more is asked for', async () => {
    await using harness = await openCacheHarness({
      sources: { listed: false, ids: ['src_2', 'src_99'] },
    });
    const lookup = await harness.cache.getOrFetchSources();
    assert.deepEqual(lookup.ok && lookup.value.sources.map(({ id }) => id), ['src_2']);
  });

  it('lets a reader wait a moment for a newer one', async () => {
    await using harness = await openCacheHarness();
    harness.upstream.sources = [rowOf('src_new')];
    await harness.clock.advance(16_000);
    const lookup = await readList(harness);
    assert.ok(lookup.ok);
    assert.deepEqual(
      lookup.value.sources.map(({ id }) => id),
      ['src_new'],
    );
    assert.deepEqual([lookup.stale, lookup.facts.fwd, lookup.facts.fwdStatus], [false, 'stale', 200]);
  });
});

describe('PulseCache', () => {
  describe('when rows of the list cannot be read', () => {
    it('serves the sources of the others, at a first start too', async () => {
      await using harness = await openCacheHarness({ prepare: (upstream) => void (upstream.unreadableRows = 2) });
      assert.equal((await harness.read('src_1')).ok, true);
      assert.equal(harness.cache.status().unreadableRows, 2);
    });

    it('counts them until they can be read', async () => {
      await using harness = await openCacheHarness({ prepare: (upstream) => void (upstream.unreadableRows = 2) });
      assert.equal(harness.cache.status().unreadableRows, 2);
      harness.upstream.unreadableRows = 0;
      await harness.readers(['src_1'], 300_000, 5_000);
      assert.equal(harness.cache.status().unreadableRows, 0);
    });

    it('still knows a source whose row can no longer be read', async () => {
      await using harness = await openCacheHarness();
      await harness.readers(['src_1'], 10_000);
      harness.upstream.sources = [rowOf('src_2')];
      harness.upstream.unreadableRows = 9;
      await harness.readers(['src_1'], 300_000, 5_000);
      assert.equal((await harness.read('src_1')).ok, true);
    });
  });
});
