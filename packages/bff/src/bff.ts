import type { IncomingMessage, RequestListener } from 'node:http';
import { safeUrl } from '@pulse-card/contract';
import type { Router } from 'express';
import type { PulseCache } from './cache/pulse-cache.ts';
import type { Authorize } from './http/authorizer.ts';
import { adminListener } from './features/studio/admin-listener.ts';
import { type App, createApp } from './http/handler.ts';
import { guardedClock, processStartedMs, repeat, systemClock } from './lib/clock.ts';
import { type Config, withoutSecrets } from './config/config.ts';
import { type OpenCacheOptions, openCache } from './open-cache.ts';
import { localAlertStore } from './features/alerts/alert-store.ts';
import { Alerts } from './features/alerts/alerts.ts';
import { openWebhook } from './features/alerts/webhook.ts';
import type { ChartRefusal } from './features/images/image-hosts.ts';
import { doctorSettings, pageChecker } from './features/studio/check-page.ts';
import { openTokenKeys } from './features/tokens/token-keys-file.ts';
import { readWidgetFiles, widgetScriptPath } from './http/files.ts';
import { packageVersion, createStudioRouter } from './features/studio/studio.ts';
import { AccessLog } from './observability/access-log.ts';
import { Counters } from './observability/counters.ts';
import { errorSummary, type Log, openLog, printable, ProblemLog, throttledWarnings } from './observability/log.ts';
import { Metrics } from './observability/metrics.ts';
import { problems, readinessFailureOf, UNTRUSTED_PROXY } from './observability/operator-problems.ts';
import { type BffState, chartsLastMs, sourceRow } from './observability/bff-state.ts';
import { CallHistory, type StatusDocument, statusDocument, statusJson } from './observability/status.ts';

/** The purpose that separates the secret of signed image URLs from others made of the same key. */
const IMAGE_PURPOSE = 'pulse-card addresses of charts 1';

/** Said once at the start of a mounted router: a login in front of it says nothing about rights. */
const OPEN_TO_ALL_REQUESTS =
  'createPulseBff() has no authorize: every request may see every source. Pass authorize, or { authorize: "*" } if that is intended';

/** How often problems are looked for, in ms. */
const LOOK_EVERY_MS = 5_000;

/** A running BFF without a server of its own. */
export interface Bff {
  readonly app: App;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly status: () => StatusDocument;
  /** The status page and the Studio, for operators: they show every source. */
  readonly studio: Router;
  /** Answers the requests of the private port. */
  readonly admin: RequestListener;
  /** From now on every response closes its connection, and `/readyz` answers 503. */
  readonly beginStop: () => void;
  readonly close: () => Promise<void>;
}

export interface BffOptions {
  /** Says what a request may see; `'*'` and undefined: everything. */
  readonly authorize?: Authorize | '*' | undefined;
  /** Names who the client limit counts. @default by address */
  readonly clientKey?: ((request: IncomingMessage) => string | number) | undefined;
  /** The BFF stands in another application, behind its login. @default false */
  readonly isMounted?: boolean;
  /** The process serves nothing but the BFF, so that its start and its figures (event loop, memory, garbage) are the BFF's. @default false */
  readonly ownsProcess?: boolean;
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
}

/** Opens the BFF: the cache, its observability, and the application. */
export async function openBff(
  config: Config,
  { ownsProcess = false, redisAnswersWithinMs, authorize, clientKey, isMounted }: BffOptions = {},
): Promise<Bff> {
  const webhook = await openWebhook(config);
  const appConfig = withoutSecrets(config);
  const log = openLog(config.logLevel);
  const { logger } = log;
  const write = (message: string): void => logger.warn(message);
  const warn = throttledWarnings(systemClock, write);
  const faultReporter = (message: string) => {
    const report = throttledWarnings(systemClock, (fault) => logger.error({ fault }, message));
    return (fault: unknown): void => void report(errorSummary(fault));
  };
  const onRequestFault = faultReporter('Cannot answer a request: a fault inside');
  const onFault = faultReporter('Cannot finish work in the background: a fault inside');
  const clock = guardedClock(systemClock, onFault);
  const metrics = new Metrics();
  const { tokenKeys, opened } = await openKeysAndCache(config, {
    clock,
    warn,
    onFault,
    observer: metrics.observer,
    redisAnswersWithinMs,
    startedAt: ownsProcess ? processStartedMs : undefined,
  }).catch(async (error: unknown) => {
    await log.close();
    throw error;
  });
  const { cache, keyRing, cluster, close } = opened;
  const widget = readWidgetFiles(widgetScriptPath());
  if (widget === undefined) warn('Cannot serve /pulse-card.js: the card is not built (npm run build)');
  const accessLog = new AccessLog(logger, clock);
  const counters = new Counters({
    clock,
    isKnown: (sourceId) => cache.isKnown(sourceId),
    isReady: () => cache.health().ready,
  });
  const history = new CallHistory(clock, () => cache.status().budget.used);
  const warnings = new Set(config.warnings);
  for (const warning of warnings) write(warning);
  if (isMounted && authorize === undefined && config.access === 'public') write(OPEN_TO_ALL_REQUESTS);
  const found = () => problems(state());
  const alerts = new Alerts({
    clock,
    store: cluster?.alertStore(config.publicUrl) ?? localAlertStore(config.stateDir),
    webhook,
    origin: config.publicUrl,
    keyName: () => keyRing.current().name,
    statedDay: config.keyExpiresOn,
    problems: found,
    warn,
  });
  const openedAt = clock.now();
  const lifecycle = { isStopping: false };
  const state = (): BffState => {
    const status = cache.status();
    return {
      ...status,
      at: new Date(clock.wallNow()).toISOString(),
      version: packageVersion(),
      uptimeMs: Math.round(clock.now() - openedAt),
      stopping: lifecycle.isStopping,
      warnings: [...warnings],
      sources: status.sources.map((source) => sourceRow(source, cache.peek(source.sourceId)?.stale === true)),
      refusedCharts: refusedCharts(cache, status.sources, app.chartRefusalOf),
      chartsLastMs: chartsLastMs(status, appConfig),
      answers: metrics.responsesByCacheResult(),
      lastHour: counters.lastHour(),
      images: counters.images(),
      outcomes: counters.outcomes(),
      refusals: counters.refusals(),
      readersToday: counters.readersToday(),
      history: history.points(),
      redis: cluster?.status() ?? null,
      keyExpiry: alerts.keyExpiry() ?? null,
      keyFile: keyRing.status() ?? null,
      alerts: alerts.status(),
    };
  };
  const app = createApp({
    config: appConfig,
    clock,
    widget,
    cache,
    tokenKeySet: tokenKeys && (() => tokenKeys.current()),
    imageSecrets: keyRing.secretsFor(IMAGE_PURPOSE),
    readinessFailure: () => (!lifecycle.isStopping && cache.health().ready ? undefined : readinessFailureOf(found())),
    lifecycle,
    recorders: [metrics, counters, accessLog],
    authorize: authorize === '*' ? undefined : authorize,
    clientKey,
    isMounted,
    onFault: onRequestFault,
    onHostFault: throttledWarnings(systemClock, (message) => logger.error(printable(message).slice(0, 400))),
    onUntrustedProxy: () => {
      if (warnings.has(UNTRUSTED_PROXY)) return;
      warnings.add(UNTRUSTED_PROXY);
      warn(UNTRUSTED_PROXY);
    },
  });
  metrics.setVersion(packageVersion());
  if (ownsProcess) metrics.watchProcess();
  metrics.watch(state);
  const problemLog = new ProblemLog(warn);
  const endLook = repeat(clock, LOOK_EVERY_MS, () => problemLog.update(found()));
  alerts.start().catch(onFault);
  const status = (): StatusDocument => statusDocument(state());
  const statusText = (): string => statusJson(status());
  const studio = createStudioRouter({
    config: appConfig,
    widget,
    bff: app.handleOperator,
    statusJson: statusText,
    onFault: onRequestFault,
    checkPage: pageChecker({
      settings: () => ({
        ...doctorSettings(appConfig, widget),
        ...knownSources(cache),
        tokenKeys: tokenKeys?.current(),
        now: clock.wallNow(),
      }),
    }),
  });
  return {
    log,
    metrics,
    app,
    status,
    studio,
    admin: adminListener({
      config: appConfig,
      metrics: () => metrics.text(),
      statusJson: statusText,
      studio,
    }),
    beginStop: () => {
      lifecycle.isStopping = true;
    },
    close: async () => {
      endLook();
      history.close();
      alerts.close();
      tokenKeys?.close();
      await close();
      accessLog.close();
      await log.close();
    },
  };
}

/** Opens the keys of tokens and the cache; if one cannot be opened, nothing of the other is left. */
async function openKeysAndCache(config: Config, options: OpenCacheOptions) {
  const tokenKeys = await openTokenKeys(config, options.clock, options.warn);
  try {
    return { tokenKeys, opened: await openCache(config, options) };
  } catch (error) {
    tokenKeys?.close();
    throw error;
  }
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

/** The known ids, those with a chart first (undefined until the list has come), and the addresses of the charts, for the doctor. */
function knownSources(cache: PulseCache) {
  const { list, sources: rows } = cache.status();
  const sources = rows.map(({ sourceId }) => ({ sourceId, pulse: cache.peek(sourceId)?.value.pulse }));
  const withPulse = sources.filter(({ pulse }) => pulse);
  const chartUrls = withPulse.flatMap(({ sourceId, pulse }) =>
    pulse?.imageUrl && safeUrl(pulse.imageUrl) ? [[sourceId, pulse.imageUrl]] : [],
  );
  const knownIds = [...withPulse, ...sources.filter(({ pulse }) => !pulse)].map(({ sourceId }) => sourceId);
  return {
    knownIds: list.freshness === 'never-answered' ? undefined : knownIds,
    chartUrls: Object.fromEntries(chartUrls) as Record<string, string>,
  };
}
