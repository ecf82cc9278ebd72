import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { downHost, freshSource, wellHost, wellState } from '../testing/bff-state.ts';
import { type Problem, problems, summaryOf, UNTRUSTED_PROXY } from './problems.ts';
import type { BffState, SourceRow } from './state.ts';

const alt = { ...wellHost, host: 'alt', preferred: false } as const;

const joined = {
  state: 'joined',
  fault: undefined,
  advice: undefined,
  share: 2,
  lostForMs: 0,
  losses: 0,
  evictionPolicy: 'noeviction',
} as const;

function failingSource(name: string | null, forMs: number): SourceRow {
  const lastFailure = { code: 'upstream_unavailable', detail: 'upstream-error', retryInMs: 0, forMs };
  return { ...freshSource, sourceId: 'src_x', name, lastFailure };
}

/** Sources of which readers see this. */
function sourcesSeenAs(readersSee: SourceRow['readersSee'], count: number): SourceRow[] {
  return Array.from({ length: count }, () => ({ ...freshSource, readersSee }));
}

/** A problem each, the most serious first: what is the case, its code and level, and the words that are computed. */
const CASES: readonly (readonly [
  circumstance: string,
  facts: Partial<BffState>,
  code: string,
  level: Problem['level'],
  words?: RegExp,
])[] = [
  ['the server is stopping', { stopping: true }, 'stopping', 'degraded'],
  [
    'the key is refused',
    { key: { state: 'refused' }, chartsLastMs: 480_000 },
    'upstream_auth',
    'down',
    /^The service refuses the API key\. Make a new key .* The last charts can be shown for another 8 minutes\.$/,
  ],
  [
    'the key lacks a scope',
    { key: { state: 'refused', missingScope: 'pulses:read' }, chartsLastMs: 0 },
    'upstream_auth',
    'down',
    /lacks the scope pulses:read\. Give the key the scope pulses:read.* Until then readers get an error\.$/,
  ],
  [
    'the service does not answer',
    { hosts: [downHost] },
    'upstream_unavailable',
    'down',
    /not answered for 6 minutes\. Readers keep the last charts\. The last charts can be shown for another 23 hours\./,
  ],
  [
    'neither host has ever answered',
    { hosts: [downHost, alt].map((host) => ({ ...host, state: 'half-open', lastAnswerAt: null })), chartsLastMs: 0 },
    'upstream_unavailable',
    'down',
    /since this server started\. Readers get an error\. .* Look at PULSE_BASE_URL/,
  ],
  [
    'Redis is empty, so that nobody knows the calls of the last window',
    {
      redis: joined,
      budget: { ...wellState.budget, capacity: 2, starting: true },
      ready: false,
      outcomes: { total: 9, bad: { upstream_rate_limited: 9 } },
    },
    'budget_unknown',
    'degraded',
    /takes 1 minute with an empty Redis, and 2 minutes after .* at most 2 calls a window\.$/,
  ],
  [
    'most readers are refused because TRUST_PROXY does not name the proxy',
    { outcomes: { total: 100, bad: { rate_limited: 96 } }, warnings: [UNTRUSTED_PROXY] },
    'readers_without_chart',
    'down',
    /^96 % of .* because too many requests come from one address \(rate_limited\)\. Set TRUST_PROXY=1/,
  ],
  [
    'a page is not allowed',
    {
      outcomes: { total: 100, bad: { rate_limited: 2, origin_forbidden: 8 } },
      refusals: [
        { code: 'origin_forbidden', origin: 'null', count: 9 },
        { code: 'origin_forbidden', origin: 'https://www.site.test', count: 3 },
      ],
    },
    'readers_without_chart',
    'degraded',
    /^10 % of .* \(origin_forbidden\)\. https:\/\/www\.site\.test is not in PULSE_ALLOWED_ORIGINS; add it and restart\.$/,
  ],
  [
    '1,000 sources are asked for at once',
    { outcomes: { total: 1_000, bad: { upstream_rate_limited: 900 } }, sources: sourcesSeenAs('unknown', 900) },
    'readers_without_chart',
    'down',
    /900 charts are not there yet; with 45 calls a window that takes about 20 minutes\. Ask for a higher limit/,
  ],
  [
    'all sources that were asked for have a chart by now',
    { outcomes: { total: 100, bad: { upstream_rate_limited: 20 } } },
    'readers_without_chart',
    'degraded',
    /All charts with readers are there now\./,
  ],
  ['the last call failed', { hosts: [{ ...wellHost, state: 'degraded' }] }, 'upstream_failing', 'degraded'],
  ['a new key is refused', { keyFile: { state: 'refused', takenOver: 0 } }, 'key_file_refused', 'degraded'],
  [
    'the key file is gone',
    { keyFile: { state: 'missing', takenOver: 0 } },
    'key_file_unusable',
    'degraded',
    /is missing/,
  ],
  ['the first answer is awaited', { ready: false }, 'starting', 'degraded'],
  [
    'the key ends soon',
    { keyExpiry: { day: '2026-12-07', inDays: 15, isGuess: false } },
    'key_ends',
    'degraded',
    /^The API key ends on 2026-12-07, in 15 days\./,
  ],
  [
    'Redis is lost',
    { redis: { ...joined, state: 'lost', fault: 'timeout', advice: 'check its load', share: 1, lostForMs: 120_000 } },
    'redis_lost',
    'degraded',
    /lost for 2 minutes \(REDIS_URL: timeout\)\. Readers still get charts\. .* 1 call a window.*, check its load\.$/,
  ],
  [
    'the service wants no calls',
    { budget: { ...wellState.budget, left: 0, pausedForMs: 20_000 } },
    'upstream_rate_limited',
    'degraded',
    /no more calls for 20 seconds\./,
  ],
  [
    'others use the key',
    { budget: { ...wellState.budget, others: 42, capacity: 12 } },
    'other_users',
    'degraded',
    /12 calls of 45 left for charts\./,
  ],
  [
    'the service allows fewer calls than PULSE_RATE_LIMIT says',
    { budget: { ...wellState.budget, others: 2, capacity: 15 } },
    'lower_limit',
    'degraded',
    /15 of 45 left for charts\./,
  ],
  [
    'all calls are spent and charts are behind',
    { budget: { ...wellState.budget, left: 0 }, sources: sourcesSeenAs('earlier-version', 3) },
    'budget_spent',
    'degraded',
    /3 charts are behind\./,
  ],
  ['pictures fail', { images: { loaded: 1, failed: 4 } }, 'images_failing', 'degraded'],
  ['one of two hosts does not answer', { hosts: [downHost, alt] }, 'host_down', 'degraded', /^The main host .* second/],
  [
    'calls about sources fail while others succeed',
    { sources: ['A', 'B', null, 'D'].map((name, at) => failingSource(name, (at + 5) * 60_000)) },
    'sources_failing',
    'degraded',
    /^4 sources have failed for 8 minutes: "A", "B", "src_x" and 1 more\./,
  ],
  ['the disk is full', { stateDirFault: 'ENOSPC' }, 'state_dir_unwritable', 'degraded', /\(ENOSPC\)/],
  [
    'Redis may drop values',
    { redis: { ...joined, evictionPolicy: 'allkeys-lru' } },
    'redis_evicts',
    'degraded',
    /maxmemory-policy is allkeys-lru\./,
  ],
  ['a row of the list cannot be read', { unreadableRows: 1 }, 'rows_unreadable', 'notice', /^1 row .* is left out\./],
];

describe('problems()', () => {
  for (const [circumstance, facts, code, level, words = /^[A-Z].*\.$/] of CASES) {
    it(`says so where ${circumstance}`, () => {
      const [problem, ...others] = problems({ ...wellState, ...facts });
      assert.deepEqual([problem?.code, problem?.level, others], [code, level, []]);
      assert.match(`${problem?.headline} ${problem?.advice}`, words);
    });
  }

  it('names each BROKEN source, by its id where it has no name', () => {
    const sources: SourceRow[] = [
      { ...freshSource, status: 'BROKEN' },
      { ...freshSource, sourceId: 'src_2', name: null, status: 'BROKEN' },
    ];
    assert.deepEqual(
      problems({ ...wellState, sources }).map(({ headline, sourceId }) => [sourceId, headline]),
      [
        ['src_1', 'The source "Q2 revenue" is BROKEN: it gets no new charts.'],
        ['src_2', 'The source "src_2" is BROKEN: it gets no new charts.'],
      ],
    );
  });

  it('blame the loss of Redis alone for the few calls that are left without it', () => {
    const redis = { ...joined, state: 'lost', fault: 'timeout', advice: 'check its load', lostForMs: 2_000 } as const;
    const facts = { ...wellState, redis, ready: false, budget: { ...wellState.budget, capacity: 2 } };
    assert.deepEqual(
      problems(facts).map(({ headline }) => headline),
      [
        'There is nothing to serve until the service answers.',
        'Redis has been lost for 2 seconds (REDIS_URL: timeout).',
      ],
    );
  });

  it('cut a long name', () => {
    const sources: SourceRow[] = [{ ...freshSource, name: 'é'.repeat(200), status: 'BROKEN' }];
    assert.match(problems({ ...wellState, sources })[0]?.headline ?? '', /"é{79}…"/);
  });

  for (const [circumstance, facts] of [
    ['all is well', {}],
    ['all calls are spent as long as no chart is behind', { budget: { ...wellState.budget, left: 0 } }],
    ['others use no more than their reserve', { budget: { ...wellState.budget, others: 12, capacity: 42 } }],
    [
      'an empty Redis delays calls, but all charts with readers are there',
      { redis: joined, budget: { ...wellState.budget, capacity: 2, starting: true } },
    ],
    ['Redis drops no values', { redis: joined }],
    ['Redis does not say whether it drops values', { redis: { ...joined, evictionPolicy: null } }],
    ['one picture of many has failed', { images: { loaded: 40, failed: 1 } }],
    ['5 % of the readers are refused', { outcomes: { total: 100, bad: { rate_limited: 5 } } }],
    ['two of two readers are refused', { outcomes: { total: 2, bad: { rate_limited: 2 } } }],
    ['the key ends in more than 15 days', { keyExpiry: { day: '2026-12-08', inDays: 16, isGuess: false } }],
    ['a key file was not used yet', { keyFile: { state: 'untried', takenOver: 0 } }],
    ['calls about a source fail for less than five minutes', { sources: [failingSource('A', 299_999)] }],
    [
      'calls about a source fail that nobody reads',
      { sources: [{ ...failingSource('A', 300_000), nextRefreshInMs: null }] },
    ],
  ] as const satisfies readonly (readonly [string, Partial<BffState>])[])
    it(`are none where ${circumstance}`, () => assert.deepEqual(problems({ ...wellState, ...facts }), []));

  it('come the most serious first', () => {
    const codes = CASES.map(([, , code]) => code);
    const facts = Object.assign({}, wellState, ...CASES.map(([, facts]) => facts)) as BffState;
    const found = problems({ ...facts, hosts: [downHost] }).map(({ code }) => code);
    assert.deepEqual(
      found,
      [...new Set(codes)].filter((code) => found.includes(code)),
    );
    assert.deepEqual(found.slice(0, 4), ['stopping', 'upstream_auth', 'upstream_unavailable', 'readers_without_chart']);
  });
});

describe('summaryOf()', () => {
  const summaryFor = (facts: Partial<BffState>) => {
    const state = { ...wellState, ...facts };
    return summaryOf(problems(state), state);
  };

  it('is the most serious problem', () =>
    assert.deepEqual(summaryFor({ ready: false, keyFile: { state: 'missing', takenOver: 0 } }), {
      level: 'degraded',
      headline: 'The key file is missing. The last key stays in use.',
      advice:
        'Write one line of 8 to 256 visible ASCII characters to the file of PULSE_API_KEY_FILE: a restart would fail.',
    }));

  for (const [circumstance, facts, headline, advice] of [
    ['all is fresh', {}, 'All is well. Nothing to do.', 'Readers get charts no older than 58 seconds.'],
    [
      'there is a notice',
      { unreadableRows: 1 },
      'All is well. Nothing to do.',
      'Readers get charts no older than 58 seconds.',
    ],
    [
      'some charts are older than they should be, or were never had',
      {
        sources: [...sourcesSeenAs('earlier-version', 1), ...sourcesSeenAs('unknown', 1), ...sourcesSeenAs('error', 1)],
      },
      'All is well. Nothing to do.',
      'Readers get charts no older than 58 seconds. 1 chart is a little behind and will be refreshed. 2 charts are not there yet.',
    ],
    [
      'no reader was answered yet',
      { answers: { none: 5 } },
      'All is well. No reader has asked for a chart yet.',
      'Get the snippet of a chart in the Studio and put it on a page.',
    ],
  ] as const satisfies readonly (readonly [string, Partial<BffState>, string, string])[])
    it(`is that all is well where ${circumstance}`, () =>
      assert.deepEqual(summaryFor(facts), { level: 'ok', headline, advice }));
});
