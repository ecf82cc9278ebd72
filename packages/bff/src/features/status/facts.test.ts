import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failingWith, rowOf, stateOf } from '../../testing/state.ts';
import { budgetFacts, chartsLastMs, failingOf, inOrder, type SourceRow, sourceRow } from './facts.ts';

describe('budgetFacts()', () => {
  it('splits the limit into spent, reserved, and free calls, and calls made by others', () => {
    const { spent: used, history: _history, free: _free, reserved: _reserved, ...status } = stateOf().budget;
    const budget = budgetFacts({ ...status, used: used + 10, others: 3, earlier: 2, capacity: 40 });
    assert.deepEqual([budget.spent, budget.free, budget.reserved, budget.others, budget.earlier], [20, 20, 15, 3, 2]);
    assert.ok(!('used' in budget));
    assert.equal(budgetFacts({ ...status, used: 20, capacity: 15 }).free, 0);
  });
});

describe('inOrder()', () => {
  it('lists sources with problems first, then by views, then by name', () => {
    const sources = [
      rowOf('idle', { nextRefreshInMs: null }),
      rowOf('few'),
      rowOf('broken', { status: 'BROKEN', nextRefreshInMs: null }),
      rowOf('late', { nextRefreshInMs: null }),
      rowOf('many', { viewsPerMinute: 9 }),
      rowOf('earlier', { readersSee: 'earlier-version' }),
      rowOf('also few'),
      rowOf('error', { readersSee: 'error' }),
    ];
    const order = inOrder(sources, ['late']).map(({ sourceId }) => sourceId);
    assert.deepEqual(order, ['broken', 'earlier', 'error', 'late', 'many', 'also few', 'few', 'idle']);
  });
});

describe('sourceRow()', () => {
  for (const [more, readersSee] of [
    [{}, 'fresh'],
    [{ isStale: true }, 'earlier-version'],
    [{ hasPulse: false }, 'no-chart'],
    [{ freshness: 'expired' }, 'error'],
    [{ freshness: 'never-answered', hasPulse: false }, 'unknown'],
    [{ freshness: 'never-answered', hasPulse: false, lastFailure: failingWith('dns') }, 'error'],
  ] as const)
    it(`reports what readers are seeing: ${readersSee} ${JSON.stringify(more)}`, () =>
      assert.equal(sourceRow(rowOf('a', more as Partial<SourceRow>)).readersSee, readersSee));

  it('shows the time of the next retry after a failure, but only if there are readers', () => {
    const failed = { lastFailure: failingWith('dns', 1, { retryInMs: 30_000 }) };
    assert.equal(sourceRow(rowOf('a', failed)).nextRefreshInMs, 30_000);
    assert.equal(sourceRow(rowOf('a', { ...failed, nextRefreshInMs: null })).nextRefreshInMs, null);
  });
});

describe('failingOf()', () => {
  const { list } = stateOf();
  const failed = (forMs: number) => ({ lastFailure: failingWith('rate_limited', forMs) });

  it('is null as long as the list or a source with readers can be refreshed', () => {
    assert.equal(failingOf({ ...list, ...failed(9) }, [rowOf('a')]), null);
    assert.equal(failingOf(list, [rowOf('a', failed(9))]), null);
    assert.equal(failingOf({ ...list, freshness: 'never-answered' }, []), null);
  });

  it('measures from the most recent success and ignores sources without readers', () => {
    const sources = [rowOf('a', failed(70)), rowOf('idle', { nextRefreshInMs: null })];
    assert.equal(failingOf({ ...list, ...failed(90) }, sources)?.forMs, 70);
    assert.equal(failingOf({ ...list, freshness: 'never-answered' }, sources)?.code, 'rate_limited');
  });
});

describe('chartsLastMs()', () => {
  it('is the time until the first chart with readers expires, and 0 if there are no charts', () => {
    const sources = [
      rowOf('a', { lastsMs: 900 }),
      rowOf('b', { lastsMs: 1_000 }),
      rowOf('missing', { lastsMs: 100, hasPulse: false }),
      rowOf('expired', { lastsMs: 0 }),
      rowOf('idle', { lastsMs: 500, nextRefreshInMs: null }),
    ];
    assert.deepEqual([chartsLastMs(sources), chartsLastMs(sources.slice(2)), chartsLastMs([])], [900, 500, 0]);
  });
});
