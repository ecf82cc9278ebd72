import { isSourceId, type Pulse } from '@pulse-card/contract';
import type { Database } from '../sql/database.ts';

/**
 * The newest successful run across all of a source's connections. Undefined if the account doesn't have the source, the
 * source is archived, or no run has succeeded. A run without `completedAt` counts as the oldest. If two runs tie, the
 * greater ID wins.
 */
export async function latestPulse(
  db: Database,
  { accountId, sourceId }: { accountId: string; sourceId: string },
  imageUrlOf: (chartId: string) => string,
): Promise<Pulse | undefined> {
  if (!isSourceId(sourceId)) return undefined;
  const row = await db
    .selectFrom('sources')
    .innerJoin('organizations', 'organizations.id', 'sources.organization_id')
    .innerJoin('connections', 'connections.source_id', 'sources.id')
    .innerJoin('runs', 'runs.connection_id', 'connections.id')
    .select([
      'runs.id as jobRunId',
      'source_name as sourceName',
      'completed_at as completedAt',
      'chart_id as chartId',
      'ai_summary_short as aiSummaryShort',
      'ai_summary_long as aiSummaryLong',
      'delivery_link as deliveryLink',
      'organization_id as organizationId',
      'organizations.name as organizationName',
      'organizations.slug as organizationSlug',
    ])
    .where('sources.id', '=', sourceId)
    .where('account_id', '=', accountId)
    .where('archived', '=', 0)
    .where('runs.status', '=', 'SUCCESS')
    .orderBy('completed_at', (order) => order.desc().nullsLast())
    .orderBy('runs.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { jobRunId, sourceName, completedAt, chartId, ...rest } = row;
  const imageUrl = chartId === null ? null : imageUrlOf(chartId);
  return { jobRunId, sourceId, sourceName, status: 'SUCCESS', completedAt, imageUrl, ...rest };
}
