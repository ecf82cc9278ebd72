import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SourceFacts, sourceRows } from './source-rows.ts';

const source: SourceFacts = {
  sourceId: 'src_1',
  name: 'Q2 revenue',
  provider: 'GOOGLE',
  status: 'ACTIVE',
  freshness: 'fresh',
  hasPulse: true,
  isEarlierVersion: false,
  ageMs: 12_400,
  requestedAt: '2026-05-08T09:04:48.000Z',
  nextRefreshInMs: 19_600,
  viewsPerMinute: 2,
  readers: 0,
  lastFailure: null,
};

const failed = { code: 'upstream_unavailable', detail: 'upstream-timeout', retryInMs: 12_000 };
const idle = { nextRefreshInMs: null, viewsPerMinute: 0 };

function rowOf(changes: Partial<SourceFacts>, freeCalls = 10) {
  const other = { ...source, sourceId: 'src_other', viewsPerMinute: 10 };
  const row = sourceRows([{ ...source, ...changes }, other], freeCalls).find(({ sourceId }) => sourceId === 'src_1');
  assert.ok(row);
  return row;
}

describe('sourceRows()', () => {
  it('gives the next try as the next refresh after a failure', () => {
    assert.equal(rowOf({ nextRefreshInMs: 0, lastFailure: failed }).nextRefreshInMs, 12_000);
    assert.equal(rowOf({ nextRefreshInMs: 0, lastFailure: { ...failed, retryInMs: 0 } }).nextRefreshInMs, 0);
    assert.equal(rowOf({ ...idle, lastFailure: failed }).nextRefreshInMs, null);
  });

  for (const [changes, readersSee] of [
    [{}, 'fresh'],
    [{ freshness: 'stale' }, 'fresh'],
    [{ freshness: 'stale', isEarlierVersion: true }, 'earlier-version'],
    [{ hasPulse: false }, 'no-chart'],
    [{ freshness: 'expired' }, 'error'],
    [{ freshness: 'never-answered', lastFailure: failed }, 'error'],
    [{ freshness: 'never-answered', hasPulse: false, ageMs: null }, 'unknown'],
  ] as const) {
    it(`says that readers see ${readersSee} for ${JSON.stringify(changes)}`, () =>
      assert.equal(rowOf(changes).readersSee, readersSee));
  }

  for (const [changes, code, words] of [
    [{ viewsPerMinute: 14 }, 'most_readers', 'Most readers, refreshed first'],
    [{ viewsPerMinute: 4.9 }, 'many_readers', 'Many readers'],
    [{}, 'few_readers', 'Few readers'],
    [{ viewsPerMinute: 0.4 }, 'hardly_any_readers', 'Hardly any readers'],
    [idle, 'nobody_looks', 'Nobody looks at it'],
    [{ lastFailure: failed }, 'failed', 'The last call timed out, next try in 12 seconds'],
    [{ lastFailure: { ...failed, detail: 'new' } }, 'failed', 'The last call failed, next try in 12 seconds'],
    [{ lastFailure: { ...failed, retryInMs: 0 } }, 'few_readers', 'Few readers'],
  ] as const) {
    it(`says "${words}"`, () => assert.deepEqual(rowOf(changes).reason, { code, words }));
  }

  it('says that a source waits for a free call only where no call is free', () => {
    const due = { freshness: 'stale', nextRefreshInMs: 0 } as const;
    assert.equal(rowOf(due, 0).reason.code, 'waiting_for_calls');
    assert.equal(rowOf(due, 1).reason.code, 'few_readers');
  });

  it('puts trouble first, then views, then names, and what nobody looks at last', () => {
    const rows = sourceRows(
      [
        { ...source, ...idle, sourceId: 'idle', freshness: 'expired' },
        { ...source, sourceId: 'b', name: 'B' },
        { ...source, sourceId: 'a', name: 'A' },
        { ...source, sourceId: 'most', viewsPerMinute: 9 },
        { ...source, sourceId: 'failing', lastFailure: failed },
        { ...source, sourceId: 'stale', freshness: 'stale', isEarlierVersion: true },
        { ...source, sourceId: 'gone', freshness: 'expired' },
      ],
      10,
    );
    assert.deepEqual(
      rows.map(({ sourceId }) => sourceId),
      ['gone', 'stale', 'failing', 'most', 'a', 'b', 'idle'],
    );
  });

  it('keeps every fact it was given', () => assert.deepEqual({ ...rowOf({}), ...source }, rowOf({})));
});
