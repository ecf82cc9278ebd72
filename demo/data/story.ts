import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceStatus } from '@pulse-card/contract';

/** The result of one successful run: a chart and its text. */
export interface Edition {
  /** The PNG file's path, relative to this folder. */
  readonly chart: string;
  readonly short: string;
  readonly long: string;
}

/** A source and its history: how often it runs, each run's outcome, and the successful runs' results. */
export interface Story {
  readonly sourceId: string;
  readonly name: string;
  readonly provider: string;
  readonly status: SourceStatus;
  readonly connectionCount: number;
  /** The time since the latest run ended and the time between runs, in hours. */
  readonly latestHoursAgo: number;
  readonly everyHours: number;
  /** The outcomes of the runs, newest first. */
  readonly outcomes: readonly ('SUCCESS' | 'FAILED')[];
  /** The runs' results, newest first. Older runs repeat the oldest result. */
  readonly editions: readonly Edition[];
}

/**
 * The ten sources that the list operation returns (its maximum). `npm run charts` draws these sources' charts from
 * public data.
 */
export const LISTED_STORIES: readonly Story[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'stories.json'), 'utf8'),
) as Story[];

/** A listed source's story. Throws if the source isn't listed. */
export function storyOf(sourceId: string): Story {
  const story = LISTED_STORIES.find((listed) => listed.sourceId === sourceId);
  if (story === undefined) throw new RangeError(`The demo doesn’t have a source "${sourceId}"`);
  return story;
}

/** The path to a chart's PNG file. */
export function chartFile({ chart }: Edition): string {
  return join(import.meta.dirname, chart);
}
