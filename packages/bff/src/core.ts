import type { KeyObject } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CallBudget } from './budget/call-budget.ts';
import { LocalCallBudget } from './budget/local-call-budget.ts';
import { PulseCache } from './cache/pulse-cache.ts';
import { SourceAllowlist } from './cache/source-allowlist.ts';
import { StateFolder } from './cache/state-folder.ts';
import type { Clock } from './clock.ts';
import type { ClusterStatus } from './cache/peers.ts';
import { type AppConfig, type Config, ConfigError } from './config.ts';
import { RefreshPlanner } from './planner/refresh-planner.ts';
import { type KeyFileStatus, KeyRing, openKeyFile } from './upstream/key-file.ts';
import { type CallObserver, Upstream } from './upstream/upstream.ts';

/** The purpose that separates the secret of signed image URLs from others made of the same key. */
const IMAGE_PURPOSE = 'pulse-card addresses of charts 1';

/** What the core needs beside its configuration. */
export interface CoreOptions {
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

/** The cache with everything it is built on. */
export interface Core {
  readonly cache: PulseCache;
  /** The state of the cluster; undefined without Redis. */
  readonly cluster: () => ClusterStatus | undefined;
  /** Secrets made of the key that the addresses of charts are signed with. */
  readonly imageSecrets: () => readonly KeyObject[];
  /** Names the key in use without revealing it. */
  readonly keyName: () => string;
  /** The state of the key file; undefined where the key is in no file. */
  readonly keyFile: () => KeyFileStatus | undefined;
  readonly close: () => Promise<void>;
}

/** Opens key, upstream, budget, planner and cache, and begins to refresh. Throws where the key file holds no key. */
export async function openCore(config: Config, parts: CoreOptions): Promise<Core> {
  const { clock, observer, warn, onFault, startedAt, redisAnswersWithinMs } = parts;
  const { stateDir, freshForMs, staleForMs, authStaleForMs } = config;
  if (stateDir !== undefined) prepareStateDir(stateDir);
  const key = await openKeyRing(config, clock, warn);
  const planner = new RefreshPlanner({ windowMs: config.rateWindowMs, minAgeMs: freshForMs });
  const clusterOptions = { clock, key, startedAt, redisAnswersWithinMs };
  const cluster = await openCluster(config, clusterOptions);
  const cache = new PulseCache({
    ids: new SourceAllowlist(config.sources),
    folder: stateDir === undefined ? undefined : new StateFolder(stateDir, { warn }),
    upstream: new Upstream(config, {
      key,
      callBudget: cluster?.callBudget ?? openCallBudget(config, parts),
      clock,
      observer,
      isRetryHeld: (subject, now) => planner.isRetryHeld(subject, now),
    }),
    keyRing: key,
    planner,
    freshnessPolicy: { freshForMs, staleForMs, authStaleForMs },
    clock,
    shared: cluster?.shared,
    warn,
    onFault,
  });
  await cache.start();
  return {
    cache,
    cluster: () => cluster?.status(),
    imageSecrets: key.secretsFor(IMAGE_PURPOSE),
    keyName: () => key.current().name,
    keyFile: () => key.status(),
    close: async () => {
      key.close();
      await cache.close();
      cluster?.close();
    },
  };
}

/** Connects to Redis where the configuration names one. Its client is loaded only then. */
export async function openCluster(
  config: Config,
  options: Pick<CoreOptions, 'clock' | 'startedAt' | 'redisAnswersWithinMs'> & { readonly key: KeyRing },
) {
  if (config.redis === undefined) return undefined;
  const redis = await import('./redis/cluster.ts');
  return redis.openCluster(config.redis, config, options);
}

/** Opens the key where the configuration says it is. Throws where the file holds none. */
export async function openKeyRing(
  { key }: Pick<Config, 'key'>,
  clock: Clock,
  warn: (message: string) => void,
): Promise<KeyRing> {
  if (key.kind === 'value') return new KeyRing(key.key);
  try {
    return await openKeyFile(key.path, { clock, reloadMs: key.reloadMs, warn });
  } catch {
    throw new ConfigError([
      'PULSE_API_KEY_FILE: must be a readable file with one line of 8 to 256 visible ASCII characters',
    ]);
  }
}

/** The upstream for a command that makes calls of its own. */
export function openUpstream(config: AppConfig, key: KeyRing, clock: Clock): Upstream {
  return new Upstream(config, { key, callBudget: openCallBudget(config, { clock }), clock });
}

/** Opens the call budget of this instance alone. */
export function openCallBudget(
  { rateLimit: limit, rateWindowMs: windowMs, rateReserve: reserve, upstreamTimeoutMs: callMs }: AppConfig,
  { clock, startedAt }: Pick<CoreOptions, 'clock' | 'startedAt'>,
): CallBudget {
  return new LocalCallBudget({ clock, limit, windowMs, reserve, callMs, startedAt });
}

/** Creates `PULSE_STATE_DIR` if it is missing; throws `ConfigError` where it is no folder or is not writable. */
export function prepareStateDir(folder: string): void {
  const reason = faultOf(folder);
  if (reason !== undefined)
    throw new ConfigError([`PULSE_STATE_DIR: must be a folder that this process can write to (${reason})`]);
}

/** The error code of a folder that cannot be used. */
function faultOf(folder: string): string | undefined {
  try {
    makeFolder(folder);
    if (!statSync(folder).isDirectory()) return 'ENOTDIR';
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  }
}

/** One level at a time: a recursive mkdir never returns where nothing may be created, as under `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
