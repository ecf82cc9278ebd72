import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Database } from '../sql/database.ts';
import { checkDocument } from '../import/check-document.ts';
import { storeDocument } from '../import/store-document.ts';

type Entry = Record<string, unknown>;

/** The five lists of an import document. Omitted lists are empty. */
export interface Lists {
  accounts?: Entry[];
  organizations?: Entry[];
  sources?: Entry[];
  connections?: Entry[];
  runs?: Entry[];
}

/** A document with the given lists. */
export function documentOf(lists: Lists): Required<Lists> {
  return { accounts: [], organizations: [], sources: [], connections: [], runs: [], ...lists };
}

/** A new account with its organization. All IDs begin with `id`. */
export function anAccount(id: string): Required<Pick<Lists, 'accounts' | 'organizations'>> {
  return {
    accounts: [{ id, email: `${id}@acme.test` }],
    organizations: [{ id: `${id}-org`, name: 'Acme', slug: 'acme' }],
  };
}

/** A healthy source in `accountId`. */
export function aSource(accountId: string, id: string, changes: Entry = {}): Entry {
  return {
    id,
    accountId,
    organizationId: `${accountId}-org`,
    name: 'Q2 revenue',
    provider: 'GOOGLE',
    status: 'ACTIVE',
    updatedAt: '2026-05-08T09:00:12.000Z',
    archived: false,
    ...changes,
  };
}

/** A successful run of the `connectionId` connection, without a chart. */
export function aRun(connectionId: string, id: string, changes: Entry = {}): Entry {
  return {
    id,
    connectionId,
    status: 'SUCCESS',
    sourceName: 'Q2 revenue',
    completedAt: '2026-05-08T09:00:12.000Z',
    image: null,
    aiSummaryShort: 'Revenue rose 12%.',
    aiSummaryLong: 'Revenue rose **12%** in the second quarter.',
    deliveryLink: null,
    ...changes,
  };
}

/** Imports `document` with `files` next to it, as the command does. */
export async function importInto(db: Database, document: unknown, files: Record<string, Buffer> = {}): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-import-'));
  try {
    for (const [path, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
    const checked = await checkDocument(db, document, folder);
    await storeDocument(db, checked.document, checked.charts);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
