import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PublicSource, PulseOutcome } from '@pulse-card/contract';
import { type ChartFolder, openChartFolder } from '../data/chart/chart-folder.ts';
import { LISTED_STORIES } from '../data/stories/listed-stories.ts';
import type { Story } from '../data/story.ts';
import { hoursBefore } from '../data/words/moments.ts';

/** The preview's data: answers in the format that a BFF uses. All times in these answers are relative to one moment. */
export interface PreviewData {
  /** The moment that all times are relative to, as an ISO date. */
  readonly now: string;
  readonly sources: readonly PublicSource[];
  /** `imageUrl` is relative to the data. */
  readonly pulses: readonly PulseOutcome[];
}

/** Writes the demo's latest pulses into `folder`, as `pulses.json` with the charts next to it. */
export async function writePreviewData(folder: string, now: Date = new Date()): Promise<PreviewData> {
  mkdirSync(folder, { recursive: true });
  const charts = openChartFolder(folder);
  const data = {
    now: now.toISOString(),
    sources: LISTED_STORIES.map(({ sourceId, name, provider, status }) => ({ id: sourceId, name, provider, status })),
    pulses: await Promise.all(LISTED_STORIES.map((story) => outcomeOf(story, charts, now))),
  };
  writeFileSync(join(folder, 'pulses.json'), JSON.stringify(data));
  return data;
}

async function outcomeOf(story: Story, charts: ChartFolder, now: Date): Promise<PulseOutcome> {
  const { sourceId, name, provider, status, outcomes, latestHoursAgo, everyHours } = story;
  const source = { status, provider, name };
  const [edition] = story.editions();
  const latest = outcomes.indexOf('SUCCESS');
  if (edition === undefined || latest === -1)
    return { sourceId, ok: false, error: 'No pulse found for this source', code: 'pulse_not_found', source };
  const pulse = {
    jobRunId: sourceId.replace('src_', 'run_'),
    sourceId,
    sourceName: name,
    status: 'SUCCESS' as const,
    completedAt: hoursBefore(now, latestHoursAgo + latest * everyHours),
    imageUrl: await charts.add(edition.chart),
    aiSummaryShort: edition.short,
    aiSummaryLong: edition.long,
  };
  return { sourceId, ok: true, meta: { requestedAt: now.toISOString(), stale: false }, source, pulse };
}
