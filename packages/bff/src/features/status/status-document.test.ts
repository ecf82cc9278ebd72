import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failingWith, hostOf, rowOf, stateOf } from '../../testing/state.ts';
import { chartsLastMs, failingOf, failingSources, type SourceRow, sourceRow, type State } from './state.ts';
import { statusDocument } from './status-document.ts';

const documentOf = (more: Partial<State>) => statusDocument(stateOf(more), []);

describe('statusDocument()', () => {
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
    ['the server starts', { ready: false, uptimeMs: 1 }, 'ok', 'There is nothing to serve until the service answers.'],
    ['the log is lost', { logLost: true }, 'degraded', 'The log can’t be written.'],
    [
      'the key is rejected',
      { key: { state: 'refused' }, logLost: true },
      'down',
      'The service rejects calls: it rejects the API key (401).',
    ],
  ] as const)
    it(`reports in its summary that ${what}`, () => {
      const { summary } = documentOf(more);
      assert.deepEqual([summary.level, summary.headline], [level, headline]);
    });

  it('reports the age of the charts that readers get, and which charts are missing', () => {
    const sources = [
      rowOf('a', { ageMs: 12_000 }),
      rowOf('b', { readersSee: 'unknown', ageMs: null }),
      rowOf('c', { ageMs: 99_000, nextRefreshInMs: null }),
    ];
    assert.equal(
      documentOf({ sources }).summary.advice,
      'Readers get charts no older than 12 seconds. 1 chart not loaded yet.',
    );
  });

  it('divides the limit into calls that are spent, reserved, free, and others’', () => {
    const { budget } = documentOf({ budget: { ...stateOf().budget, used: 20, others: 5, capacity: 40 } });
    assert.deepEqual([budget.spent, budget.free, budget.reserved, budget.others, budget.earlier], [20, 20, 15, 5, 0]);
    assert.ok(!('used' in budget));
  });

  it('lists sources with problems first, then by views, then by name', () => {
    const sources = [
      rowOf('idle', { nextRefreshInMs: null }),
      rowOf('few'),
      rowOf('broken', { status: 'BROKEN', nextRefreshInMs: null }),
      rowOf('many', { viewsPerMinute: 9 }),
      rowOf('earlier', { readersSee: 'earlier-version' }),
      rowOf('also few'),
      rowOf('error', { readersSee: 'error' }),
    ];
    const order = documentOf({ sources }).sources.map(({ sourceId }) => sourceId);
    assert.deepEqual(order, ['error', 'earlier', 'broken', 'many', 'also few', 'few', 'idle']);
  });

  it('shows rejected requests by code and origin, with advice', () => {
    const refusals = [
      { code: 'origin_forbidden' as const, origin: 'https://a.test', count: 3 },
      { code: 'token_invalid' as const, origin: 'none', count: 1 },
    ];
    const { refusals: counts, turnedAway } = documentOf({ refusals });
    assert.deepEqual(counts, { origin_forbidden: { 'https://a.test': 3 }, token_invalid: { none: 1 } });
    assert.match(turnedAway[0]?.advice ?? '', /^https:\/\/a\.test is not in PULSE_ALLOWED_ORIGINS/);
    assert.equal(turnedAway[1]?.advice, 'The log says what was expected of the token, and what was found.');
  });

  it('contains problem codes, but not notices', () =>
    assert.deepEqual(documentOf({ logLost: true, unreadableRows: 1 }).degraded, ['log_lost']));
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
    it(`reports what readers see: ${readersSee} ${JSON.stringify(more)}`, () =>
      assert.equal(sourceRow(rowOf('a', more as Partial<SourceRow>)).readersSee, readersSee));

  it('shows the next retry after a failure, but only if there are readers', () => {
    const failed = { lastFailure: failingWith('dns', 1, { retryInMs: 30_000 }) };
    assert.equal(sourceRow(rowOf('a', failed)).nextRefreshInMs, 30_000);
    assert.equal(sourceRow(rowOf('a', { ...failed, nextRefreshInMs: null })).nextRefreshInMs, null);
  });
});

describe('failingOf()', () => {
  const { list } = stateOf();
  const failed = (forMs: number) => ({ lastFailure: failingWith('rate_limited', forMs) });

  it('is null while the list or a source with readers can be refreshed', () => {
    assert.equal(failingOf({ ...list, ...failed(9) }, [rowOf('a')]), null);
    assert.equal(failingOf(list, [rowOf('a', failed(9))]), null);
    assert.equal(failingOf({ ...list, freshness: 'never-answered' }, []), null);
  });

  it('counts from the last success of any of them and ignores sources without readers', () => {
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

  it('is the time that the oldest chart with readers has left', () => {
    const sources = [
      rowOf('a', { ageMs: 110 }),
      rowOf('b', { ageMs: 10 }),
      rowOf('idle', { ageMs: 500, nextRefreshInMs: null }),
    ];
    assert.equal(lastMs({ sources }), 900);
    assert.equal(lastMs({ sources: sources.slice(2) }), 510);
  });

  it('is shorter while the key is rejected, and 0 without charts', () => {
    assert.equal(lastMs({ sources: [rowOf('a', { ageMs: 10 })], key: { state: 'refused', refusedForMs: 150 } }), 50);
    assert.equal(lastMs({ sources: [rowOf('a', { hasPulse: false })] }), 0);
    assert.equal(lastMs({ sources: [rowOf('a', { freshness: 'expired' })] }), 0);
  });
});
