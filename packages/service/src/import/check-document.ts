import type { Database } from '../sql/database.ts';
import { foreignEntries } from './check-owners.ts';
import { danglingReferences, duplicateIds } from './check-references.ts';
import { outlineOf } from './document-outline.ts';
import { type ImportDocument, parseDocument } from './document-schema.ts';
import { DocumentError } from './document-error.ts';
import { type Chart, readCharts } from './read-charts.ts';

/** A valid document, with its charts keyed by their paths. */
export interface CheckedDocument {
  document: ImportDocument;
  charts: ReadonlyMap<string, Chart>;
}

/** Checks a document against its schema, its folder, and the database. Throws `DocumentError` with every error. */
export async function checkDocument(db: Database, json: unknown, folder: string): Promise<CheckedDocument> {
  const read = parseDocument(json);
  const outline = outlineOf(json);
  const { charts, faults } = await readCharts(outline, folder);
  const found = [
    ...duplicateIds(outline),
    ...(await danglingReferences(db, outline)),
    ...(await foreignEntries(db, outline)),
    ...faults,
  ];
  if ('faults' in read) throw new DocumentError([...read.faults, ...found]);
  if (found.length > 0) throw new DocumentError(found);
  return { document: read.document, charts };
}
