import { LIST_SIZE, type Source } from '@pulse-card/contract';
import type { Database } from '../sql/database.ts';

/** The account's ten most recently changed sources, excluding archived ones. The smaller ID breaks ties. */
export async function listSources(
  db: Database,
  accountId: string,
  linkOf: (sourceId: string) => string,
): Promise<Source[]> {
  const rows = await db
    .selectFrom('sources')
    .innerJoin('organizations', 'organizations.id', 'sources.organization_id')
    .select([
      'sources.id',
      'sources.name',
      'provider',
      'status',
      'organization_id as organizationId',
      'organizations.name as organizationName',
      'organizations.slug as organizationSlug',
    ])
    .select((eb) =>
      eb
        .selectFrom('connections')
        .whereRef('connections.source_id', '=', 'sources.id')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .as('connectionCount'),
    )
    .where('account_id', '=', accountId)
    .where('archived', '=', 0)
    .orderBy('updated_at', 'desc')
    .orderBy('sources.id')
    .limit(LIST_SIZE)
    .execute();
  return rows.map(({ id, name, provider, status, connectionCount, ...organization }) => ({
    id,
    name,
    provider,
    status,
    link: linkOf(id),
    connectionCount: Number(connectionCount),
    ...organization,
  }));
}
