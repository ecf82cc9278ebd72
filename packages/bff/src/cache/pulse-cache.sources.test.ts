import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCacheHarness } from '../testing/cache-harness.ts';
import { rowOf } from '../testing/fake-upstream.ts';
import { overTime } from '../testing/virtual-clock.ts';

type Harness = Awaited<ReturnType<typeof openCacheHarness>>;

function readList(harness: Harness) {
  return overTime(harness.clock, harness.cache.getOrFetchSources());
}

describe('CacheReader (the list)', () => {
  it('answers with what is kept while it is fresh, with no call', async () => {
    await using harness = await openCacheHarness();
    const lookup = await readList(harness);
    assert.ok(lookup.ok);
    assert.deepEqual([lookup.value.sources.length, lookup.stale, lookup.facts.hit], [10, false, true]);
    assert.equal(harness.upstream.callsAbout('sources'), 1);
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

  it('asks once for all who wait', async () => {
    await using harness = await openCacheHarness({ settled: false });
    const lookups = Promise.all(Array.from({ length: 100 }, () => harness.cache.getOrFetchSources()));
    for (const lookup of await overTime(harness.clock, lookups)) assert.equal(lookup.ok, true);
    assert.equal(harness.upstream.callsAbout('sources'), 1);
  });

  it('answers with what it has in an outage, and says why', async () => {
    await using harness = await openCacheHarness();
    harness.upstream.failure = () => ({ kind: 'server-error', status: 503 });
    await harness.clock.advance(16_000);
    await readList(harness);
    const lookup = await readList(harness);
    assert.ok(lookup.ok);
    assert.deepEqual([lookup.stale, lookup.facts.detail], [true, 'upstream-error']);
  });

  const failures = [
    [{ kind: 'unreachable' }, 'upstream_unavailable'],
    [{ kind: 'invalid', reason: 'schema' }, 'upstream_invalid'],
    [{ kind: 'key-refused', status: 403 }, 'upstream_auth'],
    [{ kind: 'rate-limited', retryAfterMs: 3_000 }, 'upstream_rate_limited'],
  ] as const;
  for (const [failure, code] of failures)
    it(`says ${code} where there never was a list`, async () => {
      await using harness = await openCacheHarness({
        prepare: (upstream) => (upstream.failure = () => failure),
        settled: false,
      });
      for (const _twice of [1, 2]) {
        const lookup = await readList(harness);
        assert.equal(!lookup.ok && lookup.code, code);
        assert.ok(!lookup.ok && (lookup.retryAfterSeconds ?? 0) >= 1);
      }
    });
});
