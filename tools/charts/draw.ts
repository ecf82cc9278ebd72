import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LISTED_STORIES } from '@pulse-card/demo/data/story';
import { drawingsOf } from './drawings.ts';
import { chartPng } from './render-chart.ts';

// `npm run charts` draws the charts for the demo's stories and writes their paths into `demo/data/stories.json`. Both
// are committed, so that `npm start` needs neither the data nor the program that draws.
const file = fileURLToPath(import.meta.resolve('@pulse-card/demo/data/stories.json'));
const folder = dirname(file);
rmSync(join(folder, 'charts'), { recursive: true, force: true });
mkdirSync(join(folder, 'charts'));
const stories = [];
for (const story of LISTED_STORIES) {
  const drawings = drawingsOf(story.sourceId);
  for (const { path, svg } of drawings) writeFileSync(join(folder, path), await chartPng(svg));
  stories.push({
    ...story,
    editions: story.editions.map((edition, index) => ({ ...edition, chart: drawings[index]?.path })),
  });
}
writeFileSync(file, `${JSON.stringify(stories, null, 2)}\n`);
