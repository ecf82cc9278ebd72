import { safeUrl } from '@pulse-card/contract';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { type Clock, systemClock } from './clock.ts';
import type { ServeConfig } from './config.ts';
import { type OpenDatabase, openDatabase } from './database/open-database.ts';
import { GracefulServer } from './http/graceful-server.ts';
import { MemoryLog } from './rate/memory-log.ts';
import { SharedLog } from './rate/shared-log.ts';
import { WindowStore } from './rate/window-store.ts';
import { serviceLog } from './service-log.ts';
import { siteAt } from './site.ts';

/** What a test may put in place of the machine's own. */
export interface StartServiceOptions {
  /** @default the machine's clock; windows shared over PostgreSQL go by the database's */
  clock?: Clock;
  /** @default JSON lines on standard output */
  log?: Logger;
}

/** A service that answers. */
export interface RunningService {
  /** Address of the first host, without a slash at its end. */
  url: string;
  /** Address of the second host. */
  altUrl: string;
  /** Stops accepting, lets running requests finish, closes the database. */
  close(): Promise<void>;
}

/** Opens the database and listens on both ports. Throws `StartFailed` with one line for a terminal. */
export async function startService(config: ServeConfig, options: StartServiceOptions = {}): Promise<RunningService> {
  const { log = serviceLog(config.logLevel) } = options;
  const opened = await openDatabase(config, {
    onLost: (error) => log.warn({ err: error }, 'Lost an idle connection to the database'),
  });
  const main = new GracefulServer();
  const alt = new GracefulServer();
  const close = async () => {
    await Promise.all([main.close(), alt.close()]);
    await opened.db.destroy();
  };
  const site = siteAt(() => config.publicUrl ?? `http://localhost:${main.port}`, config.adminUrl);
  const app = createApp({ config, site, log, ...partsOn(opened, { config, log, ...options }) });
  try {
    await main.listen(app, { host: config.host, port: config.port, portVariable: 'PORT' });
    await alt.listen(app, { host: config.host, port: config.altPort, portVariable: 'ALT_PORT' });
  } catch (error) {
    await close();
    throw error;
  }
  if (safeUrl(site.publicUrl()) === undefined) {
    log.warn('PUBLIC_URL is neither https: nor this machine: readers will not be sent to its images');
  }
  return { url: reachableUrl(config.host, main.port), altUrl: reachableUrl(config.host, alt.port), close };
}

/** The parts of the app that stand on the database. */
function partsOn(
  { db, dialect }: OpenDatabase,
  { config, log, clock }: { config: ServeConfig; log: Logger; clock?: Clock },
) {
  const rule = { limit: config.rateLimit, windowMs: config.rateWindowMs };
  const { nowMs, elapsedMs } = clock ?? systemClock;
  const inMemory = new MemoryLog(rule, elapsedMs);
  const store = new WindowStore(dialect === 'sqlite' ? inMemory : new SharedLog(db, rule, { nowMs: clock?.nowMs }), {
    limit: rule.limit,
    nowMs,
    fallback: inMemory,
    onFailure: (error) => log.warn({ err: error }, 'Cannot count a call in the database: counting in memory'),
  });
  return { db, store, clock: clock ?? systemClock };
}

const ANY_ADDRESS = new Set(['0.0.0.0', '::', 'localhost']);

function reachableUrl(host: string, port: number): string {
  if (ANY_ADDRESS.has(host)) return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
