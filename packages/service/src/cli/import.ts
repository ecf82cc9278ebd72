import { dirname } from 'node:path';
import { Listr, type ListrTask } from 'listr2';
import { CommandError } from '../command-error.ts';
import { readDatabaseConfig } from '../config.ts';
import { checkDocument, type CheckedDocument } from '../import/check-document.ts';
import { DocumentError } from '../import/document-error.ts';
import { readJson } from '../import/read-json.ts';
import { storeDocument } from '../import/store-document.ts';
import { type Database, openDatabase } from '../sql/database.ts';

/** The data that the steps of an import hand on. */
interface ImportState {
  json: unknown;
  db: Database;
  checked: CheckedDocument;
  failure: unknown;
}

/** Imports one document and shows its steps. Throws before anything is stored when the document has a fault. */
export async function importFile(env: NodeJS.ProcessEnv, file: string): Promise<void> {
  const config = readDatabaseConfig(env);
  const state: Partial<ImportState> = {};
  const steps = [
    step('Read the document', async (state) => {
      state.json = await readJson(file);
    }),
    step('Open the database', async (state) => {
      state.db = (await openDatabase(config)).db;
    }),
    step('Check fields, ids, references and charts', async (state) => {
      state.checked = await checkDocument(state.db, state.json, dirname(file));
      return countsOf(state.checked);
    }),
    step('Store everything', async ({ db, checked }) => storeDocument(db, checked.document, checked.charts)),
  ];
  try {
    await new Listr<ImportState>(steps).run(state as ImportState);
  } catch (error) {
    throw state.failure ?? error;
  } finally {
    await state.db?.destroy();
  }
}

/** A step that shows its outcome in a few words; the faults themselves are printed once, at the command's end. */
function step(title: string, work: (state: ImportState) => Promise<string | void>): ListrTask<ImportState> {
  return {
    title,
    task: async (state, task) => {
      try {
        const outcome = await work(state);
        if (outcome !== undefined) task.title = `${title}: ${outcome}`;
      } catch (error) {
        state.failure = error;
        throw new CommandError(error instanceof DocumentError ? faultCount(error) : 'stopped');
      }
    },
  };
}

function faultCount({ faults }: DocumentError): string {
  return faults.length === 1 ? 'one fault' : `${faults.length} faults`;
}

function countsOf({ document, charts }: CheckedDocument): string {
  const lists = Object.entries(document).map(([list, entries]) => `${list} ${entries.length}`);
  return [...lists, `chart files ${charts.size}`].join(', ');
}
