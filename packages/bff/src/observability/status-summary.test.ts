import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type SummaryFacts, type SummaryHost, statusSummary, durationWords } from './status-summary.ts';

const HOUR = 3_600_000;

const host: SummaryHost = { name: 'main', state: 'well', nextTryInMs: 0, lastAnswerAgoMs: 2_000 };
const down: SummaryHost = { ...host, state: 'down', nextTryInMs: 16_000, lastAnswerAgoMs: 360_000 };

const well: SummaryFacts = {
  stopping: false,
  ready: true,
  key: { state: 'accepted' },
  hosts: [host],
  chartsLastMs: 23 * HOUR,
  budget: {
    limit: 60,
    reserve: 15,
    windowMs: 60_000,
    used: 34,
    left: 11,
    maxLeft: 33,
    capacity: 45,
    others: 0,
    pausedForMs: 0,
    starting: false,
  },
  redis: null,
  keyFile: null,
  keyExpiry: null,
  images: { loaded: 20, failed: 0 },
  outcomes: { total: 100, bad: {} },
  refusedOrigin: undefined,
  warnings: [],
  sources: { behind: 0, missing: 0, oldestAgeMs: 58_000, nextRefreshInMs: undefined },
  hasReaders: true,
};

const behind = { ...well.sources, behind: 1, nextRefreshInMs: 12_000 };

const circumstances: readonly [
  name: string,
  changes: Partial<SummaryFacts>,
  level: string,
  headline: string,
  advice: string,
][] = [
  ['all is well', {}, 'ok', 'All is well. Nothing to do.', 'Readers get charts no older than 58 seconds.'],
  [
    'one chart is a little behind',
    { sources: behind },
    'ok',
    'All is well. Nothing to do.',
    'Readers get charts no older than 58 seconds. 1 chart is a little behind and will be refreshed, the next one in 12 seconds.',
  ],
  [
    'nobody has asked yet',
    { hasReaders: false },
    'ok',
    'All is well. No reader has asked for a chart yet.',
    'Get the snippet of a chart in the Studio and put it on a page.',
  ],
  [
    'most readers are refused because TRUST_PROXY does not name the proxy',
    {
      outcomes: { total: 100, bad: { rate_limited: 96 } },
      warnings: ['A request came from a proxy that TRUST_PROXY does not name'],
    },
    'down',
    '96 % of the requests of the last 5 minutes got no chart, mostly because too many requests come from one address (429).',
    'Set TRUST_PROXY=1 (the number of proxies in front): without it all readers behind a proxy share one rate limit.',
  ],
  [
    'a page is not allowed',
    { outcomes: { total: 100, bad: { origin_forbidden: 10 } }, refusedOrigin: 'https://www.site.test' },
    'degraded',
    '10 % of the requests of the last 5 minutes got no chart, mostly because their page is not allowed (403).',
    'If https://www.site.test is yours, add it to PULSE_ALLOWED_ORIGINS and restart.',
  ],
  [
    '1,000 sources are asked for at once',
    {
      outcomes: { total: 1_000, bad: { upstream_rate_limited: 900 } },
      sources: { ...well.sources, missing: 900 },
    },
    'down',
    '90 % of the requests of the last 5 minutes got no chart, mostly because all calls of the key are spent (503).',
    '900 charts are not there yet; with 45 calls a window that takes about 20 minutes. Ask for a higher limit, and set PULSE_RATE_LIMIT.',
  ],
  [
    '5 % of the readers are refused',
    { outcomes: { total: 100, bad: { origin_forbidden: 5 } } },
    'ok',
    'All is well. Nothing to do.',
    'Readers get charts no older than 58 seconds.',
  ],
  [
    'the new key in the key file is refused',
    { keyFile: { state: 'refused', takenOver: 0 } },
    'degraded',
    'The service refuses the new key in the key file. The key before stays in use.',
    'Do not revoke the key before. Write another key to the file of PULSE_API_KEY_FILE.',
  ],
  [
    'the key file is gone',
    { keyFile: { state: 'missing', takenOver: 0 } },
    'degraded',
    'The key file is missing. The last key stays in use.',
    'Write one line of 8 to 256 visible ASCII characters to the file of PULSE_API_KEY_FILE: a restart would fail.',
  ],
  [
    'the key ends soon',
    { keyExpiry: { day: '2026-12-07', inDays: 15, isGuess: false } },
    'degraded',
    'The API key ends on 2026-12-07, in 15 days.',
    'Make a new key and write it to the file of PULSE_API_KEY_FILE, or set PULSE_API_KEY and restart.',
  ],
  [
    'the key ends in more than 15 days',
    { keyExpiry: { day: '2026-12-08', inDays: 16, isGuess: false } },
    'ok',
    'All is well. Nothing to do.',
    'Readers get charts no older than 58 seconds.',
  ],
  [
    'the service does not answer',
    { hosts: [down] },
    'down',
    'The service has not answered for 6 minutes. Readers keep the last charts.',
    'The next try is in 16 seconds. The last charts can be shown for another 23 hours. Look at the service’s own status page, then at this server’s way out (DNS, proxy, firewall).',
  ],
  [
    'neither host answers',
    { hosts: [down, { ...down, name: 'alt', nextTryInMs: 4_000, lastAnswerAgoMs: 420_000 }] },
    'down',
    'The service has not answered for 6 minutes. Readers keep the last charts.',
    'The next try is in 4 seconds. The last charts can be shown for another 23 hours. Look at the service’s own status page, then at this server’s way out (DNS, proxy, firewall).',
  ],
  [
    'the service does not answer and the last charts have expired',
    { hosts: [down], chartsLastMs: 0 },
    'down',
    'The service has not answered for 6 minutes. Readers get an error.',
    'The next try is in 16 seconds. Look at the service’s own status page, then at this server’s way out (DNS, proxy, firewall).',
  ],
  [
    'the service never answered',
    { hosts: [{ ...down, nextTryInMs: 0, lastAnswerAgoMs: undefined }], ready: false, chartsLastMs: undefined },
    'down',
    'The service has not answered since this server started. Readers get an error.',
    'It is tried again now. Check PULSE_BASE_URL, then this server’s way out (DNS, proxy, firewall).',
  ],
  [
    'the last call failed',
    { hosts: [{ ...host, state: 'failing' }] },
    'degraded',
    'The last call to the service failed.',
    'Nothing to do yet. It is tried again now. Readers keep the last charts for another 23 hours.',
  ],
  [
    'one of two hosts does not answer',
    { hosts: [down, { ...host, name: 'alt' }] },
    'degraded',
    'The main host does not answer; the second one does. Readers notice nothing.',
    'Nothing to do here. The main host is tried again in 16 seconds.',
  ],
  [
    'a host answers again that did not',
    {
      hosts: [
        { ...down, state: 'recovering' },
        { ...host, name: 'alt' },
      ],
    },
    'ok',
    'All is well. Nothing to do.',
    'Readers get charts no older than 58 seconds. The main host answers again and gets its calls back after a few more good answers.',
  ],
  [
    'the key is refused',
    { key: { state: 'refused' }, chartsLastMs: 480_000 },
    'down',
    'The service refuses the API key.',
    'Make a new key and set PULSE_API_KEY, or write it to the file of PULSE_API_KEY_FILE. Readers keep the last charts for another 8 minutes.',
  ],
  [
    'the key lacks a scope',
    { key: { state: 'refused', missingScope: 'pulses:read' }, chartsLastMs: undefined },
    'down',
    'The service refuses the API key: it lacks the scope pulses:read.',
    'Give the key the scope pulses:read, or make a new key that has it. Until then readers get an error.',
  ],
  [
    'the service wants no calls',
    { budget: { ...well.budget, left: 0, pausedForMs: 20_000 } },
    'degraded',
    'The service allows no more calls for 20 seconds. Readers keep the last charts.',
    'Calls go on by themselves. If this happens often, another program uses the same key: raise PULSE_RATE_RESERVE, or give it a key of its own.',
  ],
  [
    'others use the key',
    { budget: { ...well.budget, others: 42, capacity: 12 } },
    'degraded',
    'Other programs use the same key: 12 calls of 45 left for charts.',
    'Charts are refreshed less often. Give the other program a key of another account, or lower what it asks.',
  ],
  [
    'the service allows fewer calls than PULSE_RATE_LIMIT says',
    { budget: { ...well.budget, others: 2, capacity: 15 } },
    'degraded',
    'The service allows fewer calls than PULSE_RATE_LIMIT says: 15 of 45 left for charts.',
    'Charts are refreshed less often. Set PULSE_RATE_LIMIT to the X-RateLimit-Limit of the service.',
  ],
  [
    'all calls are spent and charts are behind',
    { budget: { ...well.budget, left: 0 }, sources: { ...behind, behind: 3 } },
    'degraded',
    'All calls are spent, and 3 charts are behind.',
    'The charts with most readers are refreshed first. If they get too old, lower PULSE_RATE_RESERVE, or ask for a higher limit.',
  ],
  [
    'Redis is lost',
    {
      redis: {
        state: 'lost',
        fault: 'disconnected',
        advice: 'check that it runs and lets this server in (bind, protected mode, firewall)',
        share: 22,
        lostForMs: 120_000,
        losses: 1,
      },
    },
    'degraded',
    'Redis has not answered for 2 minutes. Readers still get charts.',
    'Until it is back, this server makes at most 22 calls a window, so charts get older. To get Redis back, check that it runs and lets this server in (bind, protected mode, firewall).',
  ],
  [
    'pictures fail',
    { images: { loaded: 1, failed: 4 } },
    'degraded',
    'Most pictures of charts cannot be loaded. Readers see the text.',
    'Check PULSE_IMAGE_HOSTS, and whether this server reaches these hosts.',
  ],
  [
    'the first answer is awaited',
    { ready: false },
    'degraded',
    'Waiting for the first answer of the service.',
    'Nothing to do yet. If this takes longer than a minute, run pulse-bff check.',
  ],
  [
    'the server is stopping',
    { stopping: true, hosts: [down] },
    'degraded',
    'This server is stopping.',
    'Requests in flight are answered; /readyz sends new readers elsewhere.',
  ],
];

describe('statusSummary()', () => {
  for (const [name, changes, level, headline, advice] of circumstances) {
    it(`says so where ${name}`, () =>
      assert.deepEqual(statusSummary({ ...well, ...changes }), { level, headline, advice }));
  }

  it('says the gravest thing where several are wrong', () => {
    const all = Object.assign({}, well, ...circumstances.slice(3, -1).map(([, changes]) => changes)) as SummaryFacts;
    assert.match(statusSummary(all).headline, /^The service refuses the API key/);
  });

  it('is well with all calls spent as long as no chart is behind', () =>
    assert.equal(statusSummary({ ...well, budget: { ...well.budget, left: 0 } }).level, 'ok'));

  it('is well while others use no more than their reserve, as pulse-bff check does', () => {
    const budget = { ...well.budget, others: 12, capacity: 42 };
    assert.equal(statusSummary({ ...well, budget }).headline, 'All is well. Nothing to do.');
  });

  it('is well after a picture that failed among many', () =>
    assert.equal(statusSummary({ ...well, images: { loaded: 40, failed: 1 } }).level, 'ok'));
});

describe('durationWords()', () => {
  for (const [ms, words] of [
    [0, '0 seconds'],
    [1_400, '1 second'],
    [59_000, '59 seconds'],
    [60_000, '1 minute'],
    [360_000, '6 minutes'],
    [3_600_000, '60 minutes'],
    [7_200_000, '2 hours'],
    [86_400_000, '24 hours'],
    [259_200_000, '3 days'],
  ] as const) {
    it(`says ${words} for ${ms} ms`, () => assert.equal(durationWords(ms), words));
  }
});
