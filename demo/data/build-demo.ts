import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CASE_ORGANIZATION, caseRecords, NAMELESS_ORGANIZATION } from './cases.ts';
import { DEMO_ACCOUNT_ID } from './demo-ids.ts';
import type { ImportDocument, SourceRecord } from './import-document.ts';
import { chartFile, LISTED_STORIES } from './story.ts';
import { DEMO_ORGANIZATION, storyRecord } from './story-record.ts';

/** The options for building the demo. */
export interface BuildDemoOptions {
  /** The folder for the document and its charts. */
  readonly folder: string;
  /** The time that all other times are relative to. @default now */
  readonly now?: Date;
}

/** The document and its file path. */
export interface BuiltDemo {
  readonly file: string;
  readonly document: ImportDocument;
}

/**
 * Writes the demo account as an import document, together with its charts. The same `now` always produces the same
 * files.
 */
export function buildDemo({ folder, now = new Date() }: BuildDemoOptions): BuiltDemo {
  mkdirSync(join(folder, 'charts'), { recursive: true });
  for (const edition of LISTED_STORIES.flatMap(({ editions }) => editions))
    copyFileSync(chartFile(edition), join(folder, edition.chart));
  const document = documentOf([...LISTED_STORIES.map((story) => storyRecord(story, now)), ...caseRecords(now)]);
  const file = join(folder, 'demo.json');
  writeFileSync(`${file}.part`, `${JSON.stringify(document, null, 2)}\n`);
  renameSync(`${file}.part`, file);
  return { file, document };
}

function documentOf(records: readonly SourceRecord[]): ImportDocument {
  return {
    accounts: [{ id: DEMO_ACCOUNT_ID, email: 'owner@open-data-desk.example' }],
    organizations: [DEMO_ORGANIZATION, CASE_ORGANIZATION, NAMELESS_ORGANIZATION],
    sources: records.map(({ source }) => source),
    connections: records.flatMap(({ connections }) => connections),
    runs: records.flatMap(({ runs }) => runs),
  };
}
