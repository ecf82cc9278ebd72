import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../../../../testkit/src/root.ts';
import { hostOf, stateOf } from '../../testing/state.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { gaugesOf } from '../status/gauges.ts';
import type { State } from '../status/state.ts';
import { openMetrics } from './metrics.ts';

const FULL: Partial<State> = {
  key: { state: 'refused' },
  hosts: [hostOf(), hostOf({ state: 'half-open' })],
  budget: { ...stateOf().budget, pausedForMs: 2_000 },
  keyExpiry: { day: '2027-02-20', inDays: 9, isGuess: false },
  keyFile: { state: 'refused', takenOver: 2 },
  alerts: { host: 'hooks.test', sent: 4, failure: 'it returned 500' },
  logLost: true,
  unreadableRows: 5,
  outcomes: { total: 4, bad: { internal: 1 }, limited: 0 },
  refusedCharts: [{ host: 'cdn.test', reason: 'http', charts: 6 }],
  stateDirFault: 'ENOSPC',
  redis: { state: 'lost', lostForMs: 1_500, losses: 3, evictionPolicy: 'allkeys-lru' },
};

/** Each metric that is read from the state, with its value. Alert rules and dashboards refer to these names. */
const VALUES = {
  ready: 1,
  key_refused: 1,
  key_expires_timestamp_seconds: 1_803_081_600,
  sources: 1,
  sources_fresh: 1,
  sources_failing: 0,
  list_rows_unreadable: 5,
  budget_limit: 60,
  budget_used: 10,
  budget_left: 5,
  budget_others: 0,
  budget_paused_seconds: 2,
  hosts_well: 1,
  readers_without_chart_ratio: 0.25,
  charts_refused: 6,
  alerts_failing: 1,
  alerts_sent_total: 4,
  log_lost: 1,
  key_file_usable: 0,
  key_takeovers_total: 2,
  state_dir_failing: 1,
  redis_joined: 0,
  redis_lost_seconds: 1.5,
  redis_evicting: 1,
  redis_own_share: 45,
  redis_losses_total: 3,
};

function open(world: Partial<State> = {}) {
  const events: Upstream['events'] = new EventEmitter();
  const state = { ...world };
  const metrics = openMetrics({ events }, () => gaugesOf(stateOf(state)), { ownsProcess: false });
  return { metrics, state, events };
}

describe('openMetrics()', () => {
  it('exposes metrics for Redis, the key file, and the state folder only if they are used', async () =>
    assert.doesNotMatch(await open().metrics.text(), /redis|key_file|takeovers|state_dir/));

  it('exposes values read from the state, and omits those that are unknown', async () => {
    const { metrics, state } = open(FULL);
    const values = (await metrics.text()).matchAll(/^pulse_bff_(\w+) (\S+)$/gm);
    const found = Object.fromEntries(Array.from(values, ([, name = '', value]) => [name, Number(value)]));
    for (const [name, value] of Object.entries(VALUES)) assert.equal(found[name], value, name);
    state.keyExpiry = null;
    state.keyFile = { state: 'untried', takenOver: 0 };
    assert.doesNotMatch(await metrics.text(), /^pulse_bff_key_expires_timestamp_seconds \d/m);
    assert.match(await metrics.text(), /^pulse_bff_key_file_usable 1$/m);
    assert.doesNotMatch(await metrics.text(), /process_cpu/);
    assert.match(await metrics.text(), /^# TYPE pulse_bff_alerts_sent_total counter$/m);
  });

  it('exposes every metric that deploy/monitoring and the docs mention', async () => {
    const text = await open(FULL).metrics.text();
    const files = ['deploy/monitoring/*', 'docs/**/monitor*.md'].flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
    const named = files.flatMap((file) => readFileSync(join(ROOT, file), 'utf8').match(/pulse_bff_[a-z_]+/g) ?? []);
    assert.ok(named.length > 20);
    for (const name of named)
      assert.match(text, new RegExp(`^# TYPE ${name.replace(/_(bucket|sum|count)$/, '')} `, 'm'));
  });

  it('counts responses and calls', async () => {
    const { metrics, events } = open();
    const facts = { method: 'GET', path: '/', sourceIds: [], client: 'c', isUntrustedProxy: false };
    metrics.record({ ...facts, route: '/v1/pulses', status: 200, durationMs: 2, cache: 'hit', ageMs: 4_000 });
    metrics.record({ ...facts, route: '/v1/pulses', status: 503, durationMs: 2 });
    events.emit('called', { host: 'main', kind: 'pulse', outcome: 'timeout', durationMs: 5_000 });
    events.emit('refused', 'out_of_calls');
    const text = await metrics.text();
    for (const line of [
      'answers_total{route="/v1/pulses",status="200",cache="hit"} 1',
      'answers_total{route="/v1/pulses",status="503",cache="none"} 1',
      'answer_age_seconds_sum 4',
      'answer_seconds_sum 0.004',
      'upstream_seconds_sum 5',
      'upstream_calls_total{host="main",kind="pulse",outcome="timeout"} 1',
      'upstream_refusals_total{reason="out_of_calls"} 1',
    ])
      assert.ok(text.includes(`pulse_bff_${line}\n`), line);
    assert.match(text, /^pulse_bff_build_info\{version="\d/m);
    metrics.close();
    assert.deepEqual(events.eventNames(), []);
  });
});
