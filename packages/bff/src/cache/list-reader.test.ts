import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCacheStory } from '../testing/cache-story.ts';
import { rowOf } from '../testing/fake-upstream.ts';
import { overTime } from '../testing/virtual-clock.ts';

type Story = Awaited<ReturnType<typeof openCacheStory>>;

function readList(story: Story) {
  return overTime(story.clock, story.cache.readSources());
}

describe('ListReader', () => {
  it('answers with what is kept while it is fresh, with no call', async () => {
    await using story = await openCacheStory();
    const reading = await readList(story);
    assert.ok(reading.ok);
    assert.deepEqual([reading.known.sources.length, reading.stale, reading.facts.hit], [10, false, true]);
    assert.equal(story.upstream.callsAbout('sources'), 1);
  });

  it('lets a reader wait a moment for a newer one', async () => {
    await using story = await openCacheStory();
    story.upstream.sources = [rowOf('src_new')];
    await story.clock.advance(16_000);
    const reading = await readList(story);
    assert.ok(reading.ok);
    assert.deepEqual(
      reading.known.sources.map(({ id }) => id),
      ['src_new'],
    );
    assert.deepEqual([reading.stale, reading.facts.fwd, reading.facts.fwdStatus], [false, 'stale', 200]);
  });

  it('asks once for all who wait', async () => {
    await using story = await openCacheStory({ settled: false });
    const readings = Promise.all(Array.from({ length: 100 }, () => story.cache.readSources()));
    for (const reading of await overTime(story.clock, readings)) assert.equal(reading.ok, true);
    assert.equal(story.upstream.callsAbout('sources'), 1);
  });

  it('answers with what it has in an outage, and says why', async () => {
    await using story = await openCacheStory();
    story.upstream.failure = () => ({ kind: 'server-error', status: 503 });
    await story.clock.advance(16_000);
    await readList(story);
    const reading = await readList(story);
    assert.ok(reading.ok);
    assert.deepEqual([reading.stale, reading.facts.detail], [true, 'upstream-error']);
  });

  const failures = [
    [{ kind: 'unreachable' }, 'upstream_unavailable'],
    [{ kind: 'invalid', reason: 'schema' }, 'upstream_invalid'],
    [{ kind: 'key-refused', status: 403 }, 'upstream_auth'],
    [{ kind: 'rate-limited', retryAfterMs: 3_000 }, 'upstream_rate_limited'],
  ] as const;
  for (const [failure, code] of failures)
    it(`says ${code} where there never was a list`, async () => {
      await using story = await openCacheStory({
        prepare: (upstream) => (upstream.failure = () => failure),
        settled: false,
      });
      for (const _twice of [1, 2]) {
        const reading = await readList(story);
        assert.equal(!reading.ok && reading.code, code);
        assert.ok(!reading.ok && (reading.retryAfterSeconds ?? 0) >= 1);
      }
    });
});
