import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isSourceId, LIST_SIZE, SOURCE_STATUSES, TEXT_LIMITS } from '@pulse-card/contract';
import { buildDemo, type BuiltDemo } from './build-demo.ts';
import { DEMO_PULSE_SOURCES } from './cases.ts';
import type { ImportRun, ImportSource } from './import-document.ts';

const NOW = new Date('2026-05-08T09:05:00.000Z');
const HOUR_MS = 3_600_000;

describe('buildDemo()', () => {
  const folder = mkdtempSync(join(tmpdir(), 'demo-'));
  let built: BuiltDemo;
  before(() => {
    built = buildDemo({ folder, now: NOW });
  });
  after(() => rmSync(folder, { recursive: true }));

  const listed = (): ImportSource[] =>
    built.document.sources.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt)).slice(0, LIST_SIZE);
  const runsOf = (sourceId: string): ImportRun[] => {
    const connections = built.document.connections.filter((connection) => connection.sourceId === sourceId);
    return built.document.runs.filter((run) => connections.some(({ id }) => id === run.connectionId));
  };
  const onlyRun = (id: string): ImportRun => runsOf(id)[0]!;

  it('returns the document that it writes to the file', () => {
    assert.deepEqual(JSON.parse(readFileSync(built.file, 'utf8')), built.document);
  });

  it('uses only valid, unique IDs', () => {
    const { accounts, organizations, sources, connections, runs } = built.document;
    for (const records of [accounts, organizations, sources, connections, runs]) {
      const ids = records.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      assert.deepEqual(
        ids.filter((id) => !isSourceId(id)),
        [],
      );
    }
  });

  it('references only existing records', () => {
    const { accounts, organizations, sources, connections, runs } = built.document;
    const known = new Set([...accounts, ...organizations, ...sources, ...connections].map(({ id }) => id));
    const named = [
      ...sources.flatMap((source) => [source.accountId, source.organizationId]),
      ...connections.map(({ sourceId }) => sourceId),
      ...runs.map(({ connectionId }) => connectionId),
    ];
    assert.deepEqual(
      named.filter((id) => !known.has(id)),
      [],
    );
  });

  it('lists the real sources, each with its provider', () => {
    assert.deepEqual(
      listed().filter(({ id }) => id.startsWith('src_case_')),
      [],
    );
    assert.equal(new Set(listed().map(({ provider }) => provider)).size, LIST_SIZE);
    assert.deepEqual(new Set(listed().map(({ status }) => status)), new Set(SOURCE_STATUSES));
  });

  it('includes pulses for at least eight listed sources and failed runs for some of them', () => {
    const runs = listed().map(({ id }) => runsOf(id));
    assert.ok(runs.filter((of) => of.some(({ status }) => status === 'SUCCESS')).length >= 8);
    assert.ok(runs.filter((of) => of.some(({ status }) => status === 'FAILED')).length >= 5);
  });

  it('sets times relative to the current time', () => {
    const [latest] = runsOf('src_us_employment');
    assert.equal(NOW.getTime() - Date.parse(latest!.completedAt!), 2 * HOUR_MS);
  });

  it('saves all charts next to the document as 1600 × 900 PNGs', () => {
    for (const image of new Set(built.document.runs.map(({ image }) => image).filter((image) => image !== null))) {
      const bytes = readFileSync(join(folder, image));
      assert.equal(bytes.subarray(1, 4).toString('latin1'), 'PNG');
      assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1600, 900]);
    }
  });

  it('is deterministic for a given time', () => {
    assert.deepEqual(buildDemo({ folder, now: NOW }).document, built.document);
  });

  it('gives every awkward source an ID that the BFF accepts', () => {
    const ids = built.document.sources.map(({ id }) => id).filter((id) => id.startsWith('src_case_'));
    assert.equal(DEMO_PULSE_SOURCES, ['listed', ...ids].join(','));
  });

  it('includes a source that has never run and one whose runs have all failed', () => {
    assert.deepEqual(runsOf('src_case_no_run'), []);
    assert.deepEqual(
      runsOf('src_case_only_failed').map(({ status }) => status),
      ['FAILED', 'FAILED'],
    );
  });

  it('for each nullable field, includes a source in which only that field is null', () => {
    const full = onlyRun('src_case_status_active');
    const nulls: Record<string, keyof ImportRun> = {
      src_case_null_name: 'sourceName',
      src_case_null_completed_at: 'completedAt',
      src_case_null_image: 'image',
      src_case_null_short: 'aiSummaryShort',
      src_case_null_long: 'aiSummaryLong',
      src_case_null_delivery_link: 'deliveryLink',
    };
    assert.ok(Object.values(full).every((value) => value !== null));
    for (const [id, field] of Object.entries(nulls)) {
      const missing = Object.entries(onlyRun(id)).filter(([, value]) => value === null);
      assert.deepEqual(missing, [[field, null]], id);
    }
  });

  it('includes one awkward source for each status', () => {
    const statuses = built.document.sources
      .filter(({ id }) => id.startsWith('src_case_status_'))
      .map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [...SOURCE_STATUSES].toSorted());
  });

  it('keeps all text within a pulse’s length limits', () => {
    for (const run of built.document.runs) {
      assert.ok((run.sourceName ?? '').length <= TEXT_LIMITS.name, run.id);
      assert.ok((run.aiSummaryShort ?? '').length <= TEXT_LIMITS.summaryShort, run.id);
      assert.ok((run.aiSummaryLong ?? '').length <= TEXT_LIMITS.summaryLong, run.id);
    }
  });
});
