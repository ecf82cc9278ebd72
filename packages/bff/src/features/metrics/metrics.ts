import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RequestRecord } from '../../http/locals.ts';
import { packageVersion } from '../../lib/package-version.ts';
import type { CallFacts, Upstream } from '../../upstream/upstream.ts';

/** Buckets in seconds, from the duration of a cache hit to the upstream timeout. */
const DURATIONS_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Buckets in seconds, from the age of a fresh response to a day-long outage. */
const AGES_SECONDS = [1, 5, 15, 30, 60, 300, 900, 3_600, 21_600, 86_400];

/**
 * The `/metrics` page on the admin port, for Prometheus. Labels never contain anything that a reader sent. `gauges`:
 * metrics that are computed on request, by name, each with its description and value. A metric is omitted while its
 * value is null. `ownsProcess`: whether the process serves only the BFF. If so, the process's metrics are included.
 */
export function openMetrics(
  { events }: Pick<Upstream, 'events'>,
  gauges: () => Readonly<Record<string, readonly [help: string, value: number | null]>>,
  { ownsProcess }: { readonly ownsProcess: boolean },
) {
  const registry = new Registry();
  const named = (name: string, help: string) => ({ name: `pulse_bff_${name}`, help, registers: [registry] });
  const responses = new Counter({
    ...named('answers_total', 'Number of responses by route, status, and cache result'),
    labelNames: ['route', 'status', 'cache'],
  });
  const seconds = new Histogram({ ...named('answer_seconds', 'Duration of responses'), buckets: DURATIONS_SECONDS });
  const ages = new Histogram({ ...named('answer_age_seconds', 'Age of the responses'), buckets: AGES_SECONDS });
  const calls = new Counter({
    ...named('upstream_calls_total', 'Number of calls to the service by host, operation, and outcome'),
    labelNames: ['host', 'kind', 'outcome'],
  });
  const ofCalls = named('upstream_seconds', 'Duration of calls to the service');
  const callSeconds = new Histogram({ ...ofCalls, buckets: DURATIONS_SECONDS });
  const ofUnsent = named('upstream_refusals_total', 'Number of calls not made, by reason');
  const unsent = new Counter({ ...ofUnsent, labelNames: ['reason'] });
  const info = new Gauge({
    ...named('build_info', 'Always 1; the labels contain the versions of the BFF and Node'),
    labelNames: ['version', 'node'],
  });
  info.set({ version: packageVersion(), node: process.versions.node }, 1);
  const onCalled = ({ host, kind, outcome, durationMs }: CallFacts): void => {
    calls.inc({ host, kind, outcome });
    callSeconds.observe(durationMs / 1_000);
  };
  const onRefused = (reason: string): void => unsent.inc({ reason });
  events.on('called', onCalled).on('refused', onRefused);
  if (ownsProcess) watchProcess(registry);
  return {
    /** Stops counting calls to the service. */
    close: () => void events.off('called', onCalled).off('refused', onRefused),
    /** The content type of `text()`. */
    type: registry.contentType,
    record: ({ route, status, durationMs, cache, ageMs }: RequestRecord): void => {
      responses.inc({ route, status, cache: cache ?? 'none' });
      seconds.observe(durationMs / 1_000);
      if (ageMs !== undefined) ages.observe(ageMs / 1_000);
    },
    text: (): Promise<string> => {
      const ofState = new Registry();
      for (const [name, [help, value]] of Object.entries(gauges())) {
        const options = { ...named(name, help), registers: [ofState] };
        if (value !== null) new (name.endsWith('_total') ? Counter : Gauge)(options).inc(value);
      }
      return Registry.merge([registry, ofState]).metrics();
    },
  };
}

/** These metrics' observers can't be removed. */
function watchProcess(register: Registry): void {
  collectDefaultMetrics({ register });
  // These gauges are omitted because promtool rejects their names, which look like counters.
  for (const name of ['handles', 'requests', 'resources']) register.removeSingleMetric(`nodejs_active_${name}_total`);
}
