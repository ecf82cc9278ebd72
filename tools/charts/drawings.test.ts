import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LISTED_STORIES } from '@pulse-card/demo/data/story';
import { drawingsOf } from './drawings.ts';

describe('the demo’s committed charts', () => {
  const drawn = LISTED_STORIES.map(({ sourceId }) => drawingsOf(sourceId).map(({ path }) => path));

  it('are the ones that "npm run charts" draws', () => {
    const named = LISTED_STORIES.map(({ editions }) => editions.map(({ chart }) => chart));
    assert.ok(named.flat().length > 15);
    assert.deepEqual(named, drawn);
  });

  it('are all there, and no others', () => {
    const cwd = dirname(fileURLToPath(import.meta.resolve('@pulse-card/demo/data/stories.json')));
    assert.deepEqual(globSync('charts/*', { cwd }).toSorted(), drawn.flat().toSorted());
  });
});
