import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BffStatus, statusDocument, type StatusDocumentParts, statusJson } from './status-document.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const source = {
  sourceId: 'src_1',
  name: 'Q2 revenue',
  provider: 'GOOGLE',
  status: 'ACTIVE',
  freshness: 'fresh',
  hasPulse: true,
  ageMs: 12_000.4,
  requestedAt: '2026-05-08T09:04:48.000Z',
  nextRefreshInMs: 3_000,
  viewsPerMinute: 12,
  readers: 0,
  lastFailure: null,
} as const;

const host = {
  host: 'main',
  state: 'closed',
  preferred: true,
  consecutiveFailures: 0,
  lastAnswerAt: '2026-05-08T09:04:48.000Z',
  openForMs: 0,
} as const;

const core: BffStatus = {
  at: '2026-05-08T09:05:00.000Z',
  version: '1.2.3',
  uptimeMs: 61_000.7,
  stopping: false,
  redis: null,
  answers: { hit: 90 },
  ready: true,
  degraded: [],
  list: { ...source, sourceId: '*list', name: null, provider: null },
  unreadableRows: 0,
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
  refusals: {},
};

const parts: StatusDocumentParts = {
  history: [{ at: '2026-05-08T09:05:00.000Z', spent: 34 }],
  answers: { fresh: 90, stale: 0, waited: 0, refused: 1, failed: 0 },
  images: { loaded: 0, failed: 0 },
  outcomes: { total: 90, bad: {} },
  readersToday: { since: '2026-05-08T00:00:00.000Z', sources: [] },
  refusals: [{ code: 'origin_forbidden', origin: 'https://a.test', count: 1 }],
  isEarlierVersion: () => false,
  freshnessPolicy: { freshForMs: 15_000, staleForMs: 24 * HOUR, authStaleForMs: 10 * MINUTE },
};

const adviceFor = (changes: Partial<BffStatus>, more: Partial<StatusDocumentParts> = {}) =>
  statusDocument({ ...core, ...changes }, { ...parts, ...more }).summary.advice;

const down = {
  ...host,
  state: 'open',
  consecutiveFailures: 3,
  openForMs: 7_000,
  lastAnswerAt: '2026-05-08T08:59:00.000Z',
} as const;

describe('statusDocument()', () => {
  it('keeps every field of the core', () => {
    const { budget, sources, ...rest } = core;
    const { used: spent, ...facts } = budget;
    const document = statusDocument(core, parts);
    assert.deepEqual({ ...document, ...rest }, document);
    assert.deepEqual({ ...document.budget, ...facts, spent }, document.budget);
    assert.deepEqual({ ...document.sources[0], ...sources[0] }, document.sources[0]);
  });

  it('adds the budget in plain words, with its history', () => {
    const { reserved, spent, free, history } = statusDocument(core, parts).budget;
    assert.deepEqual({ reserved, spent, free, history }, { reserved: 15, spent: 34, free: 11, history: parts.history });
  });

  it('divides the whole limit into spent, reserved, others and free, however calls are paced', () => {
    for (const [changes, expected] of [
      [
        { used: 2, left: 9.4 },
        { spent: 2, reserved: 15, others: 0, free: 43 },
      ],
      [
        { used: 2, left: 9.4, others: 10, capacity: 44 },
        { spent: 2, reserved: 6, others: 10, free: 42 },
      ],
      [
        { used: 50, left: 0, others: 10, capacity: 44 },
        { spent: 50, reserved: 0, others: 10, free: 0 },
      ],
    ] as const) {
      const { spent, reserved, others, free } = statusDocument(
        { ...core, budget: { ...core.budget, ...changes } },
        parts,
      ).budget;
      assert.deepEqual({ spent, reserved, others, free }, expected);
    }
  });

  it('adds what readers got, refusals with advice, and readers of today', () => {
    const document = statusDocument(core, parts);
    assert.deepEqual(document.lastHour, parts.answers);
    assert.equal(document.turnedAway[0]?.words, 'This site is not allowed');
    assert.deepEqual(document.readersToday, parts.readersToday);
  });

  it('says how long the service has not answered, by its last answer', () =>
    assert.match(statusDocument({ ...core, hosts: [down] }, parts).summary.headline, /has not answered for 6 minutes/));

  it('says that a host answers again once its failures are over', () => {
    const hosts = [{ ...down, consecutiveFailures: 0 }, { ...host, host: 'alt' } as const];
    assert.match(adviceFor({ hosts }), /The main host answers again/);
  });

  it('counts how long charts last from the oldest one that has readers', () => {
    const sources = [
      { ...source, ageMs: 4 * HOUR },
      { ...source, sourceId: 'unread', ageMs: 20 * HOUR, nextRefreshInMs: null },
    ];
    assert.match(adviceFor({ hosts: [down], sources }), /for another 20 hours/);
  });

  it('lets charts last no longer than a refused key is forgiven', () => {
    const key = { state: 'refused', refusedForMs: 2 * MINUTE } as const;
    assert.match(adviceFor({ key }), /for another 8 minutes/);
    assert.match(adviceFor({ key: { ...key, refusedForMs: HOUR } }), /Until then readers get an error/);
  });

  it('is behind where readers are told that they see an earlier version', () => {
    const document = statusDocument(core, { ...parts, isEarlierVersion: (sourceId) => sourceId === 'src_1' });
    assert.equal(document.sources[0]?.readersSee, 'earlier-version');
    assert.match(
      document.summary.advice,
      /1 chart is a little behind and will be refreshed, the next one in 3 seconds/,
    );
  });

  it('has readers once one was answered', () => {
    const headlineFor = (changes: Partial<BffStatus>) =>
      statusDocument({ ...core, ...changes }, parts).summary.headline;
    assert.match(headlineFor({ answers: { none: 5 } }), /No reader/);
    assert.match(headlineFor({ answers: { stale: 1 } }), /Nothing to do/);
  });
});

describe('statusJson()', () => {
  it('tells durations in whole milliseconds', () => {
    const { uptimeMs, sources } = JSON.parse(statusJson(statusDocument(core, parts)));
    assert.equal(uptimeMs, 61_001);
    assert.equal(sources[0].ageMs, 12_000);
  });
});
