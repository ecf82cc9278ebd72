import type { Alerts } from '../alerts/alerts.ts';
import { badShare, type ReaderOutcomes } from './reader-outcomes.ts';
import type { KeyFileStatus } from '../upstream/key-file.ts';
import type { CallObserver } from '../upstream/upstream.ts';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { CacheStatus } from '../cache/cache-status.ts';
import type { ClusterStatus } from '../cache/port.ts';
import type { ResponseRecord } from '../http/context.ts';

/** From a cache hit to the upstream timeout, in seconds. */
const DURATIONS_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** From fresh to an outage of a day, in seconds. */
const AGES_SECONDS = [1, 5, 15, 30, 60, 300, 900, 3_600, 21_600, 86_400];

/** What the gauges of Redis say where there is none. */
const NO_CLUSTER: ClusterStatus = {
  state: 'lost',
  fault: undefined,
  advice: undefined,
  share: 0,
  lostForMs: 0,
  losses: 0,
};

/** What the gauges read on a scrape. */
export interface MetricsSources {
  readonly status: () => CacheStatus;
  /** The instances on one Redis; undefined where there is none. */
  readonly cluster: () => ClusterStatus | undefined;
  readonly outcomes: () => ReaderOutcomes;
  readonly keyFile: () => KeyFileStatus | undefined;
  readonly alerts: Pick<Alerts, 'keyExpiry' | 'status'>;
}

/** Prometheus metrics. No label holds anything that a reader sent. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #answers = new Counter({
    name: 'pulse_bff_answers_total',
    help: 'Answers by route, status and cache result',
    labelNames: ['route', 'status', 'cache'],
    registers: [this.#registry],
    collect: () => this.#takeTallies(),
  });
  readonly #seconds = this.#histogram('pulse_bff_answer_seconds', 'Duration of answers', DURATIONS_SECONDS);
  readonly #ages = this.#histogram('pulse_bff_answer_age_seconds', 'Age of the answers', AGES_SECONDS);
  readonly #calls = new Counter({
    name: 'pulse_bff_upstream_calls_total',
    help: 'Calls to the service by host, operation and outcome',
    labelNames: ['host', 'kind', 'outcome'],
    registers: [this.#registry],
  });
  readonly #callSeconds = this.#histogram(
    'pulse_bff_upstream_seconds',
    'Duration of calls to the service',
    DURATIONS_SECONDS,
  );
  readonly #refusals = new Counter({
    name: 'pulse_bff_upstream_refusals_total',
    help: 'Calls that were denied, by reason',
    labelNames: ['reason'],
    registers: [this.#registry],
  });
  /** Counts of responses, moved to the registry when it is scraped: a hit costs one addition. */
  readonly #tallies = new Map<string, { labels: Record<'route' | 'status' | 'cache', string>; count: number }>();

  /** Takes the status that the gauges show. */
  #refresh: () => void = () => {};

  /** Counts the upstream calls of the cache. */
  readonly observer: CallObserver = {
    called: ({ host, kind, outcome, durationMs }) => {
      this.#calls.inc({ host, kind, outcome });
      this.#callSeconds.observe(durationMs / 1_000);
    },
    refused: (reason) => this.#refusals.inc({ reason }),
  };

  /** Records a response. */
  record({ route, status, durationMs, cacheResult = 'none', ageMs }: ResponseRecord): void {
    const name = `${route} ${status} ${cacheResult}`;
    const tally = this.#tallies.get(name);
    if (tally === undefined)
      this.#tallies.set(name, { labels: { route, status: String(status), cache: cacheResult }, count: 1 });
    else tally.count += 1;
    this.#seconds.observe(durationMs / 1_000);
    if (ageMs !== undefined) this.#ages.observe(ageMs / 1_000);
  }

  /** Answers since the start, by what the cache did. */
  responsesByCacheResult(): Record<string, number> {
    const sums: Record<string, number> = {};
    for (const { labels, count } of this.#tallies.values()) sums[labels.cache] = (sums[labels.cache] ?? 0) + count;
    return sums;
  }

  /** Adds which version this is, as the label of a constant. */
  setVersion(version: string): void {
    const labelNames = ['version', 'node'];
    const help = 'Always 1; its labels are the versions of the BFF and of Node';
    new Gauge({ name: 'pulse_bff_build_info', help, labelNames, registers: [this.#registry] })
      .labels({ version, node: process.versions.node })
      .set(1);
  }

  /** Adds the metrics of the process itself. Their observers cannot be removed. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
    // Gauges that are named as counters: promtool refuses them.
    for (const name of ['handles', 'requests', 'resources'])
      this.#registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }

  /** Adds the gauges, which read the core when they are scraped. */
  watch({ status, cluster, outcomes, keyFile, alerts }: MetricsSources): void {
    // All gauges of one scrape share one status.
    let facts = status();
    this.#refresh = () => (facts = status());
    const gauge = (name: string, help: string, value: (facts: CacheStatus) => number): void =>
      this.#gauge(name, help, () => value(facts));
    gauge('pulse_bff_ready', '1 after the first answer of the service', ({ ready }) => Number(ready));
    gauge('pulse_bff_key_refused', '1 while the service refuses the key', ({ key }) => Number(key.state === 'refused'));
    gauge('pulse_bff_sources', 'Known sources', ({ sources }) => sources.length);
    gauge(
      'pulse_bff_list_rows_unreadable',
      'Rows of the source list that cannot be read',
      ({ unreadableRows }) => unreadableRows,
    );
    gauge('pulse_bff_sources_fresh', 'Sources with a fresh answer', ({ sources }) => freshIn(sources));
    gauge('pulse_bff_budget_limit', 'Calls of the key in a window', ({ budget }) => budget.limit);
    gauge('pulse_bff_budget_used', 'Calls of this BFF in the window', ({ budget }) => budget.used);
    gauge('pulse_bff_budget_left', 'Calls that may be made now', ({ budget }) => budget.left);
    gauge('pulse_bff_budget_others', 'Calls of other users of the key in the window', ({ budget }) => budget.others);
    gauge(
      'pulse_bff_budget_paused_seconds',
      'Seconds until paused calls go on',
      ({ budget }) => budget.pausedForMs / 1_000,
    );
    gauge(
      'pulse_bff_hosts_well',
      'Hosts that answer',
      ({ hosts }) => hosts.filter(({ state }) => state === 'closed').length,
    );
    this.#gauge(
      'pulse_bff_key_file_usable',
      '0 while the key file is missing, unreadable, or holds no key that works',
      () => Number(['in_use', 'untried', undefined].includes(keyFile()?.state)),
    );
    this.#total(
      'pulse_bff_key_takeovers_total',
      'New keys of the key file that the service accepted',
      () => keyFile()?.takenOver ?? 0,
    );
    this.#gauge(
      'pulse_bff_readers_without_chart_ratio',
      'Share of data answers of the last 5 minutes that were refused or failed, from 0 to 1',
      () => badShare(outcomes()),
    );
    this.#watchAlerts(alerts);
    if (cluster()) this.#watchClusterStatus(cluster);
  }

  #watchAlerts(alerts: MetricsSources['alerts']): void {
    const expiry: Gauge = new Gauge({
      name: 'pulse_bff_key_expires_timestamp_seconds',
      help: 'When the key ends, in seconds since the Unix epoch; absent where nobody knows',
      registers: [this.#registry],
      collect: () => {
        expiry.remove();
        const day = alerts.keyExpiry()?.day;
        if (day !== undefined) expiry.set(Date.parse(day) / 1_000);
      },
    });
    this.#total('pulse_bff_alerts_sent_total', 'Messages that the webhook took', () => alerts.status().sent);
    this.#gauge('pulse_bff_alerts_failing', '1 while the webhook takes no messages', () =>
      Number(alerts.status().failure !== null),
    );
  }

  #watchClusterStatus(cluster: MetricsSources['cluster']): void {
    const gauge = (name: string, help: string, value: (facts: ClusterStatus) => number): void =>
      this.#gauge(name, help, () => value(cluster() ?? NO_CLUSTER));
    gauge('pulse_bff_redis_joined', '1 while the budget is shared over Redis', ({ state }) =>
      Number(state === 'joined'),
    );
    gauge('pulse_bff_redis_lost_seconds', 'Seconds since Redis was lost', ({ lostForMs }) => lostForMs / 1_000);
    gauge('pulse_bff_redis_losses', 'Losses of Redis since the start', ({ losses }) => losses);
    gauge('pulse_bff_redis_own_share', 'Calls of this instance in a window while Redis is lost', ({ share }) => share);
  }

  /** All of it, as Prometheus reads it. */
  async text(): Promise<{ type: string; text: string }> {
    this.#refresh();
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #takeTallies(): void {
    this.#answers.reset();
    for (const { labels, count } of this.#tallies.values()) this.#answers.inc(labels, count);
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, value: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect: () => gauge.set(value()) });
  }

  /** A counter that reads its value on a scrape. */
  #total(name: string, help: string, value: () => number): void {
    this.#counter(name, help, [], (counter) => counter.inc(value()));
  }

  #counter(name: string, help: string, labelNames: string[], take: (counter: Counter) => void): void {
    const collect = (): void => {
      counter.reset();
      take(counter);
    };
    const counter: Counter = new Counter({ name, help, labelNames, registers: [this.#registry], collect });
  }
}

function freshIn(sources: CacheStatus['sources']): number {
  return sources.filter(({ freshness }) => freshness === 'fresh').length;
}
