import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { type Database, openDatabase } from '../sql/database.ts';
import { pngOf } from '../testing/chart-file.ts';
import { anAccount, aRun, aSource, documentOf, type Lists } from '../testing/documents.ts';
import { checkDocument } from './check-document.ts';
import { DocumentError } from './document-error.ts';

/** A valid document with one change. */
const whole = (changes: Partial<Lists> = {}) =>
  documentOf({
    ...anAccount('acc'),
    sources: [aSource('acc', 'src')],
    connections: [{ id: 'con', sourceId: 'src' }],
    runs: [aRun('con', 'run')],
    ...changes,
  });
const source = (changes: Record<string, unknown>) => whole({ sources: [aSource('acc', 'src', changes)] });
const run = (changes: Record<string, unknown>) => whole({ runs: [aRun('con', 'run', changes)] });
const without = (entry: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));

describe('checkDocument()', () => {
  let db: Database;
  let data: string;
  let folder: string;
  before(async () => {
    data = mkdtempSync(join(tmpdir(), 'pulse-check-'));
    ({ db } = await openDatabase({ dataDir: data, databaseUrl: undefined }));
  });
  after(async () => {
    await db.destroy();
    rmSync(data, { recursive: true });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pulse-document-'));
    writeFileSync(join(folder, 'good.png'), pngOf(1));
    writeFileSync(join(folder, 'cut.png'), pngOf(1).subarray(0, 40));
    writeFileSync(join(folder, 'text.png'), 'no chart');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const faultsOf = async (json: unknown): Promise<readonly string[]> => {
    try {
      await checkDocument(db, json, folder);
      return [];
    } catch (error) {
      assert.ok(error instanceof DocumentError, String(error));
      return error.faults;
    }
  };

  it('accepts a valid document with its charts', async () => {
    const { document, charts } = await checkDocument(db, run({ image: 'good.png' }), folder);
    assert.equal(document.runs[0]?.id, 'run');
    assert.deepEqual(charts.get('good.png')?.png, pngOf(1));
  });

  it('treats an omitted nullable field as null, and an omitted "archived" as false', async () => {
    const bare = whole({
      organizations: [{ id: 'acc-org' }],
      sources: [without(aSource('acc', 'src'), 'name', 'archived')],
      runs: [{ id: 'run', connectionId: 'con', status: 'FAILED' }],
    });
    const { document } = await checkDocument(db, bare, folder);
    assert.deepEqual(document.organizations[0], { id: 'acc-org', name: null, slug: null });
    assert.partialDeepStrictEqual(document.sources[0], { name: null, archived: false });
    assert.partialDeepStrictEqual(document.runs[0], { sourceName: null, completedAt: null, image: null });
  });

  it('converts times to UTC with milliseconds', async () => {
    const { document } = await checkDocument(db, run({ completedAt: '2026-05-08T11:00:12+02:00' }), folder);
    assert.equal(document.runs[0]?.completedAt, '2026-05-08T09:00:12.000Z');
  });

  it('reports the path of each error', async () => {
    const email = whole({ accounts: [{ id: 'acc', email: 'no_one' }] });
    const cases: [what: string, document: unknown, place: string][] = [
      ['not an object', [], 'document'],
      ['null', null, 'document'],
      ['a missing list', without(whole(), 'runs'), 'runs'],
      ['an object instead of a list', { ...whole(), connections: {} }, 'connections'],
      ['an unknown list', { ...whole(), keys: [] }, 'keys'],
      ['an unknown field', source({ color: 'red' }), 'sources[0].color'],
      ['null instead of an entry', { ...whole(), runs: [null] }, 'runs[0]'],
      ['an invalid email address', email, 'accounts[0].email'],
      ['an ID with a slash', run({ id: 'a/b' }), 'runs[0].id'],
      ['an ID that is a number', run({ id: 7 }), 'runs[0].id'],
      ['an ID of dots', run({ id: '..' }), 'runs[0].id'],
      ['an ID that is too long', run({ id: 'a'.repeat(129) }), 'runs[0].id'],
      ['a provider in lower case', source({ provider: 'google' }), 'sources[0].provider'],
      ['an unknown status', source({ status: 'FINE' }), 'sources[0].status'],
      ['a run with another status', run({ status: 'RUNNING' }), 'runs[0].status'],
      ['a day for a moment', source({ updatedAt: '2026-05-08' }), 'sources[0].updatedAt'],
      ['a moment that never was', run({ completedAt: '2026-02-30T00:00:00Z' }), 'runs[0].completedAt'],
      ['a moment after the year 9999', source({ updatedAt: '9999-12-31T23:59:59-01:00' }), 'sources[0].updatedAt'],
      ['a moment before the year 0', run({ completedAt: '0000-01-01T00:00:00+01:00' }), 'runs[0].completedAt'],
      ['a field with an invalid name', run({ 'a\n\u001b[31m': 1 }), 'runs[0]["a\\n\\u001b[31m"]'],
      ['no moment', source({ updatedAt: null }), 'sources[0].updatedAt'],
      ['a word for a truth', source({ archived: 'no' }), 'sources[0].archived'],
      ['a NUL in a string', run({ aiSummaryLong: 'a\0b' }), 'runs[0].aiSummaryLong'],
      ['half a character', run({ aiSummaryShort: '\ud800' }), 'runs[0].aiSummaryShort'],
      ['a link that is a script', run({ deliveryLink: 'javascript:alert(1)' }), 'runs[0].deliveryLink'],
      ['a source of no account', source({ accountId: 'none' }), 'sources[0].accountId'],
      ['a source of no organization', source({ organizationId: 'none' }), 'sources[0].organizationId'],
      [
        'a connection of no source',
        whole({ connections: [{ id: 'con', sourceId: 'none' }] }),
        'connections[0].sourceId',
      ],
      ['a run of no connection', run({ connectionId: 'none' }), 'runs[0].connectionId'],
      ['an ID twice', whole({ runs: [aRun('con', 'run'), aRun('con', 'run')] }), 'runs[1].id'],
    ];
    for (const [what, document, place] of cases) {
      const faults = await faultsOf(document);
      assert.ok(
        faults.some((fault) => fault.startsWith(`${place}: `)),
        `${what}: ${JSON.stringify(faults)}`,
      );
    }
  });

  it('reports a missing field', async () => {
    const { id: _, ...nameless } = aRun('con', 'run');
    assert.deepEqual(await faultsOf(whole({ runs: [nameless] })), ['runs[0].id: is missing']);
  });

  it('reads only charts that are PNGs in the document’s folder', async () => {
    writeFileSync(join(data, 'outside.png'), pngOf(2));
    symlinkSync(join(data, 'outside.png'), join(folder, 'link.png'));
    const bad = [
      '../good.png',
      '/etc/hosts',
      'charts/../../x.png',
      'link.png',
      'none.png',
      '.',
      '',
      'text.png',
      'cut.png',
      'a\0b',
      7,
    ];
    for (const image of bad) {
      const faults = await faultsOf(run({ image }));
      assert.ok(faults.length > 0 && faults.every((fault) => fault.startsWith('runs[0].image: ')), String(image));
    }
  });

  it('reports errors of every kind together', async () => {
    const faults = await faultsOf({
      ...whole({ sources: [aSource('acc', 'src', { color: 1 }), aSource('acc', 'src')] }),
      runs: [aRun('none', 'run', { image: 'text.png', status: 'NO' })],
    });
    assert.deepEqual(
      new Set(faults.map((fault) => fault.split(':')[0])),
      new Set(['runs[0].connectionId', 'runs[0].image', 'runs[0].status', 'sources[0].color', 'sources[1].id']),
    );
  });

  it('reports 130,000 field errors and 130,000 reference errors in one list', async () => {
    // A function accepts at most about 125,000 arguments, so a list of this length can't be spread into a call.
    const runs = Array.from({ length: 130_000 }, (_, at) => aRun('none', `run-${at}`, { status: 'NO' }));
    const faults = await faultsOf(whole({ runs }));
    assert.equal(faults.length, 260_000);
    assert.ok(faults.includes('runs[129999].status: must be SUCCESS or FAILED'));
  });
});

describe('DocumentError', () => {
  it('lists one error per line', () => assert.equal(new DocumentError(['a: b', 'c: d']).message, 'a: b\nc: d'));

  it('shows only the first hundred errors and the total count', () => {
    const faults = Array.from({ length: 200_000 }, (_, at) => `runs[${at}].id: is missing`);
    const lines = new DocumentError(faults).message.split('\n');
    assert.equal(lines.length, 101);
    assert.equal(lines.at(-1), '200,000 errors in all; the first 100 are above');
  });
});
