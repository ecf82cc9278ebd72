import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BffStatus } from './bff-status.ts';
import { statusPage, statusPagePolicy } from './status-page.ts';
import { durationWords, escapeHtml } from './status-format.ts';

const source = {
  sourceId: 'src_1',
  freshness: 'stale',
  hasPulse: true,
  ageMs: 42_000,
  requestedAt: '2026-05-08T09:00:00.000Z',
  nextRefreshInMs: 3_000,
  why: 'worth 1.0 of 0.5 reader-seconds',
  viewsPerMinute: 12.34,
  readers: 0,
  lastFailure: { code: 'upstream_unavailable', detail: '<timed-out>', retryInMs: 4_000 },
} as const;

const host = { state: 'closed', preferred: true, consecutiveFailures: 0, lastAnswerAt: null, openForMs: 0 } as const;

const status: BffStatus = {
  at: '2026-05-08T09:05:00.000Z',
  uptimeMs: 61_000,
  stopping: false,
  redis: null,
  answers: { hit: 90, stale: 9, miss: 1, none: 5 },
  priceSeconds: 0.5,
  ready: true,
  degraded: [],
  list: { ...source, sourceId: '*list', lastFailure: null },
  unreadableRows: 0,
  sources: [source],
  hosts: [
    { host: 'main', ...host },
    { host: 'alt', ...host, state: 'open', preferred: false, openForMs: 15_000 },
  ],
  budget: {
    limit: 60,
    reserve: 15,
    windowMs: 60_000,
    used: 12,
    left: 33,
    maxLeft: 33,
    capacity: 45,
    others: 0,
    pausedForMs: 0,
    starting: false,
  },
  key: { state: 'accepted' },
  callsInFlight: 0,
  warnings: [],
  refusals: {},
  live: { connections: 3, events: 1_200, cut: 1, refused: { client: 2, total: 0, stopping: 0 } },
};

describe('statusPage()', () => {
  it('says in words how all of it stands', () => {
    const page = statusPage(status);
    for (const words of [
      'All well',
      '12 <small>of 60 in 60 s',
      '99.0 %',
      'open, 15 s more',
      '3 <small>streams open',
      'src_1',
      '42 s',
      'in 3 s',
    ]) {
      assert.ok(page.includes(words), words);
    }
  });

  for (const [changes, words] of [
    [{ degraded: ['upstream_auth'] }, 'Key refused'],
    [{ degraded: ['upstream_unavailable'] }, 'Degraded'],
    [{ ready: false }, 'Starting'],
    [{ stopping: true }, 'Stopping'],
  ] as const) {
    it(`says "${words}" where that is so`, () =>
      assert.match(statusPage({ ...status, ...changes }), new RegExp(words)));
  }

  it('lets no text become markup', () => assert.ok(statusPage(status).includes('&#60;timed-out&#62;')));

  it('may run and load what it is made of alone', () => {
    assert.match(statusPagePolicy, /^default-src 'none'; /);
    assert.doesNotMatch(statusPagePolicy, /unsafe/);
  });
});

describe('escapeHtml()', () => {
  it('leaves nothing that HTML reads', () =>
    assert.equal(escapeHtml(`<a b="c">&'`), '&#60;a b=&#34;c&#34;&#62;&#38;&#39;'));
});

describe('durationWords()', () => {
  for (const [ms, words] of [
    [null, '–'],
    [250, '250 ms'],
    [59_400, '59 s'],
    [180_000, '3 min'],
    [7_200_000, '2 h'],
    [259_200_000, '3 d'],
  ] as const) {
    it(`says ${words}`, () => assert.equal(durationWords(ms), words));
  }
});
