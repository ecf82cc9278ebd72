import type { IncomingMessage } from 'node:http';
import type { Router } from 'express';
import type { Authorize } from './http/access.ts';
import { type App, createApp } from './http/handler.ts';
import { guardedClock, processStartedMs, systemClock } from './clock.ts';
import { type Config, withoutSecrets } from './config.ts';
import { type Core, type CoreOptions, openCore } from './core.ts';
import { openAlerts, readAlertAddress } from './alerts/open-alerts.ts';
import type { CacheStatus } from './cache/cache-status.ts';
import { doctorSettings, pageChecker } from './doctor/check-page.ts';
import { openTokenKeys } from './http/token-keys-file.ts';
import { readWidgetFiles, widgetScriptPath } from './http/files.ts';
import { packageVersion, STUDIO_FOLDER, createStudioRouter } from './http/studio.ts';
import { ReaderStatistics } from './observability/reader-statistics.ts';
import { CallHistory, type StatusDocument, statusDocument, statusJson } from './observability/status-document.ts';
import { AccessLog, type Log, errorSummary, openLog, throttledWarnings } from './observability/log.ts';
import { Metrics } from './observability/metrics.ts';
import { readinessFailureOf } from './http/routes/probes-route.ts';
import type { ClusterStatus } from './cache/port.ts';

/** A running BFF without a server of its own. */
export interface Bff {
  readonly app: App;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly status: () => StatusDocument;
  /** The status page and the Studio, for whoever may see everything. */
  readonly studio: Router;
  /** From now on every response closes its connection, and `/readyz` answers 503. */
  readonly beginStop: () => void;
  readonly close: () => Promise<void>;
}

export interface BffOptions {
  /** Says what a request may see; undefined: everything. */
  readonly authorize?: Authorize | undefined;
  /** Names who the client limit counts. @default by address */
  readonly clientKey?: ((request: IncomingMessage) => string) | undefined;
  /** The BFF stands in another application, behind its login. @default false */
  readonly isMounted?: boolean;
  /** The process serves nothing but the BFF, so that its start and its figures (event loop, memory, garbage) are the BFF's. @default false */
  readonly ownsProcess?: boolean;
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
}

/** Opens the BFF: the core, its observability, and the application. */
export async function openBff(
  config: Config,
  { ownsProcess = false, redisAnswersWithinMs, authorize, clientKey, isMounted }: BffOptions = {},
): Promise<Bff> {
  const alertAddress = await readAlertAddress(config);
  const appConfig = withoutSecrets(config);
  const log = openLog(config.logLevel);
  const { logger } = log;
  const write = (message: string): void => logger.warn(message);
  const warn = throttledWarnings(systemClock, write);
  const reportFault = throttledWarnings(systemClock, (fault) =>
    logger.error({ fault }, 'Cannot answer a request: a fault inside'),
  );
  const reportBackgroundFault = throttledWarnings(systemClock, (fault) =>
    logger.error({ fault }, 'Cannot finish work in the background: a fault inside'),
  );
  const onFault = (fault: unknown): void => void reportBackgroundFault(errorSummary(fault));
  const clock = guardedClock(systemClock, onFault);
  const metrics = new Metrics();
  const { tokenKeys, core } = await openKeysAndCore(config, {
    clock,
    warn,
    onFault,
    observer: metrics.observer,
    redisAnswersWithinMs,
    startedAt: ownsProcess ? processStartedMs : undefined,
  }).catch((error: unknown) => {
    log.close();
    throw error;
  });
  const { cache, cluster, imageSecrets, keyName, keyFile, close } = core;
  const widget = readWidgetFiles(widgetScriptPath());
  if (widget === undefined) warn('Cannot serve /pulse-card.js: the card is not built (npm run build)');
  const accessLog = new AccessLog(logger, clock);
  const readerStatistics = new ReaderStatistics({
    clock,
    isKnown: (sourceId) => cache.isKnown(sourceId),
    isReady: () => cache.health().ready,
  });
  const { refusals, lastHour, today } = readerStatistics;
  const history = new CallHistory(clock, () => cache.status().budget.used);
  const warnings = new Set(config.warnings);
  for (const warning of warnings) write(warning);
  const redisStore =
    config.redis && (await import('./redis/alert-store.ts')).redisAlertStore(config.redis, config.publicUrl);
  const alertParts = { clock, keyName, keyFile, status: () => cache.status(), shared: redisStore, warn, onFault };
  const alerts = openAlerts(config, alertAddress, alertParts);
  const openedAt = clock.now();
  const lifecycle = { isStopping: false };
  const app = createApp({
    config: appConfig,
    clock,
    widget,
    cache,
    tokenKeySet: tokenKeys && (() => tokenKeys.current()),
    imageSecrets,
    readinessFailure: () =>
      readinessFailureOf(cache.health(), {
        isStopping: lifecycle.isStopping,
        isRedisLost: cluster()?.state === 'lost',
      }),
    lifecycle,
    recorders: [metrics, readerStatistics, accessLog],
    authorize,
    clientKey,
    isMounted,
    onFault: (fault) => reportFault(errorSummary(fault)),
    onUntrustedProxy: () => {
      if (warnings.has(UNTRUSTED_PROXY)) return;
      warnings.add(UNTRUSTED_PROXY);
      warn(UNTRUSTED_PROXY);
    },
  });
  metrics.setVersion(packageVersion());
  if (ownsProcess) metrics.watchProcess();
  metrics.watch({
    status: () => cache.status(),
    cluster,
    outcomes: () => readerStatistics.outcomes.outcomes(),
    keyFile,
    alerts,
  });
  const status = (): StatusDocument =>
    statusDocument(
      {
        at: new Date(clock.wallNow()).toISOString(),
        version: packageVersion(),
        uptimeMs: Math.round(clock.now() - openedAt),
        stopping: lifecycle.isStopping,
        warnings: [...warnings],
        answers: metrics.responsesByCacheResult(),
        refusals: refusals.counts(),
        redis: cluster() ?? null,
        keyExpiry: alerts.keyExpiry() ?? null,
        keyFile: keyFile() ?? null,
        alerts: alerts.status(),
        ...withRedis(cache.status(), cluster()),
      },
      {
        history: history.points(),
        answers: lastHour.counts(),
        images: lastHour.images(),
        outcomes: readerStatistics.outcomes.outcomes(),
        readersToday: today.counts(),
        refusals: refusals.list(),
        isEarlierVersion: (sourceId) => cache.peek(sourceId)?.stale === true,
        freshnessPolicy: appConfig,
      },
    );
  const studio = createStudioRouter({
    config: appConfig,
    widget,
    version: packageVersion(),
    folder: STUDIO_FOLDER,
    bff: app.handleOperator,
    statusJson: () => statusJson(status()),
    onFault: (fault) => reportFault(errorSummary(fault)),
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
    beginStop: () => {
      lifecycle.isStopping = true;
    },
    close: async () => {
      history.close();
      alerts.close();
      tokenKeys?.close();
      await close();
      accessLog.close();
      log.close();
    },
  };
}

/** Opens the keys of tokens and the core; where one cannot be opened, nothing of the other is left. */
async function openKeysAndCore(config: Config, parts: CoreOptions) {
  const tokenKeys = await openTokenKeys(config, parts.clock, parts.warn);
  try {
    return { tokenKeys, core: await openCore(config, parts) };
  } catch (error) {
    tokenKeys?.close();
    throw error;
  }
}

/** The ids that are known, those with a chart first, and where the charts are: what the doctor checks pages by. */
function knownSources(cache: Core['cache']) {
  const sources = cache
    .status()
    .sources.map(({ sourceId }) => ({ sourceId, pulse: cache.peek(sourceId)?.value.pulse }));
  const withPulse = sources.filter(({ pulse }) => pulse);
  const chartUrls = withPulse.flatMap(({ sourceId, pulse }) => (pulse?.imageUrl ? [[sourceId, pulse.imageUrl]] : []));
  const knownIds = [...withPulse, ...sources.filter(({ pulse }) => !pulse)].map(({ sourceId }) => sourceId);
  return { knownIds, chartUrls: Object.fromEntries(chartUrls) as Record<string, string> };
}

/** The warning about a proxy that `TRUST_PROXY` does not name. */
const UNTRUSTED_PROXY =
  'A request came with X-Forwarded-For or Forwarded from a proxy that TRUST_PROXY does not name: set TRUST_PROXY, else all readers behind that proxy share one rate limit';

/** Adds a lost Redis to the reasons why the BFF is degraded. */
function withRedis(status: CacheStatus, cluster: ClusterStatus | undefined): CacheStatus {
  return cluster?.state === 'lost' ? { ...status, degraded: [...status.degraded, 'redis_lost'] } : status;
}
