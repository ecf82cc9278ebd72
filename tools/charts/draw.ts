import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { drawStories, STORIES_FILE } from './drawn-stories.ts';
import { chartPng } from './render-chart.ts';

// `npm run charts` draws the demo's charts, and writes them with their texts into `demo/data`. Both are committed, so
// that `npm start` needs neither the data nor the program that draws.
const folder = dirname(STORIES_FILE);
const { stories, charts } = drawStories();
rmSync(join(folder, 'charts'), { recursive: true, force: true });
mkdirSync(join(folder, 'charts'));
for (const [path, svg] of charts) writeFileSync(join(folder, path), await chartPng(svg));
writeFileSync(STORIES_FILE, `${JSON.stringify(stories, null, 2)}\n`);
