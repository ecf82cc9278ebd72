import { fileURLToPath } from 'node:url';
import type * as demo from '@pulse-card/demo/data/story';
import { chartName, chartSvg } from './render-chart.ts';
import { LISTED_STORIES } from './stories/listed-stories.ts';

/** The file with the demo's stories. The charts are PNG files in the folder `charts` next to it. */
export const STORIES_FILE = fileURLToPath(import.meta.resolve('@pulse-card/demo/data/stories.json'));

/** The demo's stories with the paths of their charts, and each chart as SVG. */
export interface DrawnStories {
  readonly stories: readonly demo.Story[];
  /** The drawings by path. */
  readonly charts: ReadonlyMap<string, string>;
}

/** Draws the charts of all stories. The same data always gives the same drawings, which are named after their content. */
export function drawStories(): DrawnStories {
  const charts = new Map<string, string>();
  const stories = LISTED_STORIES.map((story) => ({
    ...story,
    editions: story.editions().map((edition) => {
      const svg = chartSvg(edition.chart);
      const path = `charts/${chartName(svg)}.png`;
      charts.set(path, svg);
      return { ...edition, chart: path };
    }),
  }));
  return { stories, charts };
}
