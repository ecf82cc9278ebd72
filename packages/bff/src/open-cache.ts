import { readFile } from 'node:fs/promises';
import { LocalCallBudget } from './budget/local-call-budget.ts';
import { PulseCache } from './cache/pulse-cache.ts';
import { SourceAllowlist } from './cache/source-allowlist.ts';
import { folderFault, StateFolder } from './cache/state-folder.ts';
import type { Clock } from './clock.ts';
import { type AppConfig, type Config, ConfigError } from './config.ts';
import { RefreshPlanner } from './planner/refresh-planner.ts';
import type { Cluster } from './redis/cluster.ts';
import { KeyRing, openKeyFile } from './upstream/key-file.ts';
import { type CallObserver, Upstream } from './upstream/upstream.ts';

/** The parts that the cache needs beside its configuration. */
export interface OpenCacheOptions {
  readonly clock: Clock;
  readonly observer: CallObserver;
  readonly warn: (message: string) => void;
  /** Called with internal errors of background work. */
  readonly onFault: (fault: unknown) => void;
  /** When the process began that makes all of the key's calls, on the clock. @default now */
  readonly startedAt?: number | undefined;
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
}

/** A cache that refreshes itself, and what it is built on. */
export interface OpenCache {
  readonly cache: PulseCache;
  /** The key of the upstream. */
  readonly keyRing: KeyRing;
  /** The instances that share a Redis; undefined without one. */
  readonly cluster: Cluster | undefined;
  readonly close: () => Promise<void>;
}

/** Opens key, upstream, budget, planner and cache, and begins to refresh. Throws `ConfigError` if the key or the folder cannot be used. */
export async function openCache(config: Config, options: OpenCacheOptions): Promise<OpenCache> {
  const { clock, observer, warn, onFault, startedAt } = options;
  const { freshForMs, staleForMs, authStaleForMs } = config;
  const folder = openStateFolder(config, warn);
  const keyRing = await openKeyRing(config, clock, warn);
  const cluster = await openCluster(config, keyRing, options);
  const planner = new RefreshPlanner({ windowMs: config.rateWindowMs, minAgeMs: freshForMs });
  const upstream = new Upstream(config, {
    key: keyRing,
    callBudget: cluster?.callBudget ?? openCallBudget(config, clock, startedAt),
    clock,
    observer,
    planner,
  });
  const cache = new PulseCache({
    ids: new SourceAllowlist(config.sources),
    upstream,
    keyRing,
    planner,
    freshnessPolicy: { freshForMs, staleForMs, authStaleForMs },
    clock,
    folder,
    shared: cluster?.shared,
    warn,
    onFault,
  });
  await cache.start();
  const close = async (): Promise<void> => {
    keyRing.close();
    await cache.close();
    cluster?.close();
  };
  return { cache, keyRing, cluster, close };
}

/** Opens the key that the configuration names. Throws `ConfigError` if its file holds none. */
export async function openKeyRing(
  { apiKey, apiKeyFile = '', reloadMs }: Pick<Config, 'apiKey' | 'apiKeyFile' | 'reloadMs'>,
  clock: Clock,
  warn: (message: string) => void,
): Promise<KeyRing> {
  if (apiKey !== undefined) return new KeyRing(apiKey);
  try {
    const read = () => readFile(apiKeyFile, 'utf8');
    return await openKeyFile({ read, clock, reloadMs, warn });
  } catch {
    throw new ConfigError([
      'PULSE_API_KEY_FILE: must be a readable file with one line of 8 to 256 visible ASCII characters',
    ]);
  }
}

/** The upstream for a command that makes calls of its own. */
export function openUpstream(config: AppConfig, key: KeyRing, clock: Clock): Upstream {
  return new Upstream(config, { key, callBudget: openCallBudget(config, clock), clock });
}

/** The folder of `PULSE_STATE_DIR`; undefined if none is set. Throws `ConfigError` if it cannot be used. */
function openStateFolder({ stateDir }: Config, warn: (message: string) => void): StateFolder | undefined {
  if (stateDir === undefined) return undefined;
  const fault = folderFault(stateDir);
  if (fault !== undefined)
    throw new ConfigError([`PULSE_STATE_DIR: must be a folder that this process can write to (${fault})`]);
  return new StateFolder(stateDir, { warn });
}

/** Connects to Redis if the configuration names one. Its client is loaded only then. */
async function openCluster(
  config: Config,
  key: KeyRing,
  { clock, startedAt, redisAnswersWithinMs }: OpenCacheOptions,
): Promise<Cluster | undefined> {
  if (config.redis === undefined) return undefined;
  const redis = await import('./redis/cluster.ts');
  return redis.openCluster(config.redis, config, { clock, key, startedAt, redisAnswersWithinMs });
}

/** The call budget of this instance alone. */
function openCallBudget(config: AppConfig, clock: Clock, startedAt?: number): LocalCallBudget {
  const { rateLimit: limit, rateWindowMs: windowMs, rateReserve: reserve, upstreamTimeoutMs: callMs } = config;
  return new LocalCallBudget({ clock, limit, windowMs, reserve, callMs, startedAt });
}
