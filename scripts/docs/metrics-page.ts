import { alertGauges } from '../../packages/bff/src/features/alerts/open-alerts.ts';
import { refusalGauges } from '../../packages/bff/src/features/images/refused-charts.ts';
import { keyFileGauges } from '../../packages/bff/src/features/key-file/key-file-report.ts';
import { Metrics } from '../../packages/bff/src/features/metrics/metrics.ts';
import type { BffState } from '../../packages/bff/src/features/status/bff-state.ts';
import { stateFolderGauges } from '../../packages/bff/src/features/state-folder/state-folder-report.ts';
import { stateGauges } from '../../packages/bff/src/features/status/state-gauges.ts';
import type { ResponseRecord } from '../../packages/bff/src/http/request-context.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Returns the metrics page, generated from the metrics of a BFF that has just started. */
export async function metricsPage(): Promise<string> {
  const text = await registeredMetrics().text();
  const labels = new Map(
    Array.from(text.matchAll(/^(\w+)\{([^}]*)\}/gm), ([, name = '', set = '']) => [
      name,
      Array.from(set.matchAll(/(\w+)="/g), ([, label = '']) => label).filter((label) => label !== 'le'),
    ]),
  );
  const types = new Map(Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type]) => [name, type]));
  const rows = Array.from(text.matchAll(/^# HELP (\S+) (.+)$/gm), ([, name = '', help]) => [
    code(name),
    types.get(name),
    labels.get(name)?.map(code).join(' '),
    help,
  ]);
  return [
    '# Metrics',
    '`/metrics` on the private port has metrics for Prometheus. Metrics with `redis` in their names exist only if `REDIS_URL` is set. Similarly, metrics with `key_file` or `key_takeovers` exist only if `PULSE_API_KEY_FILE` is set, and `pulse_bff_state_dir_failing` exists only if `PULSE_STATE_DIR` is set. The route also has the standard metrics of a Node process (`process_…`, `nodejs_…`). [Monitor](../operate/monitor.md) has alert rules and a dashboard. No label contains anything that a reader has sent.',
    markdownTable(['metric', 'type', 'labels', 'meaning'], rows),
  ].join('\n\n');
}

function registeredMetrics(): Metrics {
  const state = {
    ready: false,
    key: { state: 'untried' },
    sources: [],
    hosts: [],
    unreadableRows: 0,
    budget: { limit: 60, used: 0, left: 0, others: 0, pausedForMs: 0 },
    redis: { state: 'joined', share: 2, lostForMs: 0, losses: 0, evictionPolicy: null },
    outcomes: { total: 0, bad: {} },
  };
  const alerts = { status: () => ({ host: null, sent: 0, failure: null }), keyExpiry: () => undefined };
  const metrics = new Metrics(() => [
    stateGauges(state as unknown as BffState),
    keyFileGauges({ state: 'in_use', takenOver: 0 }),
    stateFolderGauges(undefined),
    refusalGauges([]),
    alertGauges(alerts),
  ]);
  metrics.setVersion('0.0.0');
  // A counter shows its labels only after it has counted something.
  metrics.calls.called?.({ host: 'main', kind: 'pulse', outcome: 'answered', durationMs: 1 });
  metrics.calls.refused?.('circuit-open');
  metrics.record({ route: '/v1/pulses', status: 200, durationMs: 1 } as ResponseRecord);
  return metrics;
}
