import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { drawStories, STORIES_FILE } from './drawn-stories.ts';

describe('the demo’s committed stories', () => {
  const { stories, charts } = drawStories();

  it('are the ones that "npm run charts" writes', () => {
    assert.deepEqual(JSON.parse(readFileSync(STORIES_FILE, 'utf8')), stories);
  });

  it('have exactly the charts that "npm run charts" draws', () => {
    const files = readdirSync(join(dirname(STORIES_FILE), 'charts')).map((name) => `charts/${name}`);
    assert.deepEqual(files.toSorted(), [...charts.keys()].toSorted());
  });
});
