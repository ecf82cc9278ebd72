import type { Router } from 'express';
import { type Config, withoutSecrets } from './config/config.ts';
import type { AdminDocument, Core, FeatureDefinition } from './feature.ts';
import { FeatureSet } from './feature-set.ts';
import { BACKENDS, FEATURES } from './features.ts';
import { type App, createApp } from './http/handler.ts';
import type { ServerContext } from './http/request-context.ts';
import { guardedClock, processStartedMs, systemClock } from './lib/clock.ts';
import { closeAll, type Closer } from './lib/close-all.ts';
import { memoryText } from './lib/kept-text.ts';
import { type Log, openLog, reportersOf } from './observability/log.ts';
import { readinessFailureOf } from './observability/problem.ts';
import { type OpenCache, openCache } from './open-cache.ts';

/** A running BFF without a server. */
export interface Bff {
  readonly app: App;
  readonly log: Log;
  /** Documents that programs read on the private port, by path. */
  readonly documents: Readonly<Record<string, AdminDocument>>;
  /** Pages for operators: the status page and the Studio. They show every source. */
  readonly operatorPages: Router;
  /** After this call, every response closes its connection, and `/readyz` returns 503. */
  readonly beginStop: () => void;
  readonly close: () => Promise<void>;
}

export interface BffOptions {
  /**
   * The feature that connects the BFF with the application that it is mounted in. @default the BFF runs its own server
   */
  readonly mount?: FeatureDefinition;
  /**
   * Whether the process serves only the BFF. In that case, the start time and the metrics of the process (event loop,
   * memory, garbage collection) are those of the BFF. @default false
   */
  readonly ownsProcess?: boolean;
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
}

/** Opens the BFF. If a part can't be opened, closes the parts that are already open, and rejects. */
export async function openBff(config: Config, options: BffOptions = {}): Promise<Bff> {
  const log = openLog(config.logLevel);
  const closers: Closer[] = [() => log.close()];
  const close = (): Promise<void> => closeAll(closers.splice(0).toReversed());
  try {
    return { ...(await openParts(config, options, { log, closers })), log, close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

interface Opening {
  readonly log: Log;
  /** Called in reverse order. */
  readonly closers: Closer[];
}

/** Opens the cache, the features, and the application that answers requests, in this order. */
async function openParts(config: Config, options: BffOptions, { log, closers }: Opening) {
  const report = reportersOf(log);
  const clock = guardedClock(systemClock, report.onFault);
  const lifecycle = { isStopping: false };
  for (const note of config.warnings) log.logger.warn(note);

  const features = new FeatureSet();
  const { ownsProcess = false, redisAnswersWithinMs } = options;
  const startedAt = ownsProcess ? processStartedMs : undefined;
  const cacheOptions = { ...report, ...features.hooks, clock, backends: BACKENDS, redisAnswersWithinMs, startedAt };
  const opened = await openCache(config, cacheOptions);
  closers.push(() => opened.close());

  const { cache } = opened;
  const core: Core = {
    ...fromCache(opened),
    config,
    clock,
    ownsProcess,
    isMounted: options.mount !== undefined,
    isStopping: () => lifecycle.isStopping,
    widget: () => features.list.find(({ widget }) => widget)?.widget,
    handleOperator: (request, response) => app.handleOperator(request, response),
    features: features.list,
    problems: () => features.problems(),
    logger: log.logger,
    warn: report.warn,
    onFault: report.onRequestFault,
    onHostFault: report.onHostFault,
  };
  closers.push(() => features.close());
  await features.open([...FEATURES, ...(options.mount ? [options.mount] : [])], core);
  features.list.push(...opened.backendFeatures);

  const app: App = openApp(core, features, lifecycle);
  await cache.start();
  await Promise.all(features.list.map(async (feature) => feature.restored?.()));
  features.start(report.onFault);
  return {
    app,
    documents: features.documents(),
    operatorPages: features.operatorPages(),
    beginStop: () => void (lifecycle.isStopping = true),
  };
}

/** The parts of the cache, its key, and the backends that features can use. */
function fromCache({ cache, key, backend }: OpenCache) {
  return {
    cache,
    keyName: () => key.current().name,
    accountName: () => cache.parts.account.name,
    deriveSecret: (purpose: string) => key.current().derive(purpose),
    onKeyChange: (listener: () => void) => void key.onChange(listener),
    keptText: backend.keptText ?? memoryText,
    clusterStatus: () => backend.clusterStatus?.(),
  };
}

/** Opens the application that answers requests. */
function openApp(core: Core, features: FeatureSet, lifecycle: ServerContext['lifecycle']): App {
  const { config, cache } = core;
  const { list } = features;
  if (config.access === 'token' && !list.some(({ tokenKeySet }) => tokenKeySet))
    throw new Error('Cannot serve private pulses: no feature verifies tokens');
  const isReady = (): boolean => !lifecycle.isStopping && cache.health().ready;
  return createApp({
    config: withoutSecrets(config),
    clock: core.clock,
    widget: core.widget(),
    cache: cache.reader,
    grants: list.flatMap(({ grant }) => grant ?? []),
    routes: list.flatMap(({ routes = [] }) => routes),
    chartUrls: list.find(({ chartUrls }) => chartUrls)?.chartUrls,
    additions: features.additions(),
    readinessFailure: () => (isReady() ? undefined : readinessFailureOf(features.problems())),
    lifecycle,
    recorders: list.flatMap(({ onAnswer }) => onAnswer ?? []),
    nameClient: list.find(({ nameClient }) => nameClient)?.nameClient,
    mountedHead: list.find(({ writeHead }) => writeHead)?.writeHead,
    onFault: core.onFault,
  });
}
