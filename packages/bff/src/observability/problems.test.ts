import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { downHost, freshSource, wellHost, wellState } from '../testing/bff-state.ts';
import { problems, summaryOf, UNTRUSTED_PROXY } from './problems.ts';
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

type Case = readonly [
  circumstance: string,
  facts: Partial<BffState>,
  code: string,
  level: string,
  headline: string,
  advice: string,
];

/** One problem each, the most serious first. */
const CASES: readonly Case[] = [
  [
    'the server is stopping',
    { stopping: true },
    'stopping',
    'degraded',
    'This server is stopping.',
    'Requests in flight are answered; /readyz sends new readers elsewhere.',
  ],
  [
    'the key is refused',
    { key: { state: 'refused' }, chartsLastMs: 480_000 },
    'upstream_auth',
    'down',
    'The service refuses the API key.',
    'Make a new key and set PULSE_API_KEY, or write it to the file of PULSE_API_KEY_FILE. The last charts can be shown for another 8 minutes.',
  ],
  [
    'the key lacks a scope',
    { key: { state: 'refused', missingScope: 'pulses:read' }, chartsLastMs: 0 },
    'upstream_auth',
    'down',
    'The service refuses the API key: it lacks the scope pulses:read.',
    'Give the key the scope pulses:read, or make a new key that has it. Until then readers get an error.',
  ],
  [
    'the service does not answer',
    { hosts: [downHost] },
    'upstream_unavailable',
    'down',
    'The service has not answered for 6 minutes. Readers keep the last charts.',
    'The last charts can be shown for another 23 hours. Look at the service’s own status page, then at this server’s way out (DNS, proxy, firewall).',
  ],
  [
    'neither host has ever answered',
    {
      hosts: [
        { ...downHost, lastAnswerAt: null },
        { ...alt, state: 'half-open', lastAnswerAt: null },
      ],
      chartsLastMs: 0,
    },
    'upstream_unavailable',
    'down',
    'The service has not answered since this server started. Readers get an error.',
    'Until then readers get an error. Look at PULSE_BASE_URL, then at this server’s way out (DNS, proxy, firewall).',
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
    'Redis does not know the calls of the last window yet. Readers without a chart wait.',
    'Nothing to do: this takes 1 minute with an empty Redis, and 2 minutes after the last server of another release has stopped. Until then each server makes at most 2 calls a window.',
  ],
  [
    'most readers are refused because TRUST_PROXY does not name the proxy',
    { outcomes: { total: 100, bad: { rate_limited: 96 } }, warnings: [UNTRUSTED_PROXY] },
    'readers_without_chart',
    'down',
    '96 % of the requests of the last 5 minutes got no chart, mostly because too many requests come from one address (rate_limited).',
    'Set TRUST_PROXY=1 (the number of proxies in front): without it all readers behind a proxy share one rate limit.',
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
    '10 % of the requests of the last 5 minutes got no chart, mostly because the site is not allowed (origin_forbidden).',
    'https://www.site.test is not in PULSE_ALLOWED_ORIGINS; add it and restart.',
  ],
  [
    '1,000 sources are asked for at once',
    { outcomes: { total: 1_000, bad: { upstream_rate_limited: 900 } }, sources: sourcesSeenAs('unknown', 900) },
    'readers_without_chart',
    'down',
    '90 % of the requests of the last 5 minutes got no chart, mostly because all calls of the key are spent (upstream_rate_limited).',
    '900 charts are not there yet; with 45 calls a window that takes about 20 minutes. Ask for a higher limit, and set PULSE_RATE_LIMIT.',
  ],
  [
    'all sources that were asked for have a chart by now',
    { outcomes: { total: 100, bad: { upstream_rate_limited: 20 } } },
    'readers_without_chart',
    'degraded',
    '20 % of the requests of the last 5 minutes got no chart, mostly because all calls of the key are spent (upstream_rate_limited).',
    'All charts with readers are there now. If this happens often: Ask for a higher limit, and set PULSE_RATE_LIMIT.',
  ],
  [
    'the last call failed',
    { hosts: [{ ...wellHost, state: 'degraded' }] },
    'upstream_failing',
    'degraded',
    'The last call to the service failed.',
    'It is tried again by itself. The last charts can be shown for another 23 hours.',
  ],
  [
    'the new key in the key file is refused',
    { keyFile: { state: 'refused', takenOver: 0 } },
    'key_file_refused',
    'degraded',
    'The service refuses the new key in the key file. The key before stays in use.',
    'Do not revoke the key before. Write another key to the file of PULSE_API_KEY_FILE.',
  ],
  [
    'the key file is gone',
    { keyFile: { state: 'missing', takenOver: 0 } },
    'key_file_unusable',
    'degraded',
    'The key file is missing. The last key stays in use.',
    'Write one line of 8 to 256 visible ASCII characters to the file of PULSE_API_KEY_FILE: a restart would fail.',
  ],
  [
    'the first answer is awaited',
    { ready: false },
    'starting',
    'degraded',
    'There is nothing to serve until the service answers.',
    'Nothing to do yet. If this takes longer than a minute, run pulse-bff check.',
  ],
  [
    'the key ends soon',
    { keyExpiry: { day: '2026-12-07', inDays: 15, isGuess: false } },
    'key_ends',
    'degraded',
    'The API key ends on 2026-12-07, in 15 days.',
    'Make a new key and write it to the file of PULSE_API_KEY_FILE, or set PULSE_API_KEY and restart.',
  ],
  [
    'Redis is lost',
    {
      redis: {
        state: 'lost',
        fault: 'disconnected',
        advice: 'check that it runs and lets this server in',
        share: 1,
        lostForMs: 120_000,
        losses: 1,
        evictionPolicy: null,
      },
    },
    'redis_lost',
    'degraded',
    'Redis has been lost for 2 minutes (REDIS_URL: disconnected). Readers still get charts.',
    'Until it is back, this server makes at most 1 call a window, so charts get older. To get Redis back, check that it runs and lets this server in.',
  ],
  [
    'the service wants no calls',
    { budget: { ...wellState.budget, left: 0, pausedForMs: 20_000 } },
    'upstream_rate_limited',
    'degraded',
    'The service allows no more calls for 20 seconds. Readers keep the last charts.',
    'Calls go on by themselves. If this happens often, another program uses the same key: raise PULSE_RATE_RESERVE, or give it a key of its own.',
  ],
  [
    'others use the key',
    { budget: { ...wellState.budget, others: 42, capacity: 12 } },
    'other_users',
    'degraded',
    'Other programs use the same key: 12 calls of 45 left for charts.',
    'Charts are refreshed less often. Give the other program a key of another account, or lower what it asks.',
  ],
  [
    'the service allows fewer calls than PULSE_RATE_LIMIT says',
    { budget: { ...wellState.budget, others: 2, capacity: 15 } },
    'lower_limit',
    'degraded',
    'The service allows fewer calls than PULSE_RATE_LIMIT says: 15 of 45 left for charts.',
    'Charts are refreshed less often. Set PULSE_RATE_LIMIT to the X-RateLimit-Limit of the service.',
  ],
  [
    'all calls are spent and charts are behind',
    { budget: { ...wellState.budget, left: 0 }, sources: sourcesSeenAs('earlier-version', 3) },
    'budget_spent',
    'degraded',
    'All calls are spent, and 3 charts are behind.',
    'The charts with most readers are refreshed first. If they get too old, lower PULSE_RATE_RESERVE, or ask for a higher limit.',
  ],
  [
    'pictures fail',
    { images: { loaded: 1, failed: 4 } },
    'images_failing',
    'degraded',
    'Most pictures of charts cannot be loaded. Readers see the text.',
    'Check PULSE_IMAGE_HOSTS, and whether this server reaches these hosts.',
  ],
  [
    'one of two hosts does not answer',
    { hosts: [downHost, alt] },
    'host_down',
    'degraded',
    'The main host does not answer; the second one does. Readers notice nothing.',
    'Nothing to do here: the main host is tried again by itself.',
  ],
  [
    'calls about sources fail while others succeed',
    { sources: ['A', 'B', null, 'D'].map((name, at) => failingSource(name, (at + 5) * 60_000)) },
    'sources_failing',
    'degraded',
    '4 sources have failed for 8 minutes: "A", "B", "src_x" and 1 more.',
    'Readers of these charts see an earlier version or an error. Look at the sources in the dashboard, then report it to the operator of the service.',
  ],
  [
    'the disk is full',
    { stateDirFault: 'ENOSPC' },
    'state_dir_unwritable',
    'degraded',
    'The state folder takes no files (ENOSPC). A restart would begin with older charts, or with none.',
    'Free disk space, or make PULSE_STATE_DIR writable.',
  ],
  [
    'Redis may drop values',
    { redis: { ...joined, evictionPolicy: 'allkeys-lru' } },
    'redis_evicts',
    'degraded',
    'Redis may drop what is shared: its maxmemory-policy is allkeys-lru.',
    'Set maxmemory-policy to noeviction, or use another Redis: without the shared budget all instances wait for one window.',
  ],
  [
    'a row of the list cannot be read',
    { unreadableRows: 1 },
    'rows_unreadable',
    'notice',
    '1 row of the source list cannot be read and is left out.',
    'Report it to the operator of the service.',
  ],
];

describe('problems()', () => {
  for (const [circumstance, facts, code, level, headline, advice] of CASES) {
    it(`says so where ${circumstance}`, () =>
      assert.deepEqual(problems({ ...wellState, ...facts }), [{ code, level, headline, advice }]));
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
