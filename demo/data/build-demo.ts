import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CASE_ORGANIZATION, caseRecords, NAMELESS_ORGANIZATION } from './cases.ts';
import { openChartFolder } from './chart/chart-folder.ts';
import { DEMO_ACCOUNT_ID } from './demo-ids.ts';
import type { ImportDocument, SourceRecord } from './import-document.ts';
import { employment } from './stories/employment.ts';
import { LISTED_STORIES } from './stories/listed-stories.ts';
import { entry } from './words/measures.ts';
import { DEMO_ORGANIZATION, storyRecord } from './story-record.ts';

/** The options for building the demo. */
export interface BuildDemoOptions {
  /** The folder for the document and its charts. */
  readonly folder: string;
  /** The time that all other times are relative to. @default now */
  readonly now?: Date;
  /** Receives the progress, one source at a time. */
  readonly onProgress?: (step: DemoStep) => void;
}

/** The progress of building the demo. */
export interface DemoStep {
  readonly title: string;
  readonly done: number;
  readonly total: number;
}

/** The result: the document's file, its content, and the number of charts that were drawn. */
export interface BuiltDemo {
  readonly file: string;
  readonly document: ImportDocument;
  readonly charts: { readonly drawn: number; readonly kept: number };
}

/** Builds the demo account from public data: an import document and its charts. The same `now` always produces the same files. */
export async function buildDemo({ folder, now = new Date(), onProgress }: BuildDemoOptions): Promise<BuiltDemo> {
  const charts = openChartFolder(folder);
  const total = LISTED_STORIES.length;
  const records: SourceRecord[] = [];
  for (const [index, story] of LISTED_STORIES.entries()) {
    records.push(await storyRecord(story, charts, now));
    onProgress?.({ title: story.name, done: index + 1, total });
  }
  records.push(...caseRecords(await charts.add(entry(employment.editions(), 0).chart), now));
  const document = documentOf(records);
  const file = join(folder, 'demo.json');
  writeFileSync(`${file}.part`, `${JSON.stringify(document, null, 2)}\n`);
  renameSync(`${file}.part`, file);
  return { file, document, charts: charts.counts };
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
