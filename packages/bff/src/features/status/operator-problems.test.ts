import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallFailure } from '../../upstream/classify-response.ts';
import { downHost, freshSource, joinedRedis, wellHost, wellState } from '../../testing/bff-state.ts';
import { problemsOf, summaryOf } from './operator-problems.ts';
import { UNTRUSTED_PROXY } from './proxy-watch.ts';
import type { BffState, SourceRow } from './bff-state.ts';

const alt = { ...wellHost, host: 'alt', preferred: false } as const;

const lost = { ...joinedRedis, state: 'lost', fault: 'timeout', advice: 'check its load', lostForMs: 120_000 } as const;

const budget = (changes: Partial<BffState['budget']>) => ({ budget: { ...wellState.budget, ...changes } });

const emptyRedis = { uptimeMs: 3_600_000, redis: joinedRedis, ...budget({ capacity: 2, starting: true }) };

const outcomes = (total: number, bad: Record<string, number>, limited = 0) => ({ outcomes: { total, bad, limited } });

function failingSource(name: string | null, forMs: number): SourceRow {
  const lastFailure = { code: 'upstream_unavailable', detail: 'upstream-error', retryInMs: 0, forMs };
  return { ...freshSource, sourceId: 'src_x', name, lastFailure };
}

/** Sources whose readers see `readersSee`. */
function sourcesSeenAs(readersSee: SourceRow['readersSee'], count: number): SourceRow[] {
  return Array.from({ length: count }, () => ({ ...freshSource, readersSee }));
}

const lacksScope = { key: { state: 'refused', missingScope: 'pulses:read' } } as const;

const neverAnswered: Partial<BffState> = {
  hosts: [downHost, alt].map((host) => ({ ...host, state: 'half-open', lastAnswerAt: null })),
  chartsLastMs: 0,
};

const justStarted = outcomes(100, { upstream_rate_limited: 20 });

/** The only host fails with `failure`. */
const failsWith = (failure: CallFailure) => ({ hosts: [{ ...downHost, failure }] });

const lastFailed = {
  hosts: [{ ...wellHost, state: 'degraded', failure: { kind: 'server-error', status: 500 } }],
} as const;

const spent = { ...budget({ left: 0 }), sources: sourcesSeenAs('earlier-version', 3) };

/**
 * Each row has the condition for one problem, its level and code, and its computed words. The most serious problem is
 * first.
 */
const CASES: readonly (readonly [circumstance: string, facts: Partial<BffState>, problem: string, words?: RegExp])[] = [
  ['the server is stopping', { stopping: true }, 'degraded: stopping'],
  ['the key is refused', { key: { state: 'refused' }, chartsLastMs: 480_000 }, 'down: upstream_auth', /8 minutes\.$/],
  ['the key lacks a scope', lacksScope, 'down: upstream_auth', /lacks the scope pulses:read\./],
  ['the service is down', { hosts: [downHost] }, 'down: upstream_unavailable', /for 6 minutes\. .* another 23 hours\./],
  [
    'the service returns 500',
    failsWith({ kind: 'server-error', status: 500 }),
    'down: upstream_unavailable',
    /^The service has answered with a server error \(500\) for 6 minutes\. .* status page/,
  ],
  [
    'a proxy returns 401',
    failsWith({ kind: 'intermediary-error', status: 401 }),
    'down: upstream_unavailable',
    /^Something other than the service has answered its calls with 401 for 6 minutes\. .* Check PULSE_BASE_URL/,
  ],
  [
    'the service’s address answers with HTML',
    failsWith({ kind: 'invalid', reason: 'content type' }),
    'down: upstream_unavailable',
    /has been returning a page that is not JSON for 6 minutes\. .* login page/,
  ],
  [
    'the host name of the service can’t be resolved',
    failsWith({ kind: 'unreachable', layer: 'DNS' }),
    'down: upstream_unavailable',
    /has not answered for 6 minutes\. .*\(DNS\)\.$/,
  ],
  ['no host ever answered', neverAnswered, 'down: upstream_unavailable', /server started\. Readers get an error/],
  ['Redis was emptied', { ...emptyRedis, ready: false }, 'degraded: budget_unknown', /at most 2 calls per window/],
  [
    'charts are old because Redis was emptied',
    { ...emptyRedis, sources: [{ ...freshSource, freshness: 'stale' }] },
    'degraded: budget_unknown',
    /because it is new or was emptied, or the key is new\. Charts get older until then\. This takes 1 minute\./,
  ],
  [
    'most readers are refused because TRUST_PROXY does not include the proxy',
    { ...outcomes(4, {}, 96), warnings: [UNTRUSTED_PROXY] },
    'degraded: clients_limited',
    /^96% of .* too many requests come from one address \(rate_limited\)\. Set TRUST_PROXY to/,
  ],
  [
    '1,000 sources are requested together',
    { ...outcomes(1_000, { upstream_rate_limited: 900 }), sources: sourcesSeenAs('unknown', 900) },
    'down: readers_without_chart',
    /900 charts are not loaded yet; with 45 calls per window, loading them takes about 20 minutes\./,
  ],
  [
    'all charts have been loaded by now',
    justStarted,
    'degraded: readers_without_chart',
    /All charts .* are now loaded\./,
  ],
  ['the last call failed', lastFailed, 'degraded: upstream_failing', /^The last call .* failed: it returned 500\./],
  ['the first answer has been missing for more than a minute', { ready: false }, 'degraded: starting'],
  ['the first answer hasn’t arrived yet', { ready: false, uptimeMs: 59_000 }, 'notice: starting'],
  ['Redis is lost', { redis: lost }, 'degraded: redis_lost', /unavailable for 2 minutes .*, check its load\.$/],
  [
    'the service refuses calls for a while',
    budget({ pausedForMs: 20_000 }),
    'degraded: upstream_rate_limited',
    // The headline has no time, because it is also used after "Over:", when no time is left.
    /^The service allows no more calls for now\. Readers keep the last charts\. Calls resume automatically in 20 seconds\./,
  ],
  [
    'others use the key',
    budget({ others: 42, capacity: 12 }),
    'degraded: other_users',
    /leaves 12 calls of 45 for charts/,
  ],
  [
    'the limit is lower than PULSE_RATE_LIMIT',
    budget({ capacity: 15 }),
    'degraded: lower_limit',
    /leaves 15 of 45 for charts/,
  ],
  [
    'no call is left and charts are out of date',
    spent,
    'degraded: budget_spent',
    // The headline says "at the moment", because the window can still have calls left, which are sent one by one.
    /^No call is left at the moment, and 3 charts are behind\./,
  ],
  ['pictures fail', { images: { loaded: 1, failed: 4 } }, 'degraded: images_failing'],
  [
    'one of two hosts does not answer',
    { hosts: [downHost, alt] },
    'degraded: host_down',
    /^The main host fails: it could not be reached \(connection\)\. The second/,
  ],
  [
    'calls for sources fail while others succeed',
    { sources: ['A', 'B', null, 'D'].map((name, at) => failingSource(name, (at + 5) * 60_000)) },
    'degraded: sources_failing',
    /^4 sources have failed for 8 minutes: "A", "B", "src_x" and 1 more\./,
  ],
  ['Redis may drop values', { redis: { ...joinedRedis, evictionPolicy: 'allkeys-lru' } }, 'degraded: redis_evicts'],
  ['a row of the list cannot be read', { unreadableRows: 1 }, 'notice: rows_unreadable', /^1 row .* is left out\./],
];

const named = ({ level, code }: { readonly level: string; readonly code: string }) => `${level}: ${code}`;

describe('problemsOf()', () => {
  it('rounds less than a second up to 1 second', () => {
    const [problem] = problemsOf({ ...wellState, redis: { ...lost, lostForMs: 300 } });
    assert.match(problem?.headline ?? '', /^Redis has been unavailable for 1 second /);
  });

  for (const [circumstance, facts, problem, words = /^[A-Z].*\.$/] of CASES)
    it(`reports a problem if ${circumstance}`, () => {
      const found = problemsOf({ ...wellState, ...facts });
      assert.deepEqual(found.map(named), [problem]);
      assert.match(`${found[0]?.headline} ${found[0]?.advice}`, words);
    });

  for (const [what, name, headline] of [
    ['its name', 'Q2 revenue', 'The source "Q2 revenue" needs reconnection: it gets no new charts.'],
    ['its id if it has no name', null, 'The source "src_1" needs reconnection: it gets no new charts.'],
    ['a truncated name', 'é'.repeat(200), `The source "${'é'.repeat(79)}…" needs reconnection: it gets no new charts.`],
  ] as const)
    it(`names a BROKEN source by ${what}`, () => {
      const [problem] = problemsOf({ ...wellState, sources: [{ ...freshSource, name, status: 'BROKEN' }] });
      assert.deepEqual([problem?.sourceId, problem?.headline], ['src_1', headline]);
    });

  it('reports only the lost Redis if few calls are left because of it', () => {
    const found = problemsOf({
      ...wellState,
      ...spent,
      redis: lost,
      ready: false,
      ...budget({ left: 0, capacity: 2 }),
    });
    assert.deepEqual(found.map(named), ['degraded: starting', 'degraded: redis_lost']);
  });

  it('reports only the pause after a 429, not the outdated charts that it causes', () => {
    const found = problemsOf({ ...wellState, ...spent, ...budget({ left: 0, pausedForMs: 9_000 }) });
    assert.deepEqual(found.map(named), ['degraded: upstream_rate_limited']);
  });

  it('advises a higher limit while Redis is lost only if readers often get no chart', () => {
    const [problem] = problemsOf({ ...wellState, ...outcomes(10, { upstream_rate_limited: 9 }), redis: lost });
    assert.match(problem?.advice ?? '', /now loaded\. If this happens often, ask for a higher limit/);
  });

  for (const [circumstance, facts] of [
    ['everything works', {}],
    ['no call is left, but all charts are up to date', budget({ left: 0 })],
    ['charts are out of date while the budget isn’t known yet', { ...spent, ...budget({ left: 0, starting: true }) }],
    ['others use no more than their reserve', budget({ others: 12, capacity: 42 })],
    ['an empty Redis delays calls, but all charts that have readers are cached', emptyRedis],
    ['Redis does not say whether it drops values', { redis: { ...joinedRedis, evictionPolicy: null } }],
    ['one picture of many has failed', { images: { loaded: 40, failed: 1 } }],
    ['5% of the readers get no chart', outcomes(100, { internal: 5 })],
    ['two of two readers get no chart', outcomes(2, { internal: 2 })],
    ['other sites are refused, with no proxy in front', outcomes(100, {}, 900)],
    ['5% of the readers behind an unknown proxy are refused', { ...outcomes(95, {}, 5), warnings: [UNTRUSTED_PROXY] }],
    ['calls from before a restart count', budget({ earlier: 40, capacity: 14 })],
    ['calls for a source fail for less than five minutes', { sources: [failingSource('A', 299_999)] }],
    [
      'calls for a source that has no readers fail',
      { sources: [{ ...failingSource('A', 300_000), nextRefreshInMs: null }] },
    ],
  ] as const satisfies readonly (readonly [string, Partial<BffState>])[])
    it(`returns no problem if ${circumstance}`, () => assert.deepEqual(problemsOf({ ...wellState, ...facts }), []));

  it('starts with the most serious problem', () => {
    const all = CASES.map(([, , problem]) => problem.split(': ')[1]);
    const facts = Object.assign({}, wellState, ...CASES.map(([, facts]) => facts)) as BffState;
    const found = problemsOf({ ...facts, hosts: [downHost] }).map(({ code }) => code);
    assert.ok(found.length > 6);
    assert.deepEqual(
      found,
      [...new Set(all)].filter((code) => found.includes(code ?? '')),
    );
  });
});

const summaryFor = (facts: Partial<BffState>) => {
  const state = { ...wellState, ...facts };
  return summaryOf(problemsOf(state), state);
};

describe('summaryOf()', () => {
  it('doesn’t warn at the first start', () => {
    const first = { ready: false, uptimeMs: 3_000, sources: [] };
    for (const [facts, headline] of [
      [first, 'There is nothing to serve until the service answers.'],
      [{ ...emptyRedis, ...first }, /^Redis has no record of the calls in the last window/],
    ] as const) {
      const summary = summaryFor(facts);
      assert.equal(summary.level, 'ok');
      assert.match(summary.headline, new RegExp(headline));
    }
  });

  for (const facts of [{ key: { state: 'refused' } }, { hosts: [downHost] }] as const satisfies Partial<BffState>[])
    it(`reports only the problem that prevents the start: ${Object.keys(facts)[0]}`, () =>
      assert.equal(problemsOf({ ...wellState, ready: false, ...facts }).length, 1));

  it('is the most serious problem', () => {
    const { level, headline } = summaryFor({ redis: lost, images: { loaded: 0, failed: 1 } });
    assert.deepEqual([level, headline.slice(0, 26)], ['degraded', 'Redis has been unavailable']);
  });

  it('says that everything works, and how old the charts are, despite notices', () =>
    assert.deepEqual(summaryFor({ unreadableRows: 1 }), {
      level: 'ok',
      headline: 'All is well. Nothing to do.',
      advice: 'Readers get charts no older than 58 seconds.',
    }));

  it('names sources that need attention, and doesn’t say that everything works', () => {
    const sources = [{ ...freshSource, status: 'BROKEN' }];
    const { level, headline } = summaryFor({ sources });
    assert.deepEqual([level, headline], ['ok', 'Readers get their charts. 1 source needs attention.']);
  });

  it('counts charts that are too old or were never loaded', () => {
    const sources = (['earlier-version', 'unknown', 'error'] as const).flatMap((seen) => sourcesSeenAs(seen, 1));
    assert.match(
      summaryFor({ sources }).advice,
      / 1 chart is a little behind and will be refreshed\. 2 charts are not loaded yet\.$/,
    );
  });

  it('says what to do first if no reader has requested a chart yet', () => {
    const { headline, advice } = summaryFor({ answers: { none: 5 } });
    assert.equal(headline, 'All is well. No reader has asked for a chart yet.');
    assert.equal(advice, 'Get the snippet for a chart in the Studio, and put it on a page.');
  });
});
