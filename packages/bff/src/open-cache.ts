import { readFile, stat } from 'node:fs/promises';
import { LocalCallBudget } from './budget/local-call-budget.ts';
import { PulseCache } from './cache/pulse-cache.ts';
import { SourceAllowlist } from './cache/source-allowlist.ts';
import { StateFolder } from './features/state-folder/state-folder.ts';
import type { Clock } from './lib/clock.ts';
import { type AppConfig, type Config, ConfigError } from './config/config.ts';
import { RefreshPlanner } from './planner/refresh-planner.ts';
import type { Cluster } from './features/redis/cluster.ts';
import { redisAddressOf } from './features/redis/address.ts';
import { readSecretLine } from './lib/secret-file.ts';
import { keyFault, KeyRing, openKeyFile } from './upstream/key-ring.ts';
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

/** Opens key, upstream, budget, planner and cache, and begins to refresh. Throws `ConfigError` if the key cannot be used. */
export async function openCache(config: Config, options: OpenCacheOptions): Promise<OpenCache> {
  const { clock, observer, warn, onFault, startedAt } = options;
  const { freshForMs, staleForMs, authStaleForMs } = config;
  const { stateDir, expose: exposed } = config;
  const folder = stateDir === undefined ? undefined : new StateFolder(stateDir, { warn, exposed });
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
    exposed: config.expose,
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
  const fault = keyFault(await readSecretLine('PULSE_API_KEY_FILE', apiKeyFile));
  if (fault !== undefined) throw new ConfigError([`PULSE_API_KEY_FILE: ${fault}`]);
  return openKeyFile({ read: keyFileReader(apiKeyFile, warn), clock, reloadMs, warn });
}

/** Makes the function that reads a key file. It warns once if the file has been removed outside, so that no change can show in it. */
function keyFileReader(path: string, warn: (message: string) => void): () => Promise<string> {
  let wasRemoved = false;
  return async () => {
    const text = await readFile(path, 'utf8');
    const isRemoved = (await stat(path)).nlink === 0;
    if (isRemoved && !wasRemoved) warn(REMOVED_KEY_FILE);
    wasRemoved = isRemoved;
    return text;
  };
}

/** A container that mounts a single file keeps the old one when the host replaces it. */
const REMOVED_KEY_FILE =
  'PULSE_API_KEY_FILE: the file was replaced, but this process still sees the old one (link count 0). Mount its folder, not the file, and restart';

/** The upstream for a command that makes calls of its own. */
export function openUpstream(config: AppConfig, key: KeyRing, clock: Clock): Upstream {
  return new Upstream(config, { key, callBudget: openCallBudget(config, clock), clock });
}

/** Connects to Redis if the configuration names one. Its client is loaded only then. */
async function openCluster(
  config: Config,
  key: KeyRing,
  { clock, startedAt, redisAnswersWithinMs }: OpenCacheOptions,
): Promise<Cluster | undefined> {
  const address = await redisAddressOf(config);
  if (address === undefined) return undefined;
  const redis = await import('./features/redis/cluster.ts');
  return redis.openCluster(address, config, { clock, key, startedAt, redisAnswersWithinMs });
}

/** The call budget of this instance alone. */
function openCallBudget(config: AppConfig, clock: Clock, startedAt?: number): LocalCallBudget {
  const { rateLimit: limit, rateWindowMs: windowMs, rateReserve: reserve, upstreamTimeoutMs: callMs } = config;
  return new LocalCallBudget({ clock, limit, windowMs, reserve, callMs, startedAt });
}
