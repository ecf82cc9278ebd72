import { readFile, stat } from 'node:fs/promises';
import { LocalCallBudget } from './budget/local-call-budget.ts';
import type { SourceSnapshot } from './cache/entries.ts';
import { PulseCache } from './cache/pulse-cache.ts';
import { SourceAllowlist } from './cache/source-allowlist.ts';
import { type AppConfig, type Config, ConfigError } from './config/config.ts';
import type { Backend, BackendDefinition, BackendParts } from './feature.ts';
import type { Clock } from './lib/clock.ts';
import { readSecretLine } from './config/secret-file.ts';
import { RefreshPlanner } from './planner/refresh-planner.ts';
import { KeyRing, openKeyFile } from './upstream/key-ring.ts';
import { keyFault } from './lib/api-key.ts';
import type { CallObserver } from './upstream/call-observer.ts';
import { HostClient } from './upstream/host-client.ts';
import { Upstream } from './upstream/upstream.ts';

/** The parts that the cache needs in addition to its configuration. */
export interface OpenCacheOptions extends Omit<BackendParts, 'config' | 'keyRing'> {
  readonly backends: readonly BackendDefinition[];
  readonly observer: CallObserver;
  /** Called with internal errors of background work. */
  readonly onFault: (fault: unknown) => void;
  /** Called with each answer about a source that is stored. */
  readonly onStored?: (snapshot: SourceSnapshot) => void;
  /** Called when the key belongs to a different account than before. */
  readonly onPurge?: () => void;
}

/** A cache that refreshes itself once it is started, and the parts that it is built on. */
export interface OpenCache {
  readonly cache: PulseCache;
  /** The key of the upstream. */
  readonly keyRing: KeyRing;
  readonly backend: Backend;
  readonly close: () => Promise<void>;
}

/** Opens key, backends, upstream, budget, planner and cache. Throws `ConfigError` if the key or a file of a backend can't be used. */
export async function openCache(config: Config, options: OpenCacheOptions): Promise<OpenCache> {
  const { clock, warn, startedAt, observer } = options;
  const keyRing = await openKeyRing(config, clock, warn);
  const backend = await openBackends(options.backends, { ...options, config, keyRing }).catch((error: unknown) => {
    keyRing.close();
    throw error;
  });
  const planner = new RefreshPlanner({ minAgeMs: config.freshForMs });
  const callBudget = backend.callBudget ?? openCallBudget(config, clock, startedAt);
  const upstream = new Upstream(config, { key: keyRing, callBudget, clock, observer });
  const cache = openPulseCache(config, options, { keyRing, backend, planner, upstream });
  const close = async (): Promise<void> => {
    keyRing.close();
    await cache.close();
    backend.close();
  };
  return { cache, keyRing, backend, close };
}

interface CacheParts extends Pick<OpenCache, 'keyRing' | 'backend'> {
  readonly planner: RefreshPlanner;
  readonly upstream: Upstream;
}

function openPulseCache(config: Config, options: OpenCacheOptions, parts: CacheParts): PulseCache {
  const { clock, warn, onFault, onStored, onPurge } = options;
  const { freshForMs, staleForMs, authStaleForMs } = config;
  const { backend, ...rest } = parts;
  return new PulseCache({
    ...rest,
    ids: new SourceAllowlist(config.sources),
    freshnessPolicy: { freshForMs, staleForMs, authStaleForMs },
    clock,
    folder: backend.folder,
    exposed: config.expose,
    openPeers: backend.openPeers,
    warn,
    onFault,
    onStored,
    onPurge,
  });
}

/**
 * Opens the backends that the configuration turns on, and combines them. If two store the same part, the first one is
 * used.
 */
async function openBackends(backends: OpenCacheOptions['backends'], parts: BackendParts): Promise<Backend> {
  const opened: Backend[] = [];
  const close = (): void => opened.forEach((backend) => backend.close());
  try {
    for (const backend of backends)
      opened.push((await backend.open(parts, parts.config.featureSettings)) ?? { close: () => {} });
  } catch (error) {
    close();
    throw error;
  }
  return { ...Object.assign({}, ...opened.toReversed()), close } as Backend;
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

/**
 * Makes the function that reads a key file. It warns once if the file has been removed outside the container, because
 * changes can't appear in it any more.
 */
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

/** Opens the hosts for a command that makes its own calls. */
export function openHostClient(config: AppConfig, key: KeyRing, clock: Clock): HostClient {
  return new HostClient(config, { key, clock });
}

/** The call budget of this instance only. */
function openCallBudget(config: AppConfig, clock: Clock, startedAt?: number): LocalCallBudget {
  const { rateLimit: limit, rateWindowMs: windowMs, rateReserve: reserve, upstreamTimeoutMs: callMs } = config;
  return new LocalCallBudget({ clock, limit, windowMs, reserve, callMs, startedAt });
}
