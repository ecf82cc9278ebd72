import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Config } from '../../config.ts';
import type { RequestRecord } from '../../http/locals.ts';
import { openCore } from '../../testing/core.ts';
import { type FakeService, KEY_A } from '../../testing/fake-service.ts';
import { testLog } from '../../testing/test-log.ts';
import { openStatus } from './status.ts';

/** The parts of `/status` that the status page and operators' scripts read. */
const FIELDS = {
  '': 'summary problems ready key list unreadableRows sources hosts at version uptimeMs stopping warnings chartsLastMs lastHour images outcomes readersToday redis refusedCharts alerts keyExpiry degraded budget refusals turnedAway',
  summary: 'level headline advice',
  'sources.0':
    'sourceId name provider status freshness hasPulse readersSee ageMs requestedAt nextRefreshInMs viewsPerMinute lastFailure',
  'hosts.0': 'host state lastAnswerAt openForMs failure',
  budget: 'limit reserve windowMs left reserved spent free others pausedForMs history',
  'budget.history.0': 'at spent',
  key: 'state',
  lastHour: 'fresh stale waited refused failed',
  alerts: 'host sent failure',
};

/** The status of a BFF in front of a fake service, which `prepare` may change before the first call. */
async function open(prepare: (service: FakeService) => void = () => {}) {
  const core = await openCore({ hasAlt: true });
  prepare(core.service);
  const { log, output, messages } = testLog('info', core.clock);
  const world = { isStopping: false, charts: 1, notes: 0, looks: [] as string[] };
  const status = openStatus({
    ...core,
    log,
    config: { warnings: ['a warning'] } as unknown as Config,
    refused: () => (world.charts > 0 ? [{ host: 'cdn.test', reason: 'http', charts: world.charts }] : []),
    history: { overdue: () => ['src_1'] },
    withheld: { isWritable: false, fault: 'missing', runs: ['run_1'] },
    alerts: {
      status: () => ({ host: 'hooks.test', sent: 1, failure: null }),
      look: async (problems, { hasAnswered }) =>
        void (world.looks = hasAnswered ? problems.map(({ code }) => code) : []),
    },
    keyExpiry: {
      current: () => ({ day: '2026-05-10', inDays: 2, isGuess: false }),
      note: async () => {
        world.notes += 1;
        throw new Error('lost');
      },
    },
    isStopping: () => world.isStopping,
    ownsProcess: false,
  });
  await core.start();
  await core.clock.advance(10_000);
  /** Lets time pass while a reader requests a chart. */
  const after = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 5_000) {
      void core.pulses.read('src_1', '*', 'viewer');
      await core.clock.advance(5_000);
    }
  };
  return { ...core, status, world, output, messages, after };
}

describe('openStatus()', () => {
  it('lists the problems that its parts report, and the configuration’s warnings', async () => {
    const { status } = await open();
    const { summary, problems, degraded, ...state } = status.document();
    const codes = problems.map(({ code }) => code);
    assert.deepEqual(codes, ['key_ends', 'withheld_file_unusable', 'chart_refused', 'source_overdue']);
    assert.deepEqual([summary.level, degraded], ['degraded', ['key_ends', 'withheld_file_unusable', 'chart_refused']]);
    assert.ok(Date.parse(state.hosts[0]?.lastAnswerAt ?? '') < Date.parse(state.at));
    assert.equal(state.hosts[1]?.lastAnswerAt, null);
    assert.deepEqual([state.ready, state.warnings, state.alerts.sent], [true, ['a warning'], 1]);
    assert.ok(state.chartsLastMs > 86_000_000);
    assert.equal(state.uptimeMs, 10_000);
  });

  it('logs a problem when it begins and when it is over, until it is closed', async () => {
    const { status, service, clock, messages, world, after } = await open();
    status.start();
    service.keys.clear();
    await after(130_000);
    assert.ok(world.looks.includes('upstream_auth'));
    service.keys.set(KEY_A, { account: 'account A' });
    await after(120_000);
    const lines = messages().filter((line) => line.includes('rejects the API key'));
    assert.deepEqual([lines.length, lines[1]?.startsWith('Over: The service is rejecting calls')], [2, true]);
    assert.ok(world.notes > 0);
    const timers = clock.pending();
    status.close();
    assert.equal(clock.pending(), timers - 1);
  });

  it('logs a problem that comes and goes once a minute, even if its numbers change', async () => {
    const { status, clock, world, messages } = await open();
    status.start();
    for (const charts of [1, 0, 2, 0]) {
      world.charts = charts;
      await clock.advance(5_000);
    }
    status.close();
    const lines = messages().filter((line) => line.includes('cdn.test'));
    assert.deepEqual([lines.length, lines[1]?.startsWith('Over: 1 chart from')], [2, true]);
  });

  it('reports problems to the webhook only after the service has responded', async () => {
    const { status, clock, world } = await open((service) => {
      service.ending = () => ({ error: 'ECONNREFUSED' });
    });
    status.start();
    await clock.advance(5_000);
    status.close();
    assert.deepEqual([world.notes, world.looks], [1, []]);
  });

  it('explains why the server isn’t ready', async () => {
    const { status } = await open((service) => service.keys.clear());
    const { code, reason } = status.whyNotReady() ?? {};
    assert.equal(code, 'upstream_auth');
    assert.match(reason ?? '', /rejects the API key/);
  });

  it('reports 429s as a failure of every call', async () => {
    const { status, service, after } = await open();
    service.ending = () => ({ status: 429, headers: { 'Retry-After': '30' } });
    await after(60_000);
    assert.equal(status.document().failing?.code, 'rate_limited');
  });

  it('shows rejected requests by code and origin, with advice', async () => {
    const { status } = await open();
    const page = { route: '/v1/pulses', sourceIds: [], origin: 'https://a.test', isUntrustedProxy: false };
    status.counters.record({ ...page, code: 'origin_forbidden' } as unknown as RequestRecord);
    const { refusals, turnedAway } = status.document();
    assert.deepEqual(refusals, { origin_forbidden: { 'https://a.test': 1 } });
    assert.match(turnedAway[0]?.advice ?? '', /^https:\/\/a\.test is not in PULSE_ALLOWED_ORIGINS/);
    status.counters.record({ ...page, code: 'rate_limited' } as unknown as RequestRecord);
    assert.match(status.document().turnedAway[1]?.advice ?? '', /PULSE_CLIENT_RATE/);
    status.counters.record({ ...page, code: 'source_unknown', sourceIds: ['src_9'] } as unknown as RequestRecord);
    assert.match(status.document().turnedAway[2]?.advice ?? '', /\(src_9\)\..*PULSE_SOURCES/);
  });

  it('shows the calls of the last 30 minutes', async () => {
    const { status, clock } = await open();
    status.start();
    await clock.advance(31 * 60_000);
    const { at, budget } = status.document();
    const minutes = [0, -1].map((index) => (Date.parse(at) - Date.parse(budget.history.at(index)?.at ?? '')) / 60_000);
    assert.deepEqual(minutes, [30, 0]);
    assert.equal(budget.history.at(-1)?.spent, budget.spent);
    status.close();
  });

  it('shows that it is stopping', async () => {
    const { status, world, clock, messages } = await open();
    world.isStopping = true;
    status.start();
    await clock.advance(5_000);
    assert.doesNotMatch(messages().join(), /This server is stopping/);
    status.close();
    const codes = [status.document().problems[0]?.code, status.whyNotReady()?.code];
    assert.deepEqual(codes, ['stopping', 'upstream_unavailable']);
  });

  it('shows that log lines are being lost', async () => {
    const { status, output } = await open();
    output.isLost = true;
    assert.ok(status.document().degraded.includes('log_lost'));
  });

  for (const [path, names] of Object.entries(FIELDS))
    it(`has the fields that the status page and operators’ scripts read: ${path || 'the document'}`, async () => {
      const { status, clock } = await open();
      status.start();
      await clock.advance(60_000);
      const parts = path.split('.').filter(Boolean);
      const value = parts.reduce((all, name) => all?.[name], JSON.parse(status.json()));
      for (const name of names.split(' ')) assert.ok(name in value, `${path} ${name}`);
      status.close();
    });

  it('shows durations in whole milliseconds', async () => {
    const { status, clock } = await open();
    await clock.advance(0.4);
    assert.doesNotMatch(status.json(), /Ms": \d+\.\d/);
  });
});
