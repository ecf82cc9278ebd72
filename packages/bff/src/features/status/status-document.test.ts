import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { downHost, freshSource, wellState } from '../../testing/bff-state.ts';
import { type BffState, chartsLastMs, type SourceRow, sourceRow } from './bff-state.ts';
import { problemsOf } from './operator-problems.ts';
import { statusDocument, statusJson } from './status-document.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const failed = { code: 'upstream_unavailable', detail: 'upstream-timeout', retryInMs: 12_000, forMs: 0 };
const idle = { nextRefreshInMs: null, viewsPerMinute: 0 };

function documentOf(changes: Partial<BffState> = {}) {
  const state = { ...wellState, ...changes };
  return statusDocument(state, problemsOf(state));
}

describe('statusDocument()', () => {
  it('lists every problem, and the code of every problem that isn’t a notice', () => {
    const { problems, degraded } = documentOf({ hosts: [downHost], unreadableRows: 2 });
    const codes = problems.map(({ code }) => code);
    assert.deepEqual([codes, degraded], [['upstream_unavailable', 'rows_unreadable'], ['upstream_unavailable']]);
  });

  it('counts rejections by code and origin, and explains each rejection', () => {
    const refusals = [
      { code: 'origin_forbidden', origin: 'https://a.test', count: 3 },
      { code: 'origin_forbidden', origin: 'null', count: 1 },
      { code: 'source_unknown', origin: 'none', count: 1, sourceId: 'src_old' },
    ];
    const document = documentOf({ refusals });
    assert.deepEqual(document.refusals, {
      origin_forbidden: { 'https://a.test': 3, null: 1 },
      source_unknown: { none: 1 },
    });
    const said = document.turnedAway.map(({ words, advice }) => `${words}: ${advice}`);
    assert.equal(
      said[0],
      'the site is not allowed: https://a.test is not in PULSE_ALLOWED_ORIGINS. If this site is yours, add it and restart.',
    );
    assert.match(said[1] ?? '', /^the site is not allowed: A page with no origin .* was refused; serve it over https:/);
    assert.equal(said[2], 'there is no such source: A page still has a card for src_old.');
  });

  for (const [changes, parts] of [
    [{ used: 34 }, [34, 15, 0, 11]],
    [{ used: 2, others: 10, capacity: 44 }, [2, 6, 10, 42]],
    [{ used: 50, left: 0, others: 10, capacity: 44 }, [50, 0, 10, 0]],
  ] as const)
    it(`splits the limit into spent, reserved, other, and free calls: ${parts.join(', ')}`, () => {
      const { spent, reserved, others, free } = documentOf({ budget: { ...wellState.budget, ...changes } }).budget;
      assert.deepEqual([spent, reserved, others, free], parts);
    });

  it('sorts by problems, then views, then names, with unread sources last', () => {
    const { sources } = documentOf({
      sources: [
        { ...freshSource, ...idle, sourceId: 'idle', readersSee: 'error' },
        { ...freshSource, sourceId: 'b', name: 'B' },
        { ...freshSource, sourceId: 'a', name: 'A' },
        { ...freshSource, sourceId: 'most', viewsPerMinute: 9 },
        { ...freshSource, sourceId: 'failing', lastFailure: failed },
        { ...freshSource, sourceId: 'stale', readersSee: 'earlier-version' },
        { ...freshSource, sourceId: 'gone', readersSee: 'error' },
        { ...freshSource, ...idle, sourceId: 'broken', status: 'BROKEN' },
      ],
    });
    const order = sources.map(({ sourceId }) => sourceId).join(' ');
    assert.equal(order, 'gone stale failing broken most a b idle');
  });

  it('is JSON with durations in whole milliseconds', () =>
    assert.equal(JSON.parse(statusJson(documentOf())).uptimeMs, 61_001));
});

describe('sourceRow()', () => {
  it('shows the next retry after a failure as the next refresh', () => {
    const nextIn = (changes: Partial<SourceRow>) => sourceRow({ ...freshSource, ...changes }, false).nextRefreshInMs;
    assert.equal(nextIn({ nextRefreshInMs: 0, lastFailure: failed }), 12_000);
    assert.equal(nextIn({ nextRefreshInMs: 0, lastFailure: { ...failed, retryInMs: 0 } }), 0);
    assert.equal(nextIn({ ...idle, lastFailure: failed }), null);
  });

  for (const [readersSee, changes, isStale] of [
    ['fresh', {}, false],
    ['fresh', { freshness: 'stale' }, false],
    ['earlier-version', { freshness: 'stale' }, true],
    ['no-chart', { hasPulse: false }, false],
    ['error', { freshness: 'expired' }, false],
    ['error', { freshness: 'never-answered', lastFailure: failed }, false],
    ['unknown', { freshness: 'never-answered', hasPulse: false, ageMs: null }, false],
  ] as const)
    it(`says that readers see ${readersSee} for ${JSON.stringify(changes)}`, () =>
      assert.equal(sourceRow({ ...freshSource, ...changes }, isStale).readersSee, readersSee));
});

describe('chartsLastMs()', () => {
  const policy = { freshForMs: 15_000, staleForMs: 24 * HOUR, authStaleForMs: 10 * MINUTE };
  const source = { ...freshSource, ageMs: 15_000 };
  const lastMs = (changes: Partial<BffState>) => chartsLastMs({ ...wellState, sources: [source], ...changes }, policy);

  it('is how much longer the oldest chart that has readers can be shown', () => {
    const unread = { ...source, ...idle, ageMs: 20 * HOUR };
    assert.equal(lastMs({ sources: [source, { ...source, ageMs: 4 * HOUR + 15_000 }, unread] }), 20 * HOUR);
    assert.equal(lastMs({ sources: [{ ...source, freshness: 'expired' }] }), 0);
  });

  it('is at most the grace period for a rejected key', () => {
    assert.equal(lastMs({ key: { state: 'refused', refusedForMs: 2 * MINUTE } }), 8 * MINUTE);
    assert.equal(lastMs({ key: { state: 'refused', refusedForMs: HOUR } }), 0);
  });
});
