import type { Database } from '../sql/database.ts';
import type { DocumentOutline } from './document-outline.ts';
import { type Fault, faultAt } from './document-error.ts';

type ListName = keyof DocumentOutline;

/** A reference: an ID that another entry must have. */
interface Reference {
  path: readonly [ListName, number, string];
  to: ListName;
  id: string;
}

/** IDs per query. This is well below the maximum number of parameters in a statement. */
const BATCH = 500;

/** Every field that refers to another list. */
const REFERRING = [
  ['sources', 'accountId', 'accounts'],
  ['sources', 'organizationId', 'organizations'],
  ['connections', 'sourceId', 'sources'],
  ['runs', 'connectionId', 'connections'],
] as const;

/** The IDs that appear more than once in a list. */
export function duplicateIds(outline: DocumentOutline): Fault[] {
  return Object.entries(outline).flatMap(([list, entries]) => {
    const firstAt = new Map<string, number>();
    return entries.flatMap(({ id }, index) => {
      const first = id === undefined ? undefined : firstAt.get(id);
      if (first !== undefined) return [faultAt([list, index, 'id'], `is already the ID of ${list}[${first}]`)];
      if (id !== undefined) firstAt.set(id, index);
      return [];
    });
  });
}

/** The references to IDs that are in neither the document nor the database. */
export async function danglingReferences(db: Database, outline: DocumentOutline): Promise<Fault[]> {
  const open = Map.groupBy(openReferences(outline), ({ to }) => to);
  const faults: Fault[] = [];
  for (const [list, references] of open) {
    const stored = await storedIds(db, list, [...new Set(references.map(({ id }) => id))]);
    for (const reference of references) if (!stored.has(reference.id)) faults.push(faultOf(reference));
  }
  return faults;
}

/** The references to IDs that aren't in the document; they may still be in the database. */
function openReferences(outline: DocumentOutline): Reference[] {
  return REFERRING.flatMap(([list, field, to]) => {
    const known = new Set(outline[to].map(({ id }) => id));
    return outline[list].flatMap((entry: Readonly<Record<string, unknown>>, index): Reference[] => {
      const id = entry[field];
      return typeof id === 'string' && !known.has(id) ? [{ path: [list, index, field], to, id }] : [];
    });
  });
}

async function storedIds(db: Database, list: ListName, ids: readonly string[]): Promise<Set<string>> {
  const stored = new Set<string>();
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH);
    const rows = await db.selectFrom(list).select('id').where('id', 'in', batch).execute();
    for (const { id } of rows) stored.add(id);
  }
  return stored;
}

function faultOf({ path, to }: Reference): Fault {
  return faultAt(path, `isn’t the ID of one of the ${to}, in the document or in the database`);
}
