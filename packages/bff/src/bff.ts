import { type App, createApp } from './app.ts';
import { clientNamer } from './access/client-address.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { type Core, openCore } from './core.ts';
import type { Answered } from './http/exchange.ts';
import { readWidgetFiles, widgetScriptPath } from './http/widget-files.ts';
import { type Log, openLog } from './observe/log.ts';
import { requestRecord } from './observe/request-record.ts';
import { unreadinessOf } from './observe/unreadiness.ts';

/** A running BFF without a server of its own. */
export interface Bff {
  readonly app: App;
  readonly core: Core;
  readonly log: Log;
  /** From now on every answer ends its connection, and `/readyz` sends readers elsewhere. */
  readonly beginStop: () => void;
  readonly close: () => Promise<void>;
}

/** Opens the BFF: the core, what watches it, and the application in front. */
export async function openBff(config: Config, clock: Clock = systemClock): Promise<Bff> {
  const log = openLog(config.logLevel);
  const { logger } = log;
  const warn = (message: string): void => logger.warn(message);
  const core = await openCore(config, { clock, warn, observer: {} });
  const widget = readWidgetFiles(widgetScriptPath());
  if (widget === undefined) warn('Cannot serve /pulse-card.js: the card is not built (npm run build)');
  const nameOfClient = clientNamer(config.proxyTrust);
  let isStopping = false;
  const app = createApp({
    config,
    clock,
    widget,
    cache: core.cache,
    unreadiness: () => unreadinessOf(core.cache.status(), isStopping),
    isStopping: () => isStopping,
    onAnswered: (answered: Answered) =>
      logger.info(requestRecord(answered, nameOfClient(answered.request)), 'answered'),
    onFault: (fault) => logger.error({ fault: faultName(fault) }, 'Cannot answer a request: a fault inside'),
  });
  return {
    app,
    core,
    log,
    beginStop: () => void (isStopping = true),
    close: async () => {
      await core.close();
      log.flush();
    },
  };
}

/** What kind of fault it is and where it came from; its message may quote a request or a secret. */
function faultName(fault: unknown): string {
  if (!(fault instanceof Error)) return typeof fault;
  const [, place = ''] = /\n\s+at ([^\n]+)/.exec(fault.stack ?? '') ?? [];
  return `${fault.name} at ${place}`;
}
