import type { IncomingMessage, RequestListener } from 'node:http';
import { Router } from 'express';
import type { PulseCache } from './cache/pulse-cache.ts';
import { type Config, withoutSecrets } from './config/config.ts';
import type { Core } from './feature.ts';
import { BACKENDS, FEATURES } from './features.ts';
import { adminListener } from './http/admin-listener.ts';
import type { Authorize } from './http/authorizer.ts';
import { readWidgetFiles, widgetScriptPath } from './http/files.ts';
import { type App, createApp } from './http/handler.ts';
import { type ChartRefusal, ImageHosts } from './http/image-hosts.ts';
import type { ServerContext } from './http/request-context.ts';
import { type Clock, guardedClock, processStartedMs, repeat, systemClock } from './lib/clock.ts';
import { localText } from './lib/kept-text.ts';
import { packageVersion } from './lib/package-version.ts';
import { AccessLog } from './observability/access-log.ts';
import { type BffState, chartsLastMs, sourceRow } from './observability/bff-state.ts';
import { Counters } from './observability/counters.ts';
import { errorSummary, type Log, openLog, ProblemLog, throttledWarnings } from './observability/log.ts';
import { printable } from './lib/printable.ts';
import { Metrics } from './observability/metrics.ts';
import { type Problem, problems, readinessFailureOf, UNTRUSTED_PROXY } from './observability/operator-problems.ts';
import { CallHistory, type StatusDocument, statusDocument, statusJson } from './observability/status.ts';
import { type OpenCache, openCache } from './open-cache.ts';
import { type OpenFeatures, openFeatures } from './open-features.ts';

/** Logged once when a mounted router starts: a login in front of the router doesn't decide what readers may see. */
const OPEN_TO_ALL_REQUESTS =
  'createPulseBff() has no authorize: every request may see every source. Pass authorize, or { authorize: "*" } if that is intended';

/** How often the BFF looks for problems, in ms. */
const LOOK_EVERY_MS = 5_000;

/** A running BFF without its own server. */
export interface Bff {
  readonly app: App;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly status: () => StatusDocument;
  /** Pages for operators, which show every source: the status page and the Studio. */
  readonly operatorPages: Router;
  /** Answers the requests of the private port. */
  readonly admin: RequestListener;
  /** From then on, every response closes its connection, and `/readyz` answers 503. */
  readonly beginStop: () => void;
  readonly close: () => Promise<void>;
}

export interface BffOptions {
  /** Decides what a request may see; `'*'` and undefined: everything. */
  readonly authorize?: Authorize | '*' | undefined;
  /** Names the client that the client limit counts. @default by address */
  readonly clientKey?: ((request: IncomingMessage) => string | number) | undefined;
  /**
   * Writes the heads of responses if the BFF is mounted in another application, behind that application's login.
   * @default the BFF has its own server
   */
  readonly mountedHead?: ServerContext['writeHead'];
  /**
   * The process serves only the BFF, so its start and its metrics (event loop, memory, garbage collection) are the
   * BFF's. @default false
   */
  readonly ownsProcess?: boolean;
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
}

/** Opens the BFF: the cache, its features, its observability, and the application. */
export async function openBff(config: Config, options: BffOptions = {}): Promise<Bff> {
  const log = openLog(config.logLevel);
  const closers: Closer[] = [() => log.close()];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne();
  };
  try {
    return { ...(await openParts(config, options, { log, closers })), log, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Closes a part. Parts are closed in reverse order. */
type Closer = () => void | Promise<void>;

interface Opening {
  readonly log: Log;
  readonly closers: Closer[];
}

async function openParts(config: Config, options: BffOptions, { log, closers }: Opening) {
  const report = reportersOf(log);
  const clock = guardedClock(systemClock, report.onFault);
  const metrics = new Metrics();
  const lifecycle = { isStopping: false };
  // Features and the application read each other's state. Both are complete when the first request arrives.
  const late = {} as { app: App; features: OpenFeatures };
  const accessLog = new AccessLog(log.logger, clock);
  closers.push(() => accessLog.close());
  const opened = await openCache(config, {
    clock,
    warn: report.warn,
    onFault: report.onFault,
    backends: BACKENDS,
    observer: metrics.observer,
    redisAnswersWithinMs: options.redisAnswersWithinMs,
    startedAt: options.ownsProcess ? processStartedMs : undefined,
    onStored: (snapshot) => late.features.list.forEach((feature) => feature.onStored?.(snapshot)),
    onPurge: () => late.features.list.forEach((feature) => feature.onPurge?.()),
  });
  closers.push(() => opened.close());
  const shared: Shared = { config, options, opened, clock, metrics, lifecycle, late, report, accessLog };
  const notes = operatorNotes(shared, log);
  const observed = observe(shared, notes);
  closers.push(() => observed.close());
  const core = coreOf(shared, observed);
  late.features = await openFeatures(FEATURES, core);
  closers.push(() => late.features.close());
  late.app = openApp(shared, { core, observed, notes });
  await opened.cache.start();
  await Promise.all(late.features.list.map(async (feature) => feature.restored?.()));
  closers.push(startWatching(shared, observed));
  return bffOf(shared, observed);
}

/** The parts that are open so far, for the functions that open the rest. */
interface Shared {
  readonly config: Config;
  readonly options: BffOptions;
  readonly opened: OpenCache;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly lifecycle: { isStopping: boolean };
  readonly late: { app: App; features: OpenFeatures };
  readonly report: Reporters;
  readonly accessLog: AccessLog;
}

/** Write to the log, each text at most once a minute. */
interface Reporters {
  readonly warn: (message: string) => void;
  readonly onFault: (fault: unknown) => void;
  readonly onRequestFault: (fault: unknown) => void;
  readonly onHostFault: (message: string) => void;
}

function reportersOf({ logger }: Log): Reporters {
  const reporterOf = (message: string) => {
    const report = throttledWarnings(systemClock, (fault) => logger.error({ fault }, message));
    return (fault: unknown): void => void report(errorSummary(fault));
  };
  return {
    warn: throttledWarnings(systemClock, (message) => logger.warn(message)),
    onFault: reporterOf('Cannot finish background work: internal error'),
    onRequestFault: reporterOf('Cannot answer a request: internal error'),
    onHostFault: throttledWarnings(systemClock, (message) => logger.error(printable(message).slice(0, 400))),
  };
}

/** Notes for the operator, from the configuration and from requests. Logs those of the configuration. */
function operatorNotes({ config, options, report }: Shared, { logger }: Log) {
  const notes = new Set(config.warnings);
  for (const note of notes) logger.warn(note);
  const { mountedHead, authorize } = options;
  if (mountedHead && authorize === undefined && config.access === 'public') logger.warn(OPEN_TO_ALL_REQUESTS);
  return {
    all: () => [...notes],
    addUntrustedProxy: () => {
      if (notes.has(UNTRUSTED_PROXY)) return;
      notes.add(UNTRUSTED_PROXY);
      report.warn(UNTRUSTED_PROXY);
    },
  };
}

type OperatorNotes = ReturnType<typeof operatorNotes>;

/** Reads the state, its problems and the status from the parts. */
function observe(shared: Shared, notes: OperatorNotes) {
  const { opened, clock, late, config, metrics, lifecycle } = shared;
  const { cache, backend, keyRing } = opened;
  const isReady = () => cache.health().ready;
  const counters = new Counters({
    clock,
    isKnown: (sourceId) => cache.isKnown(sourceId),
    isReady,
    isBudgetKnown: () => backend.callBudget?.status().starting !== true,
  });
  const history = new CallHistory(clock, () => cache.status().budget.used);
  const openedAt = clock.now();
  const state = (): BffState => {
    const status = cache.status();
    return {
      ...status,
      at: new Date(clock.wallNow()).toISOString(),
      version: packageVersion(),
      uptimeMs: Math.round(clock.now() - openedAt),
      stopping: lifecycle.isStopping,
      warnings: notes.all(),
      sources: status.sources.map((source) =>
        sourceRow(source, cache.peek(source.sourceId)?.isEarlierVersion === true),
      ),
      refusedCharts: refusedCharts(cache, status.sources, late.app.chartRefusalOf),
      chartsLastMs: chartsLastMs(status, config),
      answers: metrics.responsesByCacheResult(),
      lastHour: counters.lastHour(),
      images: counters.images(),
      outcomes: counters.outcomes(),
      refusals: counters.refusals(),
      readersToday: counters.readersToday(),
      history: history.points(),
      redis: backend.clusterStatus?.() ?? null,
      keyFile: keyRing.status() ?? null,
    };
  };
  const features = () => late.features.list;
  const found = (now = state()): Problem[] =>
    problems(
      now,
      features().flatMap((each) => each.problems?.() ?? []),
    );
  const status = (): StatusDocument => {
    const now = state();
    return statusDocument(now, found(now), Object.assign({}, ...features().map((each) => each.facts?.() ?? {})));
  };
  return { counters, state, found, status, isReady, close: () => history.close() };
}

type Observed = ReturnType<typeof observe>;

function coreOf({ config, clock, options, opened, late, report }: Shared, { found, status }: Observed): Core {
  const { cache, keyRing, backend } = opened;
  const widget = readWidgetFiles(widgetScriptPath());
  if (widget === undefined) report.warn('Cannot serve /pulse-card.js: the card is not built (npm run build)');
  return {
    config,
    clock,
    widget,
    cache,
    isMounted: options.mountedHead !== undefined,
    imageHosts: new ImageHosts(config),
    tokenKeySet: backend.tokenKeySet,
    keyName: () => keyRing.current().name,
    accountName: () => cache.accountName,
    secretsFor: (purpose) => keyRing.secretsFor(purpose),
    keptText: backend.keptText ?? (() => localText()),
    handleOperator: (request, response) => late.app.handleOperator(request, response),
    problems: () => found(),
    statusJson: () => statusJson(status()),
    warn: report.warn,
    onFault: report.onRequestFault,
  };
}

interface AppParts {
  readonly core: Core;
  readonly observed: Observed;
  readonly notes: OperatorNotes;
}

function openApp(shared: Shared, { core, observed, notes }: AppParts): App {
  const { config, options, opened, clock, metrics, lifecycle, late, report, accessLog } = shared;
  const { authorize, clientKey, mountedHead } = options;
  const { list, additions } = late.features;
  const isReady = (): boolean => !lifecycle.isStopping && observed.isReady();
  return createApp({
    config: withoutSecrets(config),
    clock,
    widget: core.widget,
    cache: opened.cache.reader,
    tokenKeySet: core.tokenKeySet,
    imageHosts: core.imageHosts,
    routes: list.flatMap(({ routes = [] }) => routes),
    chartUrls: list.find(({ chartUrls }) => chartUrls)?.chartUrls,
    additions,
    readinessFailure: () => (isReady() ? undefined : readinessFailureOf(observed.found())),
    lifecycle,
    recorders: [
      metrics,
      observed.counters,
      accessLog,
      ...list.flatMap(({ onAnswer }) => (onAnswer ? { record: onAnswer } : [])),
    ],
    authorize: authorize === '*' ? undefined : authorize,
    clientKey,
    mountedHead,
    onFault: report.onRequestFault,
    onHostFault: report.onHostFault,
    onUntrustedProxy: notes.addUntrustedProxy,
  });
}

/** Starts to watch problems and metrics. Returns a function that stops it. */
function startWatching({ clock, metrics, late, report, options }: Shared, { state, found }: Observed): Closer {
  metrics.setVersion(packageVersion());
  if (options.ownsProcess) metrics.watchProcess();
  metrics.watch(state);
  for (const feature of late.features.list) {
    metrics.add(feature.gauges ?? {});
    Promise.resolve(feature.start?.()).catch(report.onFault);
  }
  const problemLog = new ProblemLog(report.warn);
  return repeat(clock, LOOK_EVERY_MS, () => problemLog.update(found()));
}

function bffOf({ config, metrics, lifecycle, late }: Shared, { status }: Observed) {
  const operatorPages = Router({ caseSensitive: true });
  for (const { operatorPages: pages } of late.features.list) if (pages) operatorPages.use(pages);
  return {
    metrics,
    app: late.app,
    status,
    operatorPages,
    admin: adminListener({
      config,
      metrics: () => metrics.text(),
      statusJson: () => statusJson(status()),
      pages: operatorPages,
    }),
    beginStop: () => {
      lifecycle.isStopping = true;
    },
  };
}

/** The hosts of charts whose address is not allowed, most charts first. */
function refusedCharts(
  cache: PulseCache,
  sources: readonly { readonly sourceId: string }[],
  refusalOf: App['chartRefusalOf'],
): BffState['refusedCharts'] {
  const byHost = new Map<string, { host: string; reason: ChartRefusal['reason']; charts: number }>();
  for (const { sourceId } of sources) {
    const pulse = cache.peek(sourceId)?.value.pulse;
    const refusal = pulse ? refusalOf(pulse) : undefined;
    if (refusal === undefined) continue;
    const known = byHost.get(refusal.host);
    if (known === undefined) byHost.set(refusal.host, { ...refusal, charts: 1 });
    else known.charts += 1;
  }
  return [...byHost.values()].toSorted((a, b) => b.charts - a.charts);
}
