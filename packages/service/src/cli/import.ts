import { dirname } from 'node:path';
import { readDatabaseConfig } from '../config.ts';
import { checkDocument, type CheckedDocument } from '../import/check-document.ts';
import { DocumentError } from '../import/document-error.ts';
import { readJson } from '../import/read-json.ts';
import { storeDocument } from '../import/store-document.ts';
import { openDatabase } from '../sql/database.ts';
import type { Output } from './print.ts';

/** Imports one document and prints a line for each step. If the document has errors, throws before storing anything. */
export async function importFile(env: NodeJS.ProcessEnv, file: string, output: Output): Promise<void> {
  const step = stepsOn(output);
  const config = readDatabaseConfig(env);
  const json = await step('Read the document', () => readJson(file));
  const { db } = await step('Open the database', () => openDatabase(config));
  try {
    const check = () => checkDocument(db, json, dirname(file));
    const { document, charts } = await step('Check fields, IDs, references, and charts', check, countsOf);
    await step('Store everything', () => storeDocument(db, document, charts));
  } finally {
    await db.destroy();
  }
}

/**
 * Returns a function that runs a step and prints its outcome. The command prints the errors themselves only once, at
 * the end.
 */
function stepsOn(output: Output) {
  return async <T>(title: string, work: () => Promise<T>, outcomeOf?: (result: T) => string): Promise<T> => {
    output.result(`❯ ${title}`);
    try {
      const result = await work();
      output.result(outcomeOf ? `✔ ${title}: ${outcomeOf(result)}` : `✔ ${title}`);
      return result;
    } catch (error) {
      output.result(`✖ ${title}: ${error instanceof DocumentError ? errorCount(error) : 'stopped'}`);
      throw error;
    }
  };
}

function errorCount({ faults }: DocumentError): string {
  return faults.length === 1 ? '1 error' : `${faults.length} errors`;
}

function countsOf({ document, charts }: CheckedDocument): string {
  const lists = Object.entries(document).map(([list, entries]) => `${list} ${entries.length}`);
  return [...lists, `chart files ${charts.size}`].join(', ');
}
