import type { Database } from '../database/open-database.ts';
import { openReferences, type Reference } from './check-ids.ts';
import type { DocumentOutline } from './document-outline.ts';
import { type Fault, faultAt } from './fault.ts';

/** Ids asked for at once; well below the parameters that a statement may have. */
const BATCH = 500;

/** The references that neither the document nor the database answers to. */
export async function danglingReferences(db: Database, outline: DocumentOutline): Promise<Fault[]> {
  const open = Map.groupBy(openReferences(outline), ({ to }) => to);
  const faults: Fault[] = [];
  for (const [list, references] of open) {
    const stored = await storedIds(db, list, [...new Set(references.map(({ id }) => id))]);
    faults.push(...references.filter(({ id }) => !stored.has(id)).map(faultOf));
  }
  return faults;
}

async function storedIds(db: Database, list: Reference['to'], ids: readonly string[]): Promise<Set<string>> {
  const stored = new Set<string>();
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH);
    const rows = await db.selectFrom(list).select('id').where('id', 'in', batch).execute();
    for (const { id } of rows) stored.add(id);
  }
  return stored;
}

function faultOf({ path, to }: Reference): Fault {
  return faultAt(path, `names none of the ${to}, here or in the database`);
}
