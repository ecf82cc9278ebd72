import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCacheStory } from '../testing/cache-story.ts';
import { mostInAnyWindow } from '../testing/arrivals.ts';
import type { CacheStoryOptions } from '../testing/cache-story.ts';

const TEN = Array.from({ length: 10 }, (_, index) => `src_${index + 1}`);
const REFUSED = { kind: 'key-refused', status: 401 } as const;

/** A story in which the operator can change the key. */
async function openKeyStory(options: CacheStoryOptions = {}) {
  const heard = new Set<() => void>();
  const story = await openCacheStory({
    onKeyChange: (hear) => {
      heard.add(hear);
      return () => void heard.delete(hear);
    },
    ...options,
  });
  return Object.assign(story, { changeKey: () => heard.forEach((hear) => hear()), heard });
}

describe('openPulseCache()', () => {
  describe('when the key is refused (T-29)', () => {
    it('serves what it has for ten minutes, then says upstream_auth', async () => {
      await using story = await openKeyStory();
      await story.readers(TEN, 20_000);
      story.upstream.failure = () => REFUSED;
      const readings = await story.readers(TEN, 600_000);
      assert.equal(readings.filter((reading) => !reading.ok).length, 0);
      await story.clock.advance(20_000);
      const reading = await story.read('src_1');
      assert.equal(!reading.ok && reading.code, 'upstream_auth');
    });

    it('tries it once a minute at the most, whatever is asked for', async () => {
      await using story = await openKeyStory();
      await story.readers(TEN, 20_000);
      story.upstream.failure = () => REFUSED;
      await story.clock.advance(20_000);
      await story.read('src_1');
      const before = story.upstream.calls.length;
      await story.readers(TEN, 900_000);
      const asked = story.upstream.calls.slice(before).map(({ at }) => at);
      assert.ok(asked.length >= 10, `${asked.length} calls in a quarter of an hour`);
      assert.equal(mostInAnyWindow(asked, 60_000), 1);
    });

    it('says so once in the log, and once when it is over', async () => {
      const said: string[] = [];
      await using story = await openKeyStory({ warn: (sentence) => said.push(sentence) });
      await story.readers(TEN, 20_000);
      story.upstream.failure = () => REFUSED;
      await story.readers(TEN, 200_000);
      story.upstream.failure = () => undefined;
      await story.readers(TEN, 70_000);
      assert.equal(said.length, 2);
      assert.match(said[0] ?? '', /make a new key/);
      assert.match(said[1] ?? '', /takes the key again/);
    });

    it('names it, and since when', async () => {
      await using story = await openKeyStory();
      story.upstream.failure = () => REFUSED;
      await story.read('src_1');
      await story.clock.advance(30_000);
      const { degraded, key } = story.cache.status();
      assert.deepEqual(degraded, ['upstream_auth']);
      assert.deepEqual(key, { state: 'refused', refusedForMs: 30_000 });
    });

    it('is well again as soon as the key is taken', async () => {
      await using story = await openKeyStory();
      await story.readers(TEN, 20_000);
      story.upstream.failure = () => REFUSED;
      await story.readers(TEN, 700_000);
      story.upstream.failure = () => undefined;
      await story.readers(TEN, 61_000);
      assert.equal(story.cache.status().key.state, 'accepted');
      assert.ok((await story.readers(TEN, 1_000)).every((reading) => reading.ok));
    });

    it('tries a new key at once', async () => {
      await using story = await openKeyStory();
      await story.readers(TEN, 20_000);
      story.upstream.failure = () => REFUSED;
      await story.readers(TEN, 30_000);
      story.upstream.failure = () => undefined;
      story.changeKey();
      await story.clock.advance(100);
      assert.equal(story.cache.status().key.state, 'accepted');
      const readings = await story.readers(TEN, 20_000);
      assert.ok(readings.slice(-10).every((reading) => reading.ok && reading.ageMs < 21_000));
    });

    it('goes on with another key where one is at hand, and no reader notices', async () => {
      await using story = await openKeyStory();
      let refusals = 0;
      story.upstream.failure = () => (++refusals === 1 ? { ...REFUSED, otherKeyAtHand: true } : undefined);
      const reading = await story.read('src_1');
      assert.equal(reading.ok, true);
      assert.equal(story.upstream.callsAbout('src_1'), 2);
      assert.equal(story.cache.status().key.state, 'accepted');
    });
  });

  describe('when the key lacks a scope', () => {
    const onlySources = ({ about }: { about: string }) =>
      about === 'sources' ? undefined : ({ kind: 'key-refused', status: 403 } as const);

    it('goes on with what the key may do', async () => {
      await using story = await openKeyStory();
      story.upstream.failure = onlySources;
      const reading = await story.read('src_1');
      assert.equal(!reading.ok && reading.code, 'upstream_auth');
      await story.clock.advance(20_000);
      const from = story.clock.now();
      const list = story.cache.readSources();
      await story.clock.advance(200);
      assert.equal((await list).ok && story.upstream.calls.at(-1)?.about, 'sources');
      assert.ok((story.upstream.calls.at(-1)?.at ?? 0) >= from);
    });

    it('names the scope', async () => {
      await using story = await openKeyStory();
      story.upstream.failure = onlySources;
      await story.read('src_1');
      const { key } = story.cache.status();
      assert.equal(key.state === 'refused' && key.missingScope, 'pulses:read');
    });
  });

  it('lets go of the key when it is closed', async () => {
    const story = await openKeyStory();
    assert.equal(story.heard.size, 1);
    await story.close();
    assert.equal(story.heard.size, 0);
  });
});
