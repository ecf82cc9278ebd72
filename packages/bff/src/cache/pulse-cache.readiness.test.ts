import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CacheHarness, openCacheHarness } from '../testing/cache-harness.ts';
import type { FakeUpstream } from '../testing/fake-upstream.ts';
import type { FakeFailure } from '../testing/fake-upstream.ts';

const REFUSED = { kind: 'key-refused', status: 401 } as const;
const FAILURES: readonly FakeFailure[] = [
  REFUSED,
  { kind: 'unreachable' },
  { kind: 'server-error', status: 500 },
  { kind: 'invalid', reason: 'schema' },
  'hangs',
];

function failing(failure: FakeFailure) {
  return (upstream: FakeUpstream) => void (upstream.failure = () => failure);
}

/** The time between consecutive calls, in s. */
function gapsOf({ upstream }: CacheHarness): number[] {
  return upstream.calls.slice(1).map(({ at }, index) => Math.floor((at - (upstream.calls[index]?.at ?? 0)) / 1_000));
}

describe('PulseCache', () => {
  describe('health()', () => {
    it('is ready once it has loaded the first list, even an empty one', async () => {
      await using harness = await openCacheHarness({ sourceIds: [], settled: false });
      assert.equal(harness.cache.health().ready, false);
      await harness.clock.advance(1_000);
      assert.equal(harness.cache.health().ready, true);
    });

    for (const failure of FAILURES)
      it(`is ready as long as it has an answer that can be served: ${JSON.stringify(failure)}`, async () => {
        await using harness = await openCacheHarness({ staleForMs: 500_000, authStaleForMs: 500_000 });
        await harness.readers(['src_1'], 20_000);
        failing(failure)(harness.upstream);
        await harness.clock.advance(400_000);
        assert.equal(harness.cache.health().ready, true);
        await harness.clock.advance(200_000);
        assert.equal(harness.cache.health().ready, false);
        harness.upstream.failure = () => undefined;
        await harness.clock.advance(31_000);
        assert.equal(harness.cache.health().ready, true);
      });
  });

  describe('while it is not ready', () => {
    for (const failure of FAILURES)
      it(`retries every 1 to 30 s until it gets an answer: ${JSON.stringify(failure)}`, async () => {
        await using harness = await openCacheHarness({ prepare: failing(failure), settled: false });
        for (let second = 0; second < 300; second += 1) {
          await harness.clock.advance(1_000);
          assert.equal(harness.cache.health().ready, false);
        }
        const gaps = gapsOf(harness);
        assert.ok(gaps.length >= 9 && gaps.every((gap) => gap >= 1 && gap <= 36), gaps.join(' '));
        harness.upstream.failure = () => undefined;
        await harness.clock.advance(36_000);
        assert.equal(harness.cache.health().ready, true);
      });
  });
});
