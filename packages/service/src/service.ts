import { safeUrl } from '@pulse-card/contract';
import type { Logger } from 'pino';
import { type Clock, systemClock } from './clock.ts';
import type { ServeConfig } from './config.ts';
import { createApp } from './http/app.ts';
import { RateLimitStore } from './http/rate-limit.ts';
import { GracefulServer } from './http/server.ts';
import { SharedWindowLog } from './http/shared-window-log.ts';
import { SlidingWindowLog } from './http/sliding-window-log.ts';
import { createLog } from './log.ts';
import { publicUrls } from './public-urls.ts';
import { type OpenDatabase, openDatabase } from './sql/database.ts';

/** The parts that a test may replace. */
export interface StartServiceOptions {
  /** @default the machine's clock; windows that are shared in PostgreSQL use the database's clock */
  clock?: Clock;
  /** @default JSON lines on standard output */
  log?: Logger;
}

/** A running service. */
export interface RunningService {
  /** The first host's URL, without a trailing slash. */
  url: string;
  /** The second host's URL. */
  altUrl: string;
  /** Stops accepting connections, lets pending requests finish, and closes the database. */
  close(): Promise<void>;
}

/** Opens the database and listens on both ports. Throws `CommandError`. */
export async function startService(config: ServeConfig, options: StartServiceOptions = {}): Promise<RunningService> {
  const { log = createLog(config.logLevel), clock } = options;
  const database = await openDatabase(config, {
    onLost: (error) => log.warn({ err: error }, 'Lost an idle connection to the database'),
  });
  const main = new GracefulServer();
  const alt = new GracefulServer();
  const close = async () => {
    await Promise.all([main.close(), alt.close()]);
    await database.db.destroy();
  };
  const urls = publicUrls(() => config.publicUrl ?? `http://localhost:${main.port}`, config.adminUrl);
  const store = createStore(database, { config, log, clock });
  const app = createApp({ config, db: database.db, store, urls, clock: clock ?? systemClock, log });
  try {
    await main.listen(app, { host: config.host, port: config.port, portVariable: 'PORT' });
    await alt.listen(app, { host: config.host, port: config.altPort, portVariable: 'ALT_PORT' });
  } catch (error) {
    await close();
    throw error;
  }
  if (safeUrl(urls.base()) === undefined) {
    log.warn('PUBLIC_URL doesn’t use https: and isn’t on this machine, so browsers won’t load images from it');
  }
  return { url: reachableUrl(config.host, main.port), altUrl: reachableUrl(config.host, alt.port), close };
}

/**
 * The rate windows. With SQLite, which belongs to one process, they are kept in memory. With PostgreSQL, they are
 * shared.
 */
function createStore(
  { db, dialect }: OpenDatabase,
  { config, log, clock }: { config: ServeConfig; log: Logger; clock: Clock | undefined },
): RateLimitStore {
  const limit = { limit: config.rateLimit, windowMs: config.rateWindowMs };
  const { nowMs, monotonicMs } = clock ?? systemClock;
  const inMemory = new SlidingWindowLog(limit, monotonicMs);
  return new RateLimitStore(dialect === 'sqlite' ? inMemory : new SharedWindowLog(db, limit, { nowMs: clock?.nowMs }), {
    limit: limit.limit,
    nowMs,
    fallback: inMemory,
    onFailure: (error) =>
      log.warn({ err: error }, 'Can’t record a call in the database: it is counted in memory instead'),
  });
}

const ANY_ADDRESS = new Set(['0.0.0.0', '::', 'localhost']);

function reachableUrl(host: string, port: number): string {
  if (ANY_ADDRESS.has(host)) return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
