import type { Database } from '../database/open-database.ts';
import { duplicateIds } from './check-ids.ts';
import { danglingReferences } from './check-references.ts';
import type { ImportDocument } from './document-schema.ts';
import { DocumentFaulty } from './fault.ts';

/** Checks what no schema can: ids are distinct, and every reference leads somewhere. Throws `DocumentFaulty`. */
export async function checkDocument(db: Database, document: ImportDocument): Promise<void> {
  const faults = [...duplicateIds(document), ...(await danglingReferences(db, document))];
  if (faults.length > 0) throw new DocumentFaulty(faults);
}
