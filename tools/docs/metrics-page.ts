import { Metrics, type MetricsSources } from '../../packages/bff/src/observability/metrics.ts';
import { code, markdownTable } from './markdown-table.ts';

/** The page of metrics, out of the registry of a BFF that has just begun. */
export async function metricsPage(): Promise<string> {
  const { text } = await registeredMetrics().text();
  const types = new Map(Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type]) => [name, type]));
  const rows = Array.from(text.matchAll(/^# HELP (\S+) (.+)$/gm), ([, name = '', help]) => [
    code(name),
    types.get(name),
    help,
  ]);
  return [
    '# Metrics',
    '`/metrics` on the private port, for Prometheus. Those with `redis` exist with `REDIS_URL`. The standard metrics of a Node process (`process_…`, `nodejs_…`) come besides. [Monitor](../operate/monitor.md) has alert rules and a dashboard.',
    markdownTable(['metric', 'type', 'meaning'], rows),
  ].join('\n\n');
}

function registeredMetrics(): Metrics {
  const metrics = new Metrics();
  const facts = {
    ready: false,
    key: { state: 'untried' },
    sources: [],
    hosts: [],
    unreadableRows: 0,
    budget: { limit: 60, used: 0, left: 0, others: 0, pausedForMs: 0 },
  };
  const live = { connections: 0, events: 0, cut: 0, refused: {} };
  const cluster = { state: 'joined', share: 2, lostForMs: 0, losses: 0 };
  const alerts = { keyExpiry: () => undefined, status: () => ({ sent: 0, failure: null }) };
  const sources = {
    status: () => facts,
    live: () => live,

    cluster: () => cluster,
    outcomes: () => ({ total: 0, bad: {} }),
    keyFile: () => undefined,
    alerts,
  };
  metrics.setVersion('0.0.0');
  metrics.watch(sources as unknown as MetricsSources);
  return metrics;
}
