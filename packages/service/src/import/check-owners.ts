import type { Database } from '../sql/database.ts';
import type { DocumentOutline } from './document-outline.ts';
import { type Fault, faultAt } from './document-error.ts';

type Owners = ReadonlyMap<string, string | undefined>;
type OwnedList = 'sources' | 'connections' | 'runs';

/** IDs per query. This is well below the maximum number of parameters in a statement. */
const BATCH = 500;

/**
 * The entries that would attach data to another account's source: entries that are stored under another account, and
 * connections and runs that refer to stored entries of an account that isn't in the document. A document without
 * accounts may add to any source.
 */
export async function foreignEntries(db: Database, outline: DocumentOutline): Promise<Fault[]> {
  const { accounts, sources, connections, runs } = outline;
  const named = new Set([...accounts.map(({ id }) => id), ...sources.map(({ accountId }) => accountId)]);
  const stored = {
    sources: await sourceOwners(db, [...idsOf(sources, 'id'), ...idsOf(connections, 'sourceId')]),
    connections: await connectionOwners(db, [...idsOf(connections, 'id'), ...idsOf(runs, 'connectionId')]),
    runs: await runOwners(db, idsOf(runs, 'id')),
  };
  const bySource = withStored(new Map(sources.map(({ id, accountId }) => [id, accountId])), stored.sources);
  const byConnection = withStored(
    new Map(connections.map(({ id, sourceId }) => [id, bySource(sourceId)])),
    stored.connections,
  );
  const check = (list: OwnedList, index: number, { id, owner, field }: { id?: Id; owner: Id; field: string }) => {
    const before = id === undefined ? undefined : stored[list].get(id);
    if (owner === undefined) return [];
    if (before !== undefined && before !== owner)
      return [faultAt([list, index, 'id'], 'belongs to another account in the database')];
    if (named.size === 0 || named.has(owner)) return [];
    return [faultAt([list, index, field], 'belongs to an account that the document does not name')];
  };
  return [
    ...sources.flatMap(({ id, accountId: owner }, at) => check('sources', at, { id, owner, field: 'accountId' })),
    ...connections.flatMap(({ id, sourceId }, at) =>
      check('connections', at, { id, owner: bySource(sourceId), field: 'sourceId' }),
    ),
    ...runs.flatMap(({ id, connectionId }, at) =>
      check('runs', at, { id, owner: byConnection(connectionId), field: 'connectionId' }),
    ),
  ];
}

type Id = string | undefined;

/** Looks up an entry first in the document and then in the database. */
function withStored(own: ReadonlyMap<Id, Id>, stored: Owners): (id: Id) => Id {
  return (id) => own.get(id) ?? (id === undefined ? undefined : stored.get(id));
}

function idsOf<Field extends string>(entries: readonly { readonly [name in Field]?: Id }[], field: Field): string[] {
  return [...new Set(entries.flatMap((entry) => entry[field] ?? []))];
}

function sourceOwners(db: Database, ids: readonly string[]): Promise<Owners> {
  return ownersOf(ids, (batch) =>
    db.selectFrom('sources').select(['id', 'account_id as owner']).where('id', 'in', batch).execute(),
  );
}

function connectionOwners(db: Database, ids: readonly string[]): Promise<Owners> {
  return ownersOf(ids, (batch) =>
    db
      .selectFrom('connections')
      .innerJoin('sources', 'sources.id', 'connections.source_id')
      .select(['connections.id as id', 'account_id as owner'])
      .where('connections.id', 'in', batch)
      .execute(),
  );
}

function runOwners(db: Database, ids: readonly string[]): Promise<Owners> {
  return ownersOf(ids, (batch) =>
    db
      .selectFrom('runs')
      .innerJoin('connections', 'connections.id', 'runs.connection_id')
      .innerJoin('sources', 'sources.id', 'connections.source_id')
      .select(['runs.id as id', 'account_id as owner'])
      .where('runs.id', 'in', batch)
      .execute(),
  );
}

async function ownersOf(
  ids: readonly string[],
  select: (batch: string[]) => Promise<{ id: string; owner: string }[]>,
): Promise<Owners> {
  const owners = new Map<string, string>();
  for (let start = 0; start < ids.length; start += BATCH)
    for (const { id, owner } of await select(ids.slice(start, start + BATCH))) owners.set(id, owner);
  return owners;
}
