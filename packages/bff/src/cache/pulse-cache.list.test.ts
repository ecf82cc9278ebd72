import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCacheHarness } from '../testing/cache-harness.ts';
import { rowOf } from '../testing/fake-upstream.ts';

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
