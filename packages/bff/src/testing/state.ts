import type { State } from '../features/status/state.ts';
import type { SourceFacts } from '../pulses/pulses.ts';

const NO_SOURCE: Omit<SourceFacts, 'sourceId'> = {
  name: null,
  provider: null,
  status: null,
  freshness: 'fresh',
  hasPulse: true,
  isStale: false,
  ageMs: 1e3,
  lastsMs: 864e5,
  requestedAt: '2026-05-08T09:00:00.000Z',
  nextRefreshInMs: 14e3,
  viewsPerMinute: 1,
  lastFailure: null,
};

type Row = State['sources'][number];

/** A source with readers and a fresh pulse, unless `more` overrides it. */
export function rowOf(sourceId: string, more: Partial<Row> = {}): Row {
  return { ...NO_SOURCE, sourceId, readersSee: 'fresh', ...more };
}

type Host = State['hosts'][number];

/** A host that responds, unless `more` overrides this. */
export function hostOf(more: Partial<Host> = {}): Host {
  return {
    host: 'main',
    state: 'closed',
    preferred: true,
    consecutiveFailures: 0,
    openForMs: 0,
    failure: null,
    lastAnswerAt: '2026-05-08T09:00:00.000Z',
    ...more,
  };
}

/** A failure that has affected every call for a period of time. */
export function failingWith(code: NonNullable<State['failing']>['code'], forMs = 60_000, more = {}): State['failing'] {
  return { code, forMs, retryInMs: 5_000, ...more };
}

/** The state of a healthy BFF, unless `more` overrides it. */
export function stateOf(more: Partial<State> = {}): State {
  return {
    version: '0.1.0',
    at: '2026-05-08T09:00:00.000Z',
    uptimeMs: 36e5,
    stopping: false,
    ready: true,
    key: { state: 'accepted' },
    keyFile: undefined,
    keyExpiry: null,
    hosts: [hostOf()],
    failing: null,
    serviceLimit: 60,
    budget: {
      limit: 60,
      reserve: 15,
      windowMs: 6e4,
      spent: 10,
      reserved: 15,
      free: 35,
      history: [],
      left: 5,
      maxLeft: 9,
      capacity: 45,
      others: 0,
      earlier: 0,
      pausedForMs: 0,
      starting: false,
    },
    list: { ...NO_SOURCE, sourceId: '*list', hasPulse: false, nextRefreshInMs: null },
    unreadableRows: 0,
    sources: [rowOf('src_1')],
    overdue: [],
    chartsLastMs: 864e5,
    refusedCharts: [],
    redis: null,
    stateDirFault: undefined,
    alerts: { host: null, sent: 0, failure: null },
    withheld: undefined,
    logLost: false,
    isBehindUnknownProxy: false,
    warnings: [],
    lastHour: { fresh: 10, stale: 0, waited: 0, refused: 0, failed: 0 },
    images: { loaded: 0, failed: 0 },
    outcomes: {
      total: 0,
      bad: {},
      limited: 0,
    },
    refusals: {},
    turnedAway: [],
    readersToday: { since: '2026-05-08T00:00:00.000Z', sources: [] },
    ...more,
  };
}
