import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failingWith, hostOf, rowOf, stateOf } from '../../testing/state.ts';
import { PUBLIC_CODES } from '../../upstream/failure.ts';
import { failureWords } from './failure-words.ts';
import { failingSources, problemsOf, summaryOf } from './problems.ts';
import type { State } from './state.ts';

const down = (code: NonNullable<State['hosts'][number]['failure']>['code'], more = {}): Partial<State> => ({
  hosts: [hostOf({ state: 'open', failure: { code, ...more } })],
  failing: failingWith(code, 360_000, more),
});
const redis = (fault?: string, evictionPolicy: string | null = null): Partial<State> => ({
  redis: { state: fault ? 'lost' : 'joined', fault, lostForMs: 60_000, losses: 1, evictionPolicy },
});
const refused = (missingScope: string) => ({ key: { state: 'refused', missingScope } }) as Partial<State>;
const limited = { total: 10, bad: {}, limited: 10 };
const alt = hostOf({ host: 'alt', state: 'open', preferred: false, failure: { code: 'dns' } });
const withheld = { isWritable: true, fault: 'missing', runs: ['r'], latestRuns: {} } as const;
const chart = { host: 'cdn.test', reason: 'http', charts: 1 } as const;
const failing = rowOf('a', { name: 'Q. 2', lastFailure: failingWith('server_error', 300_000, { status: 500 }) });
const budget = (more: Partial<State['budget']>) => ({ budget: { ...stateOf().budget, ...more } });
const bad = (code: string, count = 40) => ({ outcomes: { total: 100, bad: { [code]: count }, limited: 0 } });

const codesOf = (more: Partial<State>) => problemsOf(stateOf(more)).map(({ code }) => code);

/** The text of the problem with this code. */
function textOf(code: string, more: Partial<State>): string {
  const found = problemsOf(stateOf(more)).find((each) => each.code === code);
  return found === undefined ? '' : `${found.level}: ${found.headline} ${found.advice}`;
}

describe('problemsOf()', () => {
  it('reports no problems while everything is working and others use no more than the reserve', () =>
    assert.deepEqual(codesOf({ ...budget({ others: 15 }), serviceLimit: null }), []));

  for (const [code, more, text] of [
    ['stopping', { stopping: true }, /stopping/],
    ['upstream_auth', { key: { state: 'refused' } }, /^down: .+\(401\)\. Create a new key.+another 24 hours/],
    ['upstream_auth', refused('pulses:read'), /^down: .+\(pulses:read\).+Give the key this scope/],
    ['upstream_auth', refused('sources:read'), /^degraded: .+Charts are being refreshed, but the list isn’t/],
    ['upstream_unavailable', down('dns'), /^down: .+for 6 minutes: its host name can’t be looked up.+PULSE_BASE_URL/],
    ['upstream_unavailable', down('proxy', { status: 407 }), /proxy.+\(407\).+HTTPS_PROXY.+username, and password/],
    ['upstream_unavailable', down('redirect', { detail: 'login.test' }), /redirects \(login\.test\)\. /],
    ['upstream_unavailable', { failing: failingWith('not_found_everywhere') }, /^down: .+404 for everything/],
    ['upstream_unavailable', { failing: failingWith('server_error', 60_000) }, /^down: .+for 1 minute: /],
    ['upstream_unavailable', { ...down('timeout'), chartsLastMs: 0 }, /Readers get an error/],
    ['upstream_rate_limited', { failing: failingWith('rate_limited', 1) }, /returns 429\. Charts aren’t being updated/],
    ['redis_lost', redis('connection'), /no connection can be made.+REDIS_URL.+works without Redis/],
    ['redis_lost', redis('redis_acl'), /ACL.+commands and keys/],
    ['redis_lost', redis('redis_readonly'), /\(redis_readonly\)\. Run a SET command.+REDIS_URL/],
    ['readers_without_chart', bad('internal'), /^degraded: 40% .+internal error.+Read the log/],
    ['readers_without_chart', bad('internal', 60), /^down: 60%/],
    ['untrusted_proxy', { isBehindUnknownProxy: true }, /^notice: .+Set TRUST_PROXY to .+TRUST_PROXY=1/],
    ['untrusted_proxy', { isBehindUnknownProxy: true, outcomes: limited }, /^degraded: .+share one rate limit/],
    ['starting', { ready: false, uptimeMs: 1_000 }, /^notice: This server is waiting for its first charts/],
    ['starting', { ready: false }, /^degraded/],
    ['other_users', budget({ others: 20, capacity: 25 }), /leaves 25 calls of 45/],
    ['lower_limit', { serviceLimit: 30 }, /allows 30 calls.+\(60\)\. Set PULSE_RATE_LIMIT to 30/],
    ['images_failing', { images: { loaded: 3, failed: 3 } }, /PULSE_IMAGE_HOSTS/],
    ['host_down', { hosts: [hostOf(), alt] }, /second host is failing.+PULSE_ALT_BASE_URL/],
    ['redis_evicts', redis(undefined, 'allkeys-lru'), /allkeys-lru.+noeviction/],
    ['key_ends', { keyExpiry: { day: '2026-05-15', inDays: 7, isGuess: true } }, /on 2026-05-15, in 7 days \(a guess/],
    ['key_file_refused', { keyFile: { state: 'refused', takenOver: 0 } }, /Don’t revoke it/],
    ['key_file_unusable', { keyFile: { state: 'missing', takenOver: 0 } }, /key file is missing.+a restart would fail/],
    ['state_dir_unwritable', { stateDirFault: 'ENOSPC' }, /\(ENOSPC\).+Free disk space/],
    ['state_dir_unwritable', { stateDirFault: 'EACCES' }, /isn’t allowed to write.+PULSE_STATE_DIR/],
    ['state_dir_unwritable', { stateDirFault: 'EMFILE' }, /LimitNOFILE/],
    ['state_dir_unwritable', { stateDirFault: 'ENOTDIR' }, /PULSE_STATE_DIR is a folder/],
    ['withheld_file_unusable', { withheld }, /is missing.+stays withheld.+create an empty file/],
    ['log_lost', { logLost: true }, /standard output/],
    ['rows_unreadable', { unreadableRows: 2 }, /^notice: 2 rows/],
    ['chart_refused', { refusedCharts: [{ ...chart, charts: 2 }] }, /2 charts from cdn\.test.+begins with http:/],
    ['sources_failing', { sources: [failing] }, /^degraded: .+"Q\. 2" has been failing for 5 minutes: .+\(500\)/],
    ['source_broken', { sources: [rowOf('a', { status: 'BROKEN' })] }, /^notice: The source "a" needs reconnection/],
    ['source_overdue', { overdue: ['src_1'] }, /^notice: The source "src_1" is overdue/],
  ] as [string, Partial<State>, RegExp][])
    it(`${code}: ${text.source}`, () => assert.match(textOf(code, more), text));

  it('begins with why the server isn’t ready, and lists global problems before those of individual hosts and sources', () => {
    const sources = [rowOf('a', { status: 'BROKEN' })];
    const more = { refusedCharts: [chart], logLost: true, ready: false, isBehindUnknownProxy: true };
    const [first, ...others] = codesOf({ sources, ...more, ...down('dns') });
    assert.equal(first, 'upstream_unavailable');
    assert.deepEqual(others, ['starting', 'untrusted_proxy', 'log_lost', 'chart_refused', 'source_broken']);
  });

  it('reports no outage while the other host works', () =>
    assert.deepEqual(codesOf({ hosts: [hostOf(), hostOf({ host: 'alt', state: 'half-open' })] }), ['host_down']));

  it('lists at most five hosts whose charts can’t be shown', () => {
    const refusedCharts = Array.from({ length: 6 }, (_, at) => ({ ...chart, host: `${at}.test` }));
    assert.equal(codesOf({ refusedCharts }).length, 5);
  });

  it('truncates names to 80 characters', () => {
    const sources = [rowOf('a', { status: 'BROKEN', name: 'x'.repeat(81) })];
    assert.match(textOf('source_broken', { sources }), /"x{79}…"/);
  });

  it('reports why charts are missing instead of giving advice that wouldn’t help', () => {
    const spent = bad('upstream_rate_limited');
    assert.match(textOf('readers_without_chart', spent), /ask for a higher limit/);
    const causedByRedis = textOf('readers_without_chart', { ...spent, ...redis('timeout') });
    assert.match(causedByRedis, /This is caused by another problem: redis_lost\.$/);
    const causedByService = textOf('readers_without_chart', { ...bad('upstream_unavailable'), ...down('dns') });
    assert.match(causedByService, /another problem: upstream_unavailable\.$/);
    assert.match(textOf('readers_without_chart', { ...bad('internal'), ...down('dns') }), /report the error\.$/);
  });

  it('ignores a few missing charts and images', () => {
    for (const [loaded, failed] of [
      [0, 2],
      [4, 3],
    ] as const)
      assert.deepEqual(codesOf({ images: { loaded, failed } }), []);
    for (const [total, count] of [
      [2, 2],
      [100, 5],
    ] as const)
      assert.deepEqual(codesOf({ outcomes: { total, bad: { internal: count }, limited: 0 } }), []);
  });

  it('has a stage for each alert about the key’s expiration', () => {
    const stageAt = (inDays: number) =>
      problemsOf(stateOf({ keyExpiry: { day: '2026-05-15', inDays, isGuess: false } })).find(
        ({ code }) => code === 'key_ends',
      )?.stage;
    assert.deepEqual([16, 15, 8, 7, 2, 1, 0, -3].map(stageAt), [undefined, '15', '15', '7', '7', '1', '1', '1']);
  });
});

function summaryFor(more: Partial<State>) {
  const state = stateOf(more);
  return summaryOf(problemsOf(state), state);
}

describe('summaryOf()', () => {
  const broken = rowOf('a', { status: 'BROKEN' });
  const both = { sources: [broken, rowOf('b')], overdue: ['a', 'b'] };
  const unread = { fresh: 0, stale: 0, waited: 0, refused: 0, failed: 0 };
  for (const [more, level, headline] of [
    [{}, 'ok', 'All is well. Nothing to do.'],
    [{ sources: [], lastHour: unread }, 'ok', 'All is well. No reader has requested a chart yet.'],
    [{ sources: [broken] }, 'ok', 'Readers get their charts. 1 source needs attention.'],
    [both, 'ok', 'Readers get their charts. 2 sources need attention.'],
    [{ ready: false, uptimeMs: 1 }, 'ok', 'This server is waiting for its first charts.'],
    [{ logLost: true }, 'degraded', 'The log can’t be written.'],
    [{ key: { state: 'refused' } }, 'down', 'The service is rejecting calls: it rejects the API key (401).'],
  ] as [Partial<State>, string, string][])
    it(`summarizes the state in one sentence: ${headline}`, () => {
      const summary = summaryFor(more);
      assert.deepEqual([summary.level, summary.headline], [level, headline]);
    });

  it('reports how old readers’ charts are, and which charts are missing', () => {
    const sources = [
      rowOf('a', { ageMs: 12_000 }),
      rowOf('b', { readersSee: 'unknown', ageMs: null }),
      rowOf('c', { ageMs: 99_000, nextRefreshInMs: null }),
    ];
    const advice = summaryFor({ sources }).advice;
    assert.equal(advice, 'Readers get charts no older than 12 seconds. 1 chart not loaded yet.');
  });
});

describe('failingSources()', () => {
  const sources = [
    rowOf('a', { lastFailure: failingWith('invalid', 300_000) }),
    rowOf('b', { lastFailure: failingWith('invalid', 299_999) }),
    rowOf('c', { lastFailure: failingWith('invalid', 300_000), nextRefreshInMs: null }),
  ];

  it('lists sources that have failed for five minutes while others work', () =>
    assert.deepEqual(
      failingSources(stateOf({ sources })).map(({ sourceId }) => sourceId),
      ['a'],
    ));

  it('lists none while the service is down or the key is rejected', () => {
    assert.deepEqual(failingSources(stateOf({ sources, hosts: [hostOf({ state: 'open' })] })), []);
    assert.deepEqual(failingSources(stateOf({ sources, failing: failingWith('invalid', 60_000) })), []);
    assert.deepEqual(failingSources(stateOf({ sources, key: { state: 'refused' } })), []);
  });
});

describe('failureWords()', () => {
  for (const code of Object.keys(PUBLIC_CODES))
    it(`explains what’s wrong and what to do: ${code}`, () => {
      for (const facts of [{}, { detail: 'x.test', status: 500 }]) {
        const [what, advice] = failureWords({ code, ...facts });
        assert.match(what, /^[^.]+(?:\.test)?[^.]*$/);
        assert.match(advice, /^[A-Z].+\.$/);
        assert.doesNotMatch(what + advice, /%|undefined/);
      }
    });
});
