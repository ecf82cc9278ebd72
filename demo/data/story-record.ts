import { DEMO_ACCOUNT_ID } from './demo-ids.ts';
import type { ImportRun, SourceRecord } from './import-document.ts';
import { hoursBefore } from './moments.ts';
import type { Edition, Story } from './story.ts';

/** The organization of the demo's sources. */
export const DEMO_ORGANIZATION = { id: 'org_open_data', name: 'Open Data Desk', slug: 'open-data-desk' };

/**
 * Turns a story into a source with its connections and runs. The story determines how long before `now` the latest run
 * ended.
 */
export function storyRecord(story: Story, now: Date): SourceRecord {
  const connections = Array.from({ length: story.connectionCount }, (_, index) => ({
    id: story.sourceId.replace('src_', `con_${index + 1}_`),
    sourceId: story.sourceId,
  }));
  const runs = story.outcomes.map((outcome, index): ImportRun => {
    const successesBefore = story.outcomes.slice(0, index).filter((outcome) => outcome === 'SUCCESS').length;
    const delivered = story.editions[Math.min(successesBefore, story.editions.length - 1)];
    const base = {
      // Runs are numbered from the oldest, so that a new run doesn't rename earlier ones.
      id: story.sourceId.replace('src_', `run_${story.outcomes.length - index}_`),
      connectionId: connections[index % connections.length]?.id ?? '',
      completedAt: hoursBefore(now, story.latestHoursAgo + index * story.everyHours),
    };
    return outcome === 'SUCCESS' && delivered
      ? { ...base, ...success(story, delivered) }
      : { ...base, ...failure(story) };
  });
  return { source: sourceOf(story, now), connections, runs };
}

function sourceOf(story: Story, now: Date): SourceRecord['source'] {
  return {
    id: story.sourceId,
    accountId: DEMO_ACCOUNT_ID,
    organizationId: DEMO_ORGANIZATION.id,
    name: story.name,
    provider: story.provider,
    status: story.status,
    updatedAt: hoursBefore(now, story.latestHoursAgo),
    archived: false,
  };
}

function success(story: Story, { chart, short, long }: Edition) {
  return {
    status: 'SUCCESS' as const,
    sourceName: story.name,
    image: chart,
    aiSummaryShort: short,
    aiSummaryLong: long,
    deliveryLink: `https://chat.open-data-desk.example/archives/${story.sourceId}`,
  };
}

function failure(story: Story) {
  const nothing = { image: null, aiSummaryShort: null, aiSummaryLong: null, deliveryLink: null };
  return { status: 'FAILED' as const, sourceName: story.name, ...nothing };
}
