import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCacheStory } from '../testing/cache-story.ts';

describe('openPulseCache()', () => {
  describe('when nothing is cached', () => {
    it('asks the upstream once for all who wait', async () => {
      const story = await openCacheStory();
      const readings = Promise.all(Array.from({ length: 50 }, () => story.cache.readCard('src_1')));
      await story.clock.advance(200);
      for (const reading of await readings) assert.equal(reading.ok && reading.known.pulse?.jobRunId, 'run_1');
      assert.equal(story.upstream.callsAbout('src_1'), 1);
      await story.close();
    });
  });
});
