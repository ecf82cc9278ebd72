import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CacheHarness, openCacheHarness } from '../testing/cache-harness.ts';

const GOOD = Array.from({ length: 20 }, (_, index) => `src_good_${index + 1}`);

function brokenIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `src_broken_${index + 1}`);
}

/** Makes the answers for all `src_broken_…` unreadable from now on. */
function breakSources({ upstream }: CacheHarness): void {
  upstream.failure = ({ about }) =>
    about.startsWith('src_broken') ? { kind: 'invalid', reason: 'schema' } : undefined;
}

/**
 * Lets two minutes pass with `passes`. Asserts that at least half of the calls are for the good sources, and that
 * each good source is called.
 */
async function assertFairShare({ upstream }: CacheHarness, passes: () => Promise<unknown>): Promise<void> {
  const before = upstream.calls.length;
  await passes();
  const calls = upstream.calls.slice(before).map(({ about }) => about);
  const good = calls.filter((about) => about.startsWith('src_good'));
  assert.ok(good.length >= calls.length / 2, `${good.length} of ${calls.length} calls in two minutes`);
  assert.deepEqual(
    GOOD.filter((id) => !good.includes(id)),
    [],
  );
}

describe('PulseCache', () => {
  describe('when many sources fail permanently', () => {
    for (const count of [25, 100])
      it(`gives working sources at least half of the calls after ${count} others have begun to fail`, async () => {
        const ids = [...GOOD, ...brokenIds(count)];
        await using harness = await openCacheHarness({ sourceIds: ids });
        const read = (forMs: number) => harness.readers(ids, forMs, 30_000);
        await read(600_000);
        breakSources(harness);
        // Each source now fails for the first time, so the circuit opens now and then.
        await read(600_000);
        for (let round = 0; round < 3; round += 1) await assertFairShare(harness, () => read(120_000));
      });

    it('gives working sources at least half of the calls while readers wait for the failing ones', async () => {
      const ids = [...GOOD, ...brokenIds(100)];
      await using harness = await openCacheHarness({ sourceIds: ids });
      breakSources(harness);
      await harness.readers(ids, 600_000, 5_000);
      for (let round = 0; round < 3; round += 1)
        await assertFairShare(harness, () => harness.readers(ids, 120_000, 5_000));
    });

    it('refreshes each failed source within four minutes of its recovery', async () => {
      const broken = brokenIds(100);
      await using harness = await openCacheHarness({ sourceIds: [...GOOD, ...broken] });
      const read = (forMs: number) => harness.readers([...GOOD, ...broken], forMs, 30_000);
      breakSources(harness);
      await read(1_800_000);
      harness.upstream.failure = () => undefined;
      const before = harness.upstream.calls.length;
      await read(240_000);
      const refreshed = new Set(harness.upstream.calls.slice(before).map(({ about }) => about));
      assert.deepEqual(
        broken.filter((id) => !refreshed.has(id)),
        [],
      );
    });
  });
});
