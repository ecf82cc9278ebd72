import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ClusterStatus } from '../cache/peers.ts';
import type { ResponseRecord } from '../http/request-context.ts';
import type { CallObserver } from '../upstream/call-observer.ts';
import { badShare, type BffState, failingSources, isEvicting } from './bff-state.ts';

/** From a cache hit to the upstream timeout, in seconds. */
const DURATIONS_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** From fresh to an outage of a day, in seconds. */
const AGES_SECONDS = [1, 5, 15, 30, 60, 300, 900, 3_600, 21_600, 86_400];

/** Reads a metric from the state; null if there is nothing to show. */
type Read<State = BffState> = (state: State) => number | null;

/** Metrics by name, after `pulse_bff_`. */
type MetricTable<State = BffState> = Readonly<Record<string, readonly [help: string, read: Read<State>]>>;

const GAUGES: MetricTable = {
  ready: ['1 while there is something to serve', ({ ready }) => Number(ready)],
  key_refused: ['1 while the service refuses the key', ({ key }) => Number(key.state === 'refused')],
  key_file_usable: [
    '0 while the key file is missing, unreadable, or holds no key that works',
    ({ keyFile }) => Number(keyFile === null || ['in_use', 'untried'].includes(keyFile.state)),
  ],
  sources: ['Known sources', ({ sources }) => sources.length],
  sources_fresh: [
    'Sources with a fresh answer',
    ({ sources }) => sources.filter(({ freshness }) => freshness === 'fresh').length,
  ],
  sources_failing: [
    'Sources with readers whose calls have failed for 5 minutes while others succeed',
    (state) => failingSources(state).length,
  ],
  state_dir_failing: [
    '1 while files cannot be written to PULSE_STATE_DIR',
    ({ stateDirFault }) => Number(stateDirFault !== null),
  ],
  list_rows_unreadable: ['Rows of the source list that cannot be read', ({ unreadableRows }) => unreadableRows],
  charts_refused: [
    'Charts whose address is not allowed, such as an http: one',
    ({ refusedCharts }) => refusedCharts.reduce((sum, { charts }) => sum + charts, 0),
  ],
  budget_limit: ['Calls of the key in a window', ({ budget }) => budget.limit],
  budget_used: ['Calls of this BFF in the window', ({ budget }) => budget.used],
  budget_left: ['Calls that may be made now', ({ budget }) => budget.left],
  budget_others: ['Calls of other users of the key in the window', ({ budget }) => budget.others],
  budget_paused_seconds: ['Seconds until paused calls continue', ({ budget }) => budget.pausedForMs / 1_000],
  hosts_well: ['Hosts that answer', ({ hosts }) => hosts.filter(({ state }) => state === 'closed').length],
  readers_without_chart_ratio: [
    'Share of requests of the last 5 minutes that had a right to a chart and got none, from 0 to 1',
    ({ outcomes }) => badShare(outcomes),
  ],
};

/** A metric of a feature: its help, and how to read it; null if there is nothing to show. */
export type FeatureMetric = readonly [help: string, read: () => number | null];

/** Gauges of an instance with Redis. */
const REDIS_GAUGES: MetricTable<ClusterStatus> = {
  redis_joined: ['1 while the budget is shared over Redis', ({ state }) => Number(state === 'joined')],
  redis_lost_seconds: ['Seconds since Redis was lost', ({ lostForMs }) => lostForMs / 1_000],
  redis_evicting: [
    '1 while maxmemory-policy lets Redis drop values before they expire',
    (redis) => Number(isEvicting(redis)),
  ],
  redis_own_share: ['Calls of this instance in a window while Redis is lost', ({ share }) => share],
};

/** Counters of an instance with Redis. */
const REDIS_TOTALS: MetricTable<ClusterStatus> = {
  redis_losses_total: ['Losses of Redis since the start', ({ losses }) => losses],
};

/** Counters that the state holds. */
const TOTALS: MetricTable = {
  key_takeovers_total: ['New keys of the key file that the service accepted', ({ keyFile }) => keyFile?.takenOver ?? 0],
};

/** Prometheus metrics. No label holds anything that a reader sent. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #answers = new Counter({
    ...this.#named('answers_total', 'Answers by route, status and cache result', ['route', 'status', 'cache']),
    collect: () => this.#takeTallies(),
  });
  readonly #seconds = this.#histogram('answer_seconds', 'Duration of answers', DURATIONS_SECONDS);
  readonly #ages = this.#histogram('answer_age_seconds', 'Age of the answers', AGES_SECONDS);
  readonly #calls = new Counter(
    this.#named('upstream_calls_total', 'Calls to the service by host, operation and outcome', [
      'host',
      'kind',
      'outcome',
    ]),
  );
  readonly #callSeconds = this.#histogram('upstream_seconds', 'Duration of calls to the service', DURATIONS_SECONDS);
  readonly #refusals = new Counter(
    this.#named('upstream_refusals_total', 'Calls that were denied, by reason', ['reason']),
  );
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
    const help = 'Always 1; its labels are the versions of the BFF and of Node';
    new Gauge(this.#named('build_info', help, ['version', 'node'])).set({ version, node: process.versions.node }, 1);
  }

  /** Adds the metrics of the process itself. Their observers cannot be removed. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
    // Gauges that are named as counters: promtool refuses them.
    for (const name of ['handles', 'requests', 'resources'])
      this.#registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }

  /** Adds the gauges. All of one scrape read one state. */
  watch(stateNow: () => BffState): void {
    let state = stateNow();
    this.#refresh = () => (state = stateNow());
    for (const [name, [help, read]] of Object.entries(GAUGES)) this.#gauge(name, help, () => read(state));
    for (const [name, [help, read]] of Object.entries(TOTALS)) this.#total(name, help, () => read(state));
    if (state.redis !== null) {
      for (const [name, [help, read]] of Object.entries(REDIS_GAUGES))
        this.#gauge(name, help, () => state.redis && read(state.redis));
      for (const [name, [help, read]] of Object.entries(REDIS_TOTALS))
        this.#total(name, help, () => state.redis && read(state.redis));
    }
  }

  /** Adds metrics of a feature. A name that ends in `_total` is a counter, any other a gauge. */
  add(metrics: Readonly<Record<string, FeatureMetric>>): void {
    for (const [name, [help, read]] of Object.entries(metrics))
      if (name.endsWith('_total')) this.#total(name, help, read);
      else this.#gauge(name, help, read);
  }

  /** All metrics in Prometheus's text format. */
  async text(): Promise<{ type: string; text: string }> {
    this.#refresh();
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #takeTallies(): void {
    this.#answers.reset();
    for (const { labels, count } of this.#tallies.values()) this.#answers.inc(labels, count);
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ ...this.#named(name, help), buckets });
  }

  #named<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
    return { name: `pulse_bff_${name}`, help, labelNames, registers: [this.#registry] };
  }

  /** A gauge that is absent while its value is null. */
  #gauge(name: string, help: string, value: () => number | null): void {
    const collect = (): void => {
      const now = value();
      if (now === null) gauge.remove();
      else gauge.set(now);
    };
    const gauge: Gauge = new Gauge({ ...this.#named(name, help), collect });
  }

  /** A counter that reads its value on a scrape. */
  #total(name: string, help: string, value: () => number | null): void {
    const collect = (): void => {
      counter.reset();
      counter.inc(value() ?? 0);
    };
    const counter: Counter = new Counter({ ...this.#named(name, help), collect });
  }
}
