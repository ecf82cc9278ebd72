import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { freshSource, joinedRedis, wellState } from '../testing/bff-state.ts';
import { Metrics } from './metrics.ts';
import type { BffState } from './bff-state.ts';

const lastFailure = { code: 'upstream_unavailable', detail: 'upstream-error', retryInMs: 0, forMs: 300_000 };

const STATE: BffState = {
  ...wellState,
  sources: [freshSource, { ...freshSource, freshness: 'stale', lastFailure }],
  stateDirFault: 'ENOSPC',
  redis: { ...joinedRedis, state: 'lost', lostForMs: 2_000, losses: 3, evictionPolicy: 'volatile-lru' },
  outcomes: { total: 4, bad: { internal: 1 }, limited: 0 },
  keyFile: { state: 'refused', takenOver: 1 },
};

async function textOf(state: BffState): Promise<string> {
  const metrics = new Metrics();
  metrics.watch(() => state);
  return (await metrics.text()).text;
}

describe('Metrics', () => {
  it('read the state once per scrape', async () => {
    const metrics = new Metrics();
    const state = mock.fn(() => STATE);
    metrics.watch(state);
    await metrics.text();
    await metrics.text();
    assert.equal(state.mock.callCount(), 3);
  });

  for (const line of [
    'pulse_bff_ready 1',
    'pulse_bff_sources 2',
    'pulse_bff_sources_fresh 1',
    'pulse_bff_sources_failing 1',
    'pulse_bff_hosts_well 1',
    'pulse_bff_state_dir_failing 1',
    'pulse_bff_readers_without_chart_ratio 0.25',
    'pulse_bff_redis_joined 0',
    'pulse_bff_redis_evicting 1',
    'pulse_bff_redis_losses_total 3',
    'pulse_bff_redis_lost_seconds 2',
    'pulse_bff_key_file_usable 0',
    'pulse_bff_key_takeovers_total 1',
  ])
    it(`contain the state: ${line}`, async () => assert.ok((await textOf(STATE)).split('\n').includes(line)));

  it('omit Redis if there is none', async () =>
    assert.doesNotMatch(await textOf({ ...STATE, redis: null }), /^pulse_bff_redis/m));

  it('include those of features: gauges, counters, and no nulls', async () => {
    const metrics = new Metrics();
    metrics.add({
      moods: ['Moods', () => 3],
      sent_total: ['Messages', () => 2],
      unknown: ['Unknown', () => null],
    });
    const { text } = await metrics.text();
    assert.match(text, /^# TYPE pulse_bff_moods gauge\npulse_bff_moods 3$/m);
    assert.match(text, /^# TYPE pulse_bff_sent_total counter\npulse_bff_sent_total 2$/m);
    assert.doesNotMatch(text, /^pulse_bff_unknown/m);
  });

  it('use _total for counters only, as promtool requires', async () => {
    const metrics = new Metrics();
    metrics.setVersion('1.2.3');
    metrics.watchProcess();
    const { text } = await metrics.text();
    assert.match(text, /^pulse_bff_build_info\{version="1.2.3",node="[\d.]+"\} 1$/m);
    const types = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type]) => ({ name, type }));
    for (const { name, type } of types) assert.equal(name.endsWith('_total'), type === 'counter', name);
  });
});
