import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failingWith, hostOf, rowOf, stateOf } from '../../testing/state.ts';
import {
  budgetFacts,
  chartsLastMs,
  failingOf,
  failingSources,
  inOrder,
  type SourceRow,
  sourceRow,
  summaryOf,
} from './facts.ts';
import { problemsOf } from './problems.ts';
import type { State } from './state.ts';

function summaryFor(more: Partial<State>) {
  const state = stateOf(more);
  return summaryOf(problemsOf(state), state);
}

describe('summaryOf()', () => {
  for (const [what, more, level, headline] of [
    ['all is well', {}, 'ok', 'All is well. Nothing to do.'],
    [
      'no reader came',
      { sources: [], lastHour: { fresh: 0, stale: 0, waited: 0, refused: 0, failed: 0 } },
      'ok',
      'All is well. No reader has requested a chart yet.',
    ],
    [
      'a source is broken',
      { sources: [rowOf('a', { status: 'BROKEN' })] },
      'ok',
      'Readers get their charts. 1 source needs attention.',
    ],
    [
      'sources are broken and overdue, each of which counts once',
      { sources: [rowOf('a', { status: 'BROKEN' }), rowOf('b')], overdue: ['a', 'b'] },
      'ok',
      'Readers get their charts. 2 sources need attention.',
    ],
    ['the server starts', { ready: false, uptimeMs: 1 }, 'ok', 'There is nothing to serve until the service responds.'],
    ['the log is lost', { logLost: true }, 'degraded', 'The log can’t be written.'],
    [
      'the key is rejected',
      { key: { state: 'refused' }, logLost: true },
      'down',
      'The service is rejecting calls: it rejects the API key (401).',
    ],
  ] as [string, Partial<State>, string, string][])
    it(`reports in its summary that ${what}`, () => {
      const summary = summaryFor(more);
      assert.deepEqual([summary.level, summary.headline], [level, headline]);
    });

  it('reports how old readers’ charts are, and which charts are missing', () => {
    const sources = [
      rowOf('a', { ageMs: 12_000 }),
      rowOf('b', { readersSee: 'unknown', ageMs: null }),
      rowOf('c', { ageMs: 99_000, nextRefreshInMs: null }),
    ];
    assert.equal(
      summaryFor({ sources }).advice,
      'Readers get charts no older than 12 seconds. 1 chart not loaded yet.',
    );
  });
});

describe('budgetFacts()', () => {
  it('splits the limit into spent, reserved, and free calls, and calls made by others', () => {
    const { spent: used, history: _history, free: _free, reserved: _reserved, ...status } = stateOf().budget;
    const budget = budgetFacts({ ...status, used: used + 10, others: 5, capacity: 40 });
    assert.deepEqual([budget.spent, budget.free, budget.reserved, budget.others, budget.earlier], [20, 20, 15, 5, 0]);
    assert.ok(!('used' in budget));
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
    assert.deepEqual(order, ['error', 'earlier', 'broken', 'late', 'many', 'also few', 'few', 'idle']);
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

describe('failingSources()', () => {
  const sources = [
    rowOf('a', { lastFailure: failingWith('invalid', 300_000) }),
    rowOf('b', { lastFailure: failingWith('invalid', 299_999) }),
  ];

  it('lists sources that have failed for five minutes while others work', () =>
    assert.deepEqual(
      failingSources(stateOf({ sources })).map(({ sourceId }) => sourceId),
      ['a'],
    ));

  it('lists none while the service is down or the key is rejected', () => {
    assert.deepEqual(failingSources(stateOf({ sources, hosts: [hostOf({ state: 'open' })] })), []);
    assert.deepEqual(failingSources(stateOf({ sources, key: { state: 'refused' } })), []);
  });
});

describe('chartsLastMs()', () => {
  const policy = { freshMs: 10, staleMs: 1_000, authStaleMs: 200 };
  const lastMs = (more: Partial<State>) => chartsLastMs(stateOf(more), policy);

  it('returns how much longer the oldest chart with readers can be shown', () => {
    const sources = [
      rowOf('a', { ageMs: 110 }),
      rowOf('b', { ageMs: 10 }),
      rowOf('idle', { ageMs: 500, nextRefreshInMs: null }),
    ];
    assert.equal(lastMs({ sources }), 900);
    assert.equal(lastMs({ sources: sources.slice(2) }), 510);
  });

  it('is shorter while the key is rejected, and 0 if there are no charts', () => {
    assert.equal(lastMs({ sources: [rowOf('a', { ageMs: 10 })], key: { state: 'refused', refusedForMs: 150 } }), 50);
    assert.equal(lastMs({ sources: [rowOf('a', { hasPulse: false })] }), 0);
    assert.equal(lastMs({ sources: [rowOf('a', { freshness: 'expired' })] }), 0);
  });
});
