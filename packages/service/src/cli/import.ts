import { dirname } from 'node:path';
import { readDatabaseConfig } from '../config.ts';
import { checkDocument, type CheckedDocument } from '../import/check-document.ts';
import { DocumentError } from '../import/document-error.ts';
import { readJson } from '../import/read-json.ts';
import { storeDocument } from '../import/store-document.ts';
import { openDatabase } from '../sql/database.ts';

/**
 * Imports one document, and prints a line for each step. If the document has an error, throws before anything is
 * stored.
 */
export async function importFile(env: NodeJS.ProcessEnv, file: string): Promise<void> {
  const config = readDatabaseConfig(env);
  const json = await step('Read the document', () => readJson(file));
  const { db } = await step('Open the database', () => openDatabase(config));
  try {
    const check = () => checkDocument(db, json, dirname(file));
    const { document, charts } = await step('Check fields, ids, references and charts', check, countsOf);
    await step('Store everything', () => storeDocument(db, document, charts));
  } finally {
    await db.destroy();
  }
}

/** Runs a step and prints its outcome. The command prints the errors themselves once, at its end. */
async function step<T>(title: string, work: () => Promise<T>, outcomeOf?: (result: T) => string): Promise<T> {
  print(`❯ ${title}`);
  try {
    const result = await work();
    print(outcomeOf ? `✔ ${title}: ${outcomeOf(result)}` : `✔ ${title}`);
    return result;
  } catch (error) {
    print(`✖ ${title}: ${error instanceof DocumentError ? errorCount(error) : 'stopped'}`);
    throw error;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function errorCount({ faults }: DocumentError): string {
  return faults.length === 1 ? '1 error' : `${faults.length} errors`;
}

function countsOf({ document, charts }: CheckedDocument): string {
  const lists = Object.entries(document).map(([list, entries]) => `${list} ${entries.length}`);
  return [...lists, `chart files ${charts.size}`].join(', ');
}
