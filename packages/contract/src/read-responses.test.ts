import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  activeSource,
  brokenPulseBodies,
  fullPulse,
  pulseBody,
  sourcesBody,
  unreadablePulseFields,
} from './examples.ts';
import { readPulse, readSources } from './read-responses.ts';

const { account } = pulseBody.meta;

function readSourceRows(...sources: unknown[]) {
  const reading = readSources({ ...sourcesBody, sources });
  assert.ok(reading.ok);
  return reading;
}

describe('readPulse()', () => {
  it('reads what the service sends', () => {
    assert.deepEqual(readPulse(pulseBody, 'src_1'), { ok: true, account, pulse: fullPulse, unreadable: [] });
  });

  for (const [field, values] of Object.entries(unreadablePulseFields))
    it(`reports an unreadable ${field} and keeps the rest`, () => {
      for (const value of values)
        assert.deepEqual(readPulse({ ...pulseBody, pulse: { ...fullPulse, [field]: value } }, 'src_1'), {
          ok: true,
          account,
          pulse: { ...fullPulse, [field]: null },
          unreadable: [field],
        });
    });

  for (const [what, body] of Object.entries(brokenPulseBodies))
    it(`rejects ${what}`, () => assert.equal(readPulse(body, 'src_1').ok, false));

  it('rejects another source’s pulse', () => {
    for (const askedId of ['src_2', 'SRC_1', 'src_1 ']) {
      const reading = readPulse(pulseBody, askedId);
      assert.deepEqual(reading, { ok: false, reason: 'pulse.sourceId is not the ID that was asked for' });
    }
  });

  it('reports which field makes a pulse unusable, but not its value', () => {
    const reasonFor = (pulse: unknown) => {
      const reading = readPulse({ ...pulseBody, pulse }, 'src_1');
      return reading.ok ? undefined : reading.reason;
    };
    assert.equal(reasonFor({ ...fullPulse, jobRunId: 'run/1' }), 'pulse.jobRunId can’t be read');
    assert.equal(reasonFor({ ...fullPulse, status: 'FAILED' }), 'pulse.status can’t be read');
    assert.equal(reasonFor('run_1'), 'pulse can’t be read');
  });

  it('reads a pulse even if its meta object is broken or missing, and lists the unreadable fields', () => {
    for (const meta of [undefined, null, 7, [], { account: {} }, { account: { id: 7, email: 'a@b.test' } }]) {
      const reading = readPulse({ meta, pulse: fullPulse }, 'src_1');
      assert.deepEqual(reading, { ok: true, account: undefined, pulse: fullPulse, unreadable: ['meta.account.id'] });
    }
    const noEmail = readPulse({ meta: { account: { id: 'acc_1', email: 7 } }, pulse: fullPulse }, 'src_1');
    assert.ok(noEmail.ok);
    assert.deepEqual([noEmail.account, noEmail.unreadable], [{ id: 'acc_1', email: '' }, ['meta.account.email']]);
  });
});

describe('readSources()', () => {
  it('reads every source that the service can send', () => {
    const { sources } = sourcesBody;
    assert.deepEqual(readSources(sourcesBody), { ok: true, account, sources, leftOut: [], unreadable: [] });
  });

  it('accepts more than ten sources, in case the service ever sends them', () => {
    assert.equal(
      readSourceRows(...Array.from({ length: 40 }, (_, at) => ({ ...activeSource, id: `src_${at}` }))).sources.length,
      40,
    );
  });

  it('keeps a row with unreadable fields and lists those fields with the row’s ID', () => {
    const { sources, unreadable, leftOut } = readSourceRows(
      { ...activeSource, connectionCount: '3', provider: null, status: 3 },
      { ...activeSource, id: 'src_2', status: 'PAUSED', name: null },
    );
    assert.deepEqual(sources, [
      { ...activeSource, connectionCount: null, provider: null, status: null },
      { ...activeSource, id: 'src_2', status: 'PAUSED', name: null },
    ]);
    assert.deepEqual(unreadable, ['src_1: provider', 'src_1: status', 'src_1: connectionCount']);
    assert.deepEqual(leftOut, []);
  });

  const rows: [unknown, string | null][] = [
    [null, null],
    [7, null],
    [{}, null],
    [[], null],
    [{ ...activeSource, id: 3 }, '3'],
    [{ ...activeSource, id: { toString: 1 } }, null],
    [{ ...activeSource, id: 'src/1' }, 'src/1'],
    [{ ...activeSource, id: 'a\u001b[31m\u202eb' }, 'a\\u001b[31m\\u202eb'],
    [{ ...activeSource, id: 'é'.repeat(500) }, '\\u00e9'.repeat(80).slice(0, 80)],
  ];
  for (const [row, id] of rows)
    it(`drops ${JSON.stringify(row).slice(0, 40)} and reports its ID in printable text`, () => {
      const { sources, leftOut, unreadable } = readSourceRows(activeSource, row);
      assert.deepEqual([sources, leftOut.map((each) => each.id)], [[activeSource], [id]]);
      assert.deepEqual(unreadable, [id === null ? 'row 2 (no ID)' : `row 2 (ID "${id}")`]);
    });

  it('keeps the first of two rows with the same ID', () => {
    const { sources, leftOut } = readSourceRows(activeSource, { ...activeSource, name: 'Again' });
    assert.deepEqual([sources, leftOut], [[activeSource], [{ id: 'src_1', reason: 'repeats an ID' }]]);
  });

  it('reads an empty list', () => {
    assert.deepEqual(readSourceRows().sources, []);
  });

  it('rejects a list without any readable rows', () => {
    assert.equal(readSources({ ...sourcesBody, sources: rows.map(([row]) => row) }).ok, false);
  });

  it('rejects a value that isn’t a list', () => {
    for (const sources of [undefined, null, {}, 'src_1', { length: 1, 0: activeSource }])
      assert.equal(readSources({ ...sourcesBody, sources }).ok, false, JSON.stringify(sources));
    for (const body of [null, 'x', 7, [activeSource]]) assert.equal(readSources(body).ok, false);
  });
});
