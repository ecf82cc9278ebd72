import { clientNamer } from './access/client-address.ts';
import { type App, createApp } from './app.ts';
import { guardedClock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import type { CacheStatus } from './cache/status.ts';
import { type CoreParts, openCore } from './core.ts';
import { openTokenKeys } from './open-token-keys.ts';
import { readWidgetFiles, widgetScriptPath } from './http/widget-files.ts';
import type { BffStatus } from './observe/bff-status.ts';
import { AnswerLog } from './observe/answer-log.ts';
import { type Log, openLog } from './observe/log.ts';
import { throttledWarnings } from './observe/throttled-warnings.ts';
import { faultName } from './observe/fault-name.ts';
import { Metrics } from './observe/metrics.ts';
import { Refusals } from './observe/refusals.ts';
import { unreadinessOf } from './observe/unreadiness.ts';
import type { CrewStatus } from './redis/crew-status.ts';

/** A running BFF without a server of its own. */
export interface Bff {
  readonly app: App;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly status: () => BffStatus;
  /** From now on every answer ends its connection, `/readyz` sends readers elsewhere, and live readers are told to come back. */
  readonly beginStop: () => void;
  readonly close: () => Promise<void>;
}

export interface BffOptions {
  /** When the process began, where it serves nothing but the BFF. @default now */
  readonly startedAt?: number;
  /** The process serves nothing but the BFF, so that its own figures (event loop, memory, garbage) are the BFF's. @default false */
  readonly ownsProcess?: boolean;
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
}

/** Opens the BFF: the core, what watches it, and the application in front. */
export async function openBff(
  config: Config,
  { startedAt, ownsProcess = false, redisAnswersWithinMs }: BffOptions = {},
): Promise<Bff> {
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
  const onFault = (fault: unknown): void => void reportBackgroundFault(faultName(fault));
  const clock = guardedClock(systemClock, onFault);
  const metrics = new Metrics();
  const coreParts = {
    clock,
    warn,
    onFault,
    observer: metrics.observer,
    redisAnswersWithinMs,
    ...(startedAt !== undefined && { startedAt }),
  };
  const { tokenKeys, core } = await openKeysAndCore(config, coreParts).catch((error: unknown) => {
    log.close();
    throw error;
  });
  const { cache, priceMs, crew, imageSecrets, close } = core;
  const widget = readWidgetFiles(widgetScriptPath());
  if (widget === undefined) warn('Cannot serve /pulse-card.js: the card is not built (npm run build)');
  const nameOfClient = clientNamer(config.proxyTrust);
  const answerLog = new AnswerLog(logger, ({ request }) => nameOfClient(request));
  const refusals = new Refusals({ warn: write, now: () => clock.now() });
  const warnings = new Set(config.warnings);
  for (const warning of warnings) write(warning);
  const openedAt = clock.now();
  let isStopping = false;
  const app = createApp({
    config,
    clock,
    widget,
    cache,
    tokenRing: tokenKeys && (() => tokenKeys.current()),
    imageSecrets,
    unreadiness: () => unreadinessOf(cache.health(), { isStopping, isRedisLost: crew()?.state === 'lost' }),
    isStopping: () => isStopping,
    onAnswered: (answered) => {
      metrics.answered(answered);
      refusals.answered(answered);
      answerLog.answered(answered);
    },
    onFault: (fault) => reportFault(faultName(fault)),
    onUntrustedProxy: () => {
      if (warnings.has(UNTRUSTED_PROXY)) return;
      warnings.add(UNTRUSTED_PROXY);
      warn(UNTRUSTED_PROXY);
    },
  });
  if (ownsProcess) metrics.watchProcess();
  metrics.watch({ status: () => cache.status(), live: () => app.live.status(), priceMs, crew });
  return {
    log,
    metrics,
    app,
    status: () => ({
      at: new Date(clock.wallNow()).toISOString(),
      uptimeMs: Math.round(clock.now() - openedAt),
      stopping: isStopping,
      warnings: [...warnings],
      answers: metrics.answersByVerdict(),
      refusals: refusals.counts(),
      priceSeconds: priceMs() / 1_000,
      live: app.live.status(),
      redis: crew() ?? null,
      ...withRedis(cache.status(), crew()),
    }),
    beginStop: () => {
      isStopping = true;
      app.live.close();
    },
    close: async () => {
      app.live.close();
      tokenKeys?.close();
      await close();
      answerLog.close();
      log.close();
    },
  };
}

/** Opens the keys of tokens and the core; where one cannot be opened, nothing of the other is left. */
async function openKeysAndCore(config: Config, parts: CoreParts) {
  const tokenKeys = await openTokenKeys(config, parts.clock, parts.warn);
  try {
    return { tokenKeys, core: await openCore(config, parts) };
  } catch (error) {
    tokenKeys?.close();
    throw error;
  }
}

/** What a proxy in front means that nobody has told the BFF of. */
const UNTRUSTED_PROXY =
  'A request came with X-Forwarded-For or Forwarded from a proxy that TRUST_PROXY does not name: set TRUST_PROXY, else all readers behind that proxy share one rate limit';

/** Redis that is lost is a trouble as any other. */
function withRedis(status: CacheStatus, crew: CrewStatus | undefined): CacheStatus {
  return crew?.state === 'lost' ? { ...status, degraded: [...status.degraded, 'redis_lost'] } : status;
}
