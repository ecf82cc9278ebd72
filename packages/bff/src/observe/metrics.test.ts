import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { openCacheStory } from '../testing/cache-story.ts';
import { Metrics } from './metrics.ts';

describe('Metrics', () => {
  it('asks for the status once each time that they are read', async () => {
    await using story = await openCacheStory();
    const metrics = new Metrics();
    const status = mock.fn(() => story.cache.status());
    metrics.watch({
      status,
      live: () => ({ readers: 0, events: 0, cut: 0, refused: { client: 0, total: 0, stopping: 0 } }),
      priceMs: () => 0,
      crew: () => undefined,
    });
    status.mock.resetCalls();
    const { text } = await metrics.text();
    assert.match(text, /^pulse_bff_sources 10$/m);
    assert.match(text, /^pulse_bff_ready 1$/m);
    assert.equal(status.mock.callCount(), 1);
    await metrics.text();
    assert.equal(status.mock.callCount(), 2);
  });
});
