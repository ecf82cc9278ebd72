import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { type BffState, CallHistory, type SourceFacts, sourceRows, statusDocument, statusJson } from './status.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const source: SourceFacts = {
  sourceId: 'src_1',
  name: 'Q2 revenue',
  provider: 'GOOGLE',
  status: 'ACTIVE',
  freshness: 'fresh',
  hasPulse: true,
  isEarlierVersion: false,
  ageMs: 12_000.4,
  requestedAt: '2026-05-08T09:04:48.000Z',
  nextRefreshInMs: 3_000,
  viewsPerMinute: 2,
  lastFailure: null,
};

const host = {
  host: 'main',
  state: 'closed',
  preferred: true,
  consecutiveFailures: 0,
  lastAnswerAt: '2026-05-08T08:59:00.000Z',
  openForMs: 0,
} as const;

const state: BffState = {
  at: '2026-05-08T09:05:00.000Z',
  version: '1.2.3',
  uptimeMs: 61_000.7,
  stopping: false,
  redis: null,
  answers: { hit: 90 },
  ready: true,
  list: { ...source, sourceId: '*list', name: null, provider: null },
  unreadableRows: 0,
  stateDirFault: null,
  sources: [source],
  hosts: [host],
  budget: {
    limit: 60,
    reserve: 15,
    windowMs: 60_000,
    used: 34,
    left: 11.4,
    maxLeft: 33,
    capacity: 45,
    others: 0,
    pausedForMs: 0,
    starting: false,
  },
  key: { state: 'accepted' },
  callsInFlight: 0,
  keyExpiry: null,
  keyFile: null,
  alerts: { host: null, sent: 0, failure: null, retryInMs: 0 },
  warnings: [],
  refusals: [
    { code: 'origin_forbidden', origin: 'https://a.test', count: 3 },
    { code: 'origin_forbidden', origin: 'none', count: 1 },
  ],
  history: [{ at: '2026-05-08T09:05:00.000Z', spent: 34 }],
  lastHour: { fresh: 90, stale: 0, waited: 0, refused: 1, failed: 0 },
  images: { loaded: 0, failed: 0 },
  outcomes: { total: 90, bad: {} },
  readersToday: { since: '2026-05-08T00:00:00.000Z', sources: [] },
};

const policy = { freshForMs: 15_000, staleForMs: 24 * HOUR, authStaleForMs: 10 * MINUTE };

const documentOf = (changes: Partial<BffState> = {}) => statusDocument({ ...state, ...changes }, policy);

const outage = { hosts: [{ ...host, state: 'open', consecutiveFailures: 3, openForMs: 7_000 }] } as const;

describe('statusDocument()', () => {
  it('says how long the service has not answered, by its last answer', () =>
    assert.match(documentOf(outage).summary.headline, /has not answered for 6 minutes/));

  it('lists every problem, and their codes without those of the notices', () => {
    const { problems, degraded } = documentOf({ ...outage, unreadableRows: 2 });
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['upstream_unavailable', 'rows_unreadable'],
    );
    assert.deepEqual(degraded, ['upstream_unavailable']);
  });

  it('counts how long charts last from the oldest one that has readers', () => {
    const sources = [
      { ...source, ageMs: 4 * HOUR },
      { ...source, sourceId: 'unread', ageMs: 20 * HOUR, nextRefreshInMs: null },
    ];
    assert.match(documentOf({ ...outage, sources }).summary.advice, /for another 20 hours/);
  });

  it('lets charts last no longer than a refused key is forgiven', () => {
    const key = { state: 'refused', refusedForMs: 2 * MINUTE } as const;
    assert.match(documentOf({ key }).summary.advice, /for another 8 minutes/);
    assert.match(documentOf({ key: { ...key, refusedForMs: HOUR } }).summary.advice, /Until then readers get an error/);
  });

  it('is behind where readers are told that they see an earlier version', () => {
    const sources = [{ ...source, isEarlierVersion: true }];
    assert.match(documentOf({ sources }).summary.advice, /1 chart is a little behind/);
  });

  it('has readers once one was answered', () => {
    assert.match(documentOf({ answers: { none: 5 } }).summary.headline, /No reader/);
    assert.match(documentOf({ answers: { stale: 1 } }).summary.headline, /Nothing to do/);
  });

  it('says which sources have failed for five minutes, where others succeed and readers ask for them', () => {
    const failing = (changes: Partial<SourceFacts>, forMs = 5 * MINUTE): BffState['sources'] => [
      source,
      { ...source, name: 'Rain', lastFailure: { ...failed, forMs }, ...changes },
    ];
    assert.match(
      documentOf({ sources: failing({}) }).summary.headline,
      /^1 source has failed for 5 minutes: "Rain"\.$/,
    );
    assert.deepEqual(documentOf({ sources: failing({}, 5 * MINUTE - 1) }).problems, []);
    assert.deepEqual(documentOf({ sources: failing(idle) }).problems, []);
    assert.doesNotMatch(documentOf({ ...outage, sources: failing({}) }).summary.headline, /Rain/);
  });

  it('names the origin that is refused most often', () => {
    const outcomes = { total: 10, bad: { origin_forbidden: 4 } };
    assert.match(documentOf({ outcomes }).summary.advice, /^If https:\/\/a\.test is yours/);
  });

  it('counts refusals by code and origin, and says what each means', () => {
    const { refusals, turnedAway } = documentOf();
    assert.deepEqual(refusals, { origin_forbidden: { 'https://a.test': 3, none: 1 } });
    assert.deepEqual(turnedAway[0], {
      ...state.refusals[0],
      words: 'the site is not allowed',
      advice: 'If https://a.test is yours, add it to PULSE_ALLOWED_ORIGINS and restart.',
    });
  });

  it('divides the whole limit into spent, reserved, others and free, however calls are paced', () => {
    for (const [changes, expected] of [
      [{ used: 34 }, { spent: 34, reserved: 15, others: 0, free: 11 }],
      [
        { used: 2, others: 10, capacity: 44 },
        { spent: 2, reserved: 6, others: 10, free: 42 },
      ],
      [
        { used: 50, left: 0, others: 10, capacity: 44 },
        { spent: 50, reserved: 0, others: 10, free: 0 },
      ],
    ] as const) {
      const { spent, reserved, others, free } = documentOf({ budget: { ...state.budget, ...changes } }).budget;
      assert.deepEqual({ spent, reserved, others, free }, expected);
    }
  });

  it('is JSON with durations in whole milliseconds', () => {
    const { uptimeMs, sources } = JSON.parse(statusJson(documentOf()));
    assert.deepEqual([uptimeMs, sources[0].ageMs], [61_001, 12_000]);
  });
});

const failed = { code: 'upstream_unavailable', detail: 'upstream-timeout', retryInMs: 12_000, forMs: 0 };
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

  for (const [changes, reason, freeCalls] of [
    [{ viewsPerMinute: 14 }, 'most_readers', 10],
    [{ viewsPerMinute: 4.9 }, 'many_readers', 10],
    [{}, 'few_readers', 10],
    [{ viewsPerMinute: 0.4 }, 'hardly_any_readers', 10],
    [idle, 'nobody_looks', 10],
    [{ lastFailure: failed }, 'failed', 10],
    [{ lastFailure: { ...failed, retryInMs: 0 } }, 'few_readers', 10],
    [{ freshness: 'stale', nextRefreshInMs: 0 }, 'waiting_for_calls', 0],
    [{ freshness: 'stale', nextRefreshInMs: 0 }, 'few_readers', 1],
  ] as const) {
    it(`has the reason ${reason} for ${JSON.stringify(changes)} with ${freeCalls} free calls`, () =>
      assert.equal(rowOf(changes, freeCalls).reason, reason));
  }

  it('puts problems first, then views, then names, and what nobody looks at last', () => {
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
});

describe('CallHistory', () => {
  it('reads the calls at the start and every 15 seconds, and holds the last 30 minutes', async () => {
    const clock = createVirtualClock();
    let reads = 0;
    const history = new CallHistory(clock, () => (reads += 1));
    await clock.advance(15_000);
    assert.deepEqual(history.points(), [
      { at: '2026-05-08T09:00:00.000Z', spent: 1 },
      { at: '2026-05-08T09:00:15.000Z', spent: 2 },
    ]);
    await clock.advance(HOUR - 15_000);
    const points = history.points();
    assert.deepEqual(
      [points.length, points[0]?.at, points.at(-1)?.at],
      [121, '2026-05-08T09:30:00.000Z', '2026-05-08T10:00:00.000Z'],
    );
    history.close();
    assert.equal(clock.pending(), 0);
  });
});
