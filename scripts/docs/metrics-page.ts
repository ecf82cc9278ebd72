import { openMetrics } from '../../packages/bff/src/features/metrics/metrics.ts';
import { gaugesOf } from '../../packages/bff/src/features/status/gauges.ts';
import { stateOf } from '../../packages/bff/src/testing/state.ts';
import type { CallObserver } from '../../packages/bff/src/upstream/call-monitor.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Returns the section about metrics, generated from the metrics of a BFF that has just started. */
export async function metricsSection(): Promise<string> {
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
    '## Metrics',
    '`/metrics` on the admin port has metrics for Prometheus. Metrics with `redis` in their names exist only if `REDIS_URL` is set. Similarly, metrics with `key_file` or `key_takeovers` exist only if `PULSE_API_KEY_FILE` is set, and `pulse_bff_state_dir_failing` exists only if `PULSE_STATE_DIR` is set. The route also has the standard metrics of a Node process (`process_…`, `nodejs_…`). [Monitor](../operate/monitor.md) has alert rules and a dashboard. No label contains anything that a reader has sent.',
    markdownTable(['metric', 'type', 'labels', 'meaning'], rows),
  ].join('\n\n');
}

function registeredMetrics() {
  const state = stateOf({
    keyFile: { state: 'in_use', takenOver: 0 },
    stateDirFault: null,
    redis: { state: 'joined', lostForMs: 0, losses: 0, evictionPolicy: null },
  });
  let observer: CallObserver = {};
  const upstream = { observe: (each: CallObserver) => ((observer = each), () => {}) };
  const metrics = openMetrics({ upstream, gauges: () => gaugesOf(state), ownsProcess: false });
  // A counter shows its labels only after it has counted something.
  observer.called?.({ host: 'main', kind: 'pulse', outcome: 'answered', durationMs: 1 });
  observer.refused?.('out_of_calls');
  const facts = { method: 'GET', path: '/v1/pulses', sourceIds: [], client: '', isUntrustedProxy: false };
  metrics.record({ ...facts, route: '/v1/pulses', status: 200, durationMs: 1 });
  return metrics;
}
