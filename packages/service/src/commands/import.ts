import { dirname } from 'node:path';
import { Listr } from 'listr2';
import { readDatabaseConfig } from '../config.ts';
import { type Database, openDatabase } from '../database/open-database.ts';
import { checkDocument } from '../import/check-document.ts';
import type { ImportDocument } from '../import/document-schema.ts';
import { type Chart, readCharts } from '../import/read-charts.ts';
import { readDocument } from '../import/read-document.ts';
import { storeDocument } from '../import/store-document.ts';

/** What the steps of an import hand on. */
interface ImportState {
  db: Database;
  document: ImportDocument;
  charts: Map<string, Chart>;
}

/** Imports one document, showing its steps; throws before anything is stored when the document holds a fault. */
export async function importFile(env: NodeJS.ProcessEnv, file: string): Promise<void> {
  const config = readDatabaseConfig(env);
  const state: Partial<ImportState> = {};
  try {
    await stepsOf(file, async () => (await openDatabase(config)).db).run(state as ImportState);
  } finally {
    await state.db?.destroy();
  }
}

function stepsOf(file: string, open: () => Promise<Database>): Listr<ImportState> {
  return new Listr<ImportState>(
    [
      {
        title: 'Read the document',
        task: async (state, task) => {
          state.document = await readDocument(file);
          task.title = `Read the document: ${countsOf(state.document)}`;
        },
      },
      {
        title: 'Read the charts',
        task: async (state, task) => {
          state.charts = await readCharts(state.document, dirname(file));
          task.title = `Read the charts: ${state.charts.size} files`;
        },
      },
      {
        title: 'Check ids and references',
        task: async (state) => {
          state.db = await open();
          await checkDocument(state.db, state.document);
        },
      },
      {
        title: 'Store everything',
        task: async (state, task) => {
          await storeDocument(state.db, state.document, state.charts);
          task.title = 'Stored everything';
        },
      },
    ],
    // Faults are told once, by the command's end.
    { rendererOptions: { showErrorMessage: false, collapseErrors: true }, fallbackRenderer: 'simple' },
  );
}

function countsOf(document: ImportDocument): string {
  return Object.entries(document)
    .map(([list, entries]) => `${entries.length} ${list}`)
    .join(', ');
}
