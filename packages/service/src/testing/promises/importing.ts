import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chartIdOf, chartPath } from '../../pulses/chart.ts';
import { DocumentError } from '../../import/document-error.ts';
import { pngOf } from '../chart-file.ts';
import { anAccount, aRun, aSource, documentOf, importInto, type Lists } from '../documents.ts';
import type { TestService } from '../test-service.ts';

/** The service's guarantees for imports that depend on the database. */
export function importPromises(service: () => TestService): void {
  const everyRow = () =>
    Promise.all([
      ...(['accounts', 'organizations', 'sources', 'connections', 'runs'] as const).map((table) =>
        service().db.selectFrom(table).selectAll().orderBy('id').execute(),
      ),
      // A chart's ID depends on its bytes, which would take seconds to read.
      service().db.selectFrom('charts').select('id').orderBy('id').execute(),
    ]);
  const aWhole = (acc: string, changes: Partial<Lists> = {}) =>
    documentOf({
      ...anAccount(acc),
      sources: [aSource(acc, `${acc}-s`)],
      connections: [{ id: `${acc}-c`, sourceId: `${acc}-s` }],
      runs: [aRun(`${acc}-c`, `${acc}-r`, { image: 'charts/r.png' })],
      ...changes,
    });
  const charts = { 'charts/r.png': pngOf(9) };

  describe('Importing a document', () => {
    it('twice has the same result as doing so once', async () => {
      await importInto(service().db, aWhole('twice'), charts);
      const once = await everyRow();
      await importInto(service().db, aWhole('twice'), charts);
      assert.deepEqual(await everyRow(), once);
    });

    it('replaces entries with the same ID', async () => {
      await importInto(service().db, aWhole('again'), charts);
      const key = await service().key('again');
      const renamed = aWhole('again', {
        accounts: [{ id: 'again', email: 'new@acme.test' }],
        sources: [aSource('again', 'again-s', { name: 'New', status: 'BROKEN' })],
      });
      await importInto(service().db, renamed, charts);
      const [source] = await service().sources(key);
      assert.deepEqual([source?.name, source?.status], ['New', 'BROKEN']);
      assert.match(JSON.stringify((await service().ask('/v1/sources', { key })).json), /new@acme\.test/);
    });

    it('adds to existing data, so that references can point to entries from an earlier document', async () => {
      await importInto(service().db, aWhole('more'), charts);
      const later = aRun('more-c', 'more-r2', { completedAt: '2026-06-01T00:00:00Z' });
      await importInto(service().db, documentOf({ runs: [later] }));
      const key = await service().key('more');
      assert.partialDeepStrictEqual(await service().pulse(key, 'more-s'), { jobRunId: 'more-r2' });
    });

    it('can’t attach anything to another account’s source', async () => {
      await importInto(service().db, aWhole('victim'), charts);
      await importInto(service().db, aWhole('other'), charts);
      const own = (changes: Partial<Lists>) => aWhole('other', { runs: [], ...changes });
      const outside = 'belongs to an account that the document does not name';
      const moved = 'belongs to another account in the database';
      const cases: [what: string, document: Lists, fault: string][] = [
        ['a run', own({ runs: [aRun('victim-c', 'new')] }), `runs[0].connectionId: ${outside}`],
        [
          'a connection and its run',
          own({ connections: [{ id: 'new', sourceId: 'victim-s' }], runs: [] }),
          `connections[0].sourceId: ${outside}`,
        ],
        ['a run that moves', own({ runs: [aRun('other-c', 'victim-r')] }), `runs[0].id: ${moved}`],
        [
          'a run that moves in a document without accounts',
          documentOf({ runs: [aRun('other-c', 'victim-r')] }),
          `runs[0].id: ${moved}`,
        ],
        [
          'a connection that moves',
          own({ connections: [{ id: 'victim-c', sourceId: 'other-s' }] }),
          `connections[0].id: ${moved}`,
        ],
        ['a source that moves', own({ sources: [aSource('other', 'victim-s')] }), `sources[0].id: ${moved}`],
      ];
      const before = await everyRow();
      for (const [what, document, fault] of cases) {
        const importing = importInto(service().db, document);
        await assert.rejects(importing, ({ faults }: DocumentError) => faults.includes(fault), what);
      }
      assert.deepEqual(await everyRow(), before);
    });

    it('doesn’t store anything if there is one error', async () => {
      const before = await everyRow();
      const faulty = aWhole('none', { runs: [aRun('nowhere', 'none-r')] });
      await assert.rejects(importInto(service().db, faulty), new DocumentError(NOWHERE));
      assert.deepEqual(await everyRow(), before);
    });

    it('doesn’t store anything if the database fails halfway', async () => {
      const before = await everyRow();
      await service().db.schema.alterTable('runs').renameTo('lost_runs').execute();
      try {
        await assert.rejects(importInto(service().db, aWhole('half'), charts));
      } finally {
        await service().db.schema.alterTable('lost_runs').renameTo('runs').execute();
      }
      assert.deepEqual(await everyRow(), before);
    });

    it('stores a chart that two runs share only once', async () => {
      const runs = ['one', 'two'].map((name) => aRun('both-c', `both-${name}`, { image: `${name}.png` }));
      await importInto(service().db, aWhole('both', { runs }), { 'one.png': pngOf(200), 'two.png': pngOf(200) });
      const stored = await service().db.selectFrom('runs').select('chart_id').where('id', 'like', 'both-%').execute();
      assert.equal(stored.length, 2);
      assert.equal(stored[0]?.chart_id, stored[1]?.chart_id);
    });

    it('keeps the charts of replaced runs so that their URLs continue to work', async () => {
      await importInto(service().db, aWhole('durable'), { 'charts/r.png': pngOf(201) });
      await importInto(service().db, aWhole('durable'), { 'charts/r.png': pngOf(202) });
      for (const shade of [201, 202]) {
        assert.equal((await service().ask(chartPath(chartIdOf(pngOf(shade))))).status, 200);
      }
    });

    it('is visible to a running server', async () => {
      await importInto(service().db, aWhole('seen'), charts);
      const key = await service().key('seen');
      assert.equal((await service().sources(key)).length, 1);
    });
  });
}

const NOWHERE = ['runs[0].connectionId: isn’t the ID of one of the connections, in the document or in the database'];
