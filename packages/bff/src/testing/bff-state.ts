import type { BffState, SourceRow } from '../features/status/bff-state.ts';

/** A fresh source with readers. */
export const freshSource: SourceRow = {
  sourceId: 'src_1',
  name: 'Q2 revenue',
  provider: 'GOOGLE',
  status: 'ACTIVE',
  freshness: 'fresh',
  hasPulse: true,
  readersSee: 'fresh',
  ageMs: 58_000.4,
  requestedAt: '2026-05-08T09:04:02.000Z',
  nextRefreshInMs: 3_000,
  viewsPerMinute: 2,
  lastFailure: null,
};

/** A host that works. Its last answer arrived 6 minutes ago. */
export const wellHost = {
  host: 'main',
  state: 'closed',
  preferred: true,
  consecutiveFailures: 0,
  lastAnswerAt: '2026-05-08T08:59:00.000Z',
  openForMs: 0,
  failure: null,
} as const;

/** A host that does not answer. */
export const downHost = {
  ...wellHost,
  state: 'open',
  consecutiveFailures: 3,
  openForMs: 16_000,
  failure: { kind: 'unreachable', layer: 'connection' },
} as const;

/** A Redis through which instances share the budget. */
export const joinedRedis: NonNullable<BffState['redis']> = {
  state: 'joined',
  fault: undefined,
  advice: undefined,
  share: 2,
  lostForMs: 0,
  losses: 0,
  evictionPolicy: 'noeviction',
};

/** The state of a BFF with one source and no problem. */
export const wellState: BffState = {
  at: '2026-05-08T09:05:00.000Z',
  version: '1.2.3',
  uptimeMs: 61_000.7,
  stopping: false,
  ready: true,
  key: { state: 'accepted' },
  list: { ...freshSource, sourceId: '*list', name: null, provider: null },
  unreadableRows: 0,
  sources: [freshSource],
  chartsLastMs: 23 * 3_600_000,
  hosts: [wellHost],
  budget: {
    limit: 60,
    reserve: 15,
    windowMs: 60_000,
    used: 34,
    left: 11.4,
    maxLeft: 33,
    capacity: 45,
    others: 0,
    earlier: 0,
    pausedForMs: 0,
    starting: false,
  },
  callsInFlight: 0,
  warnings: [],
  answers: { hit: 90 },
  lastHour: { fresh: 90, stale: 0, waited: 0, refused: 1, failed: 0 },
  images: { loaded: 20, failed: 0 },
  outcomes: { total: 100, bad: {}, limited: 0 },
  refusals: [],
  readersToday: { since: '2026-05-08T00:00:00.000Z', sources: [] },
  history: [{ at: '2026-05-08T09:05:00.000Z', spent: 34 }],
  redis: null,
};
