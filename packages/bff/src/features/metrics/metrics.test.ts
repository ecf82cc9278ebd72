import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stateOf } from '../../testing/state.ts';
import type { CallObserver } from '../../upstream/upstream.ts';
import { gaugesOf } from '../status/gauges.ts';
import type { State } from '../status/state.ts';
import { openMetrics } from './metrics.ts';

const FULL: Partial<State> = {
  keyExpiry: { day: '2027-02-20', inDays: 9, isGuess: false },
  keyFile: { state: 'refused', takenOver: 2 },
  stateDirFault: 'ENOSPC',
  redis: { state: 'lost', lostForMs: 1_500, losses: 3, evictionPolicy: 'allkeys-lru' },
};

function open(world: Partial<State> = {}) {
  let observer: CallObserver | undefined;
  const upstream = { observe: (each: CallObserver) => ((observer = each), () => (observer = undefined)) };
  const state = { ...world };
  const metrics = openMetrics(upstream, () => gaugesOf(stateOf(state)), { ownsProcess: false });
  return { metrics, state, calls: () => observer };
}

const namesIn = (text: string) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);

describe('openMetrics()', () => {
  it('exposes these metrics, which alert rules and dashboards refer to by name', async () => {
    const names = namesIn(await open(FULL).metrics.text()).map((name) => name.replace('pulse_bff_', ''));
    assert.deepEqual(names.toSorted(), [
      'alerts_failing',
      'alerts_sent_total',
      'answer_age_seconds',
      'answer_seconds',
      'answers_total',
      'budget_left',
      'budget_limit',
      'budget_others',
      'budget_paused_seconds',
      'budget_used',
      'build_info',
      'charts_refused',
      'hosts_well',
      'key_expires_timestamp_seconds',
      'key_file_usable',
      'key_refused',
      'key_takeovers_total',
      'list_rows_unreadable',
      'log_lost',
      'readers_without_chart_ratio',
      'ready',
      'redis_evicting',
      'redis_joined',
      'redis_losses_total',
      'redis_lost_seconds',
      'redis_own_share',
      'sources',
      'sources_failing',
      'sources_fresh',
      'state_dir_failing',
      'upstream_calls_total',
      'upstream_refusals_total',
      'upstream_seconds',
    ]);
  });

  it('exposes metrics for Redis, the key file, and the state folder only if they are used', async () =>
    assert.doesNotMatch(await open().metrics.text(), /redis|key_file|takeovers|state_dir/));

  it('exposes values read from the state', async () => {
    const { metrics, state } = open(FULL);
    const text = await metrics.text();
    for (const line of [
      'key_file_usable 0',
      'key_takeovers_total 2',
      'state_dir_failing 1',
      'redis_joined 0',
      'redis_lost_seconds 1.5',
      'redis_evicting 1',
      'redis_losses_total 3',
      'key_expires_timestamp_seconds 1803081600',
      'budget_used 10',
      'hosts_well 1',
      'ready 1',
    ])
      assert.match(text, new RegExp(`^pulse_bff_${line}$`, 'm'));
    state.keyExpiry = null;
    assert.doesNotMatch(await metrics.text(), /^pulse_bff_key_expires_timestamp_seconds \d/m);
  });

  it('counts responses and calls', async () => {
    const { metrics, calls } = open();
    const facts = { method: 'GET', path: '/', sourceIds: [], client: 'c', isUntrustedProxy: false };
    metrics.record({ ...facts, route: '/v1/pulses', status: 200, durationMs: 2, cache: 'hit', ageMs: 4_000 });
    metrics.record({ ...facts, route: '/v1/pulses', status: 503, durationMs: 2 });
    calls()?.called({ host: 'main', kind: 'pulse', outcome: 'timeout', durationMs: 5_000 });
    calls()?.refused('out_of_calls');
    const text = await metrics.text();
    for (const line of [
      'answers_total{route="/v1/pulses",status="200",cache="hit"} 1',
      'answers_total{route="/v1/pulses",status="503",cache="none"} 1',
      'answer_age_seconds_count 1',
      'answer_seconds_count 2',
      'upstream_calls_total{host="main",kind="pulse",outcome="timeout"} 1',
      'upstream_refusals_total{reason="out_of_calls"} 1',
    ])
      assert.ok(text.includes(`pulse_bff_${line}\n`), line);
    metrics.close();
    assert.equal(calls(), undefined);
  });
});
