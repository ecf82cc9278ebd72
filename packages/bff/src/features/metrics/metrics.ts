import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FeatureDefinition, Gauges } from '../../feature.ts';
import type { ResponseRecord } from '../../http/request-context.ts';
import { packageVersion } from '../../lib/package-version.ts';
import type { CallObserver, CallReport } from '../../upstream/call-observer.ts';

/** The page `/metrics` on the private port, for Prometheus. */
export const metricsFeature: FeatureDefinition = {
  open({ features, ownsProcess }) {
    const metrics = new Metrics(() => features.map(({ gauges }) => gauges?.() ?? {}));
    metrics.setVersion(packageVersion());
    if (ownsProcess) metrics.watchProcess();
    return {
      name: 'metrics',
      documents: { '/metrics': { type: metrics.type, text: () => metrics.text() } },
      onAnswer: (answer) => metrics.record(answer),
      calls: metrics.calls,
    };
  },
};

/** Buckets in seconds, from the duration of a cache hit to the upstream timeout. */
const DURATIONS_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Buckets in seconds, from the age of a fresh answer to an outage of a day. */
const AGES_SECONDS = [1, 5, 15, 30, 60, 300, 900, 3_600, 21_600, 86_400];

/** Metrics for Prometheus. No label contains anything that a reader sent. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #readGauges: () => readonly Gauges[];
  readonly #answers = new Counter({
    ...this.#named('answers_total', 'Number of answers by route, status, and cache result'),
    labelNames: ['route', 'status', 'cache'],
    collect: () => this.#takeTallies(),
  });
  readonly #seconds = this.#histogram('answer_seconds', 'Duration of answers', DURATIONS_SECONDS);
  readonly #ages = this.#histogram('answer_age_seconds', 'Age of the answers', AGES_SECONDS);
  readonly #calls = new Counter({
    ...this.#named('upstream_calls_total', 'Number of calls to the service by host, operation, and outcome'),
    labelNames: ['host', 'kind', 'outcome'],
  });
  readonly #callSeconds = this.#histogram('upstream_seconds', 'Duration of calls to the service', DURATIONS_SECONDS);
  readonly #refusals = new Counter({
    ...this.#named('upstream_refusals_total', 'Number of calls that were denied, by reason'),
    labelNames: ['reason'],
  });
  /**
   * Counts of responses. Hits are moved to the registry only when the metrics are read, so that each hit costs only one
   * addition.
   */
  readonly #tallies = new Map<string, { labels: Record<'route' | 'status' | 'cache', string>; count: number }>();
  /** The metrics of features, by name. */
  readonly #ofFeatures = new Map<string, Gauge | Counter>();

  /** `readGauges` reads the metrics of features, once for each request by Prometheus. */
  constructor(readGauges: () => readonly Gauges[]) {
    this.#readGauges = readGauges;
  }

  /** Counts the calls to the service. */
  readonly calls: CallObserver = {
    called: ({ host, kind, outcome, durationMs }: CallReport) => {
      this.#calls.inc({ host, kind, outcome });
      this.#callSeconds.observe(durationMs / 1_000);
    },
    refused: (reason) => this.#refusals.inc({ reason }),
  };

  record({ route, status, durationMs, cacheResult = 'none', ageMs }: ResponseRecord): void {
    const name = `${route} ${status} ${cacheResult}`;
    const tally = this.#tallies.get(name);
    if (tally === undefined)
      this.#tallies.set(name, { labels: { route, status: String(status), cache: cacheResult }, count: 1 });
    else tally.count += 1;
    this.#seconds.observe(durationMs / 1_000);
    if (ageMs !== undefined) this.#ages.observe(ageMs / 1_000);
  }

  /** Adds a constant metric with the versions as labels. */
  setVersion(version: string): void {
    const help = 'Always 1; its labels are the versions of the BFF and of Node';
    const gauge = new Gauge({ ...this.#named('build_info', help), labelNames: ['version', 'node'] });
    gauge.set({ version, node: process.versions.node }, 1);
  }

  /** Adds the metrics of the process itself. The observers of these metrics can't be removed. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
    // These gauges are left out because promtool rejects their names, which look like counters.
    for (const name of ['handles', 'requests', 'resources'])
      this.#registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }

  /** The content type of `text()`. */
  get type(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus's text format. */
  text(): Promise<string> {
    for (const gauges of this.#readGauges())
      for (const [name, [help, value]] of Object.entries(gauges)) this.#set(name, help, value);
    return this.#registry.metrics();
  }

  #takeTallies(): void {
    this.#answers.reset();
    for (const { labels, count } of this.#tallies.values()) this.#answers.inc(labels, count);
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ ...this.#named(name, help), buckets });
  }

  #named(name: string, help: string) {
    return { name: `pulse_bff_${name}`, help, registers: [this.#registry] };
  }

  /**
   * Sets a metric of a feature. If the metric's name ends in `_total`, it is a counter. Otherwise, it is a gauge. A
   * gauge is missing while `value` is null.
   */
  #set(name: string, help: string, value: number | null): void {
    const known = this.#ofFeatures.get(name);
    const isCounter = name.endsWith('_total');
    const metric = known ?? new (isCounter ? Counter : Gauge)(this.#named(name, help));
    this.#ofFeatures.set(name, metric);
    metric.reset();
    if (value === null) metric.remove();
    else metric.inc(value);
  }
}
