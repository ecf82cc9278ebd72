import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PublicSource, PulseOutcome } from '@pulse-card/contract';
import { hoursBefore } from '../data/moments.ts';
import { chartFile, LISTED_STORIES, type Story } from '../data/story.ts';

/** The preview's data, in the format of a BFF's responses. All times are relative to a single moment. */
export interface PreviewData {
  /** The moment that all times are relative to, in ISO 8601. */
  readonly now: string;
  readonly sources: readonly PublicSource[];
  /** `imageUrl` is relative to the data. */
  readonly pulses: readonly PulseOutcome[];
}

/** Writes the demo's latest pulses into `folder`, as `pulses.json` with the charts next to it. */
export function writePreviewData(folder: string, now: Date = new Date()): PreviewData {
  mkdirSync(join(folder, 'charts'), { recursive: true });
  const data = {
    now: now.toISOString(),
    sources: LISTED_STORIES.map(({ sourceId, name, provider, status }) => ({ id: sourceId, name, provider, status })),
    pulses: LISTED_STORIES.map((story) => outcomeOf(story, folder, now)),
  };
  writeFileSync(join(folder, 'pulses.json'), JSON.stringify(data));
  return data;
}

function outcomeOf(story: Story, folder: string, now: Date): PulseOutcome {
  const { sourceId, name, provider, status, outcomes, latestHoursAgo, everyHours } = story;
  const source = { status, provider, name };
  const [edition] = story.editions;
  const latest = outcomes.indexOf('SUCCESS');
  if (edition === undefined || latest === -1)
    return { sourceId, ok: false, error: 'No pulse found for this source', code: 'pulse_not_found', source };
  copyFileSync(chartFile(edition), join(folder, edition.chart));
  const pulse = {
    jobRunId: sourceId.replace('src_', 'run_'),
    sourceId,
    sourceName: name,
    status: 'SUCCESS' as const,
    completedAt: hoursBefore(now, latestHoursAgo + latest * everyHours),
    imageUrl: edition.chart,
    aiSummaryShort: edition.short,
    aiSummaryLong: edition.long,
  };
  return { sourceId, ok: true, meta: { requestedAt: now.toISOString(), stale: false }, source, pulse };
}
