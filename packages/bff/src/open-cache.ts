import { LocalCallBudget } from './budget/local-call-budget.ts';
import { PulseCache, type PulseCacheOptions } from './cache/pulse-cache.ts';
import { SourceAllowlist } from './cache/source-allowlist.ts';
import { type AppConfig, type Config, ConfigError, KEY_MISSING } from './config/config.ts';
import type { Backend, BackendDefinition, BackendParts, Feature } from './feature.ts';
import type { Clock } from './lib/clock.ts';
import { RefreshPlanner } from './planner/refresh-planner.ts';
import type { CallObserver } from './upstream/call-observer.ts';
import { fixedKey, type KeySource } from './upstream/key-source.ts';
import { Upstream } from './upstream/upstream.ts';

/** The parts that the cache needs in addition to its configuration. */
export interface OpenCacheOptions
  extends
    Omit<BackendParts, 'config' | 'key' | 'warn'>,
    Pick<PulseCacheOptions, 'warn' | 'onFault' | 'onStored' | 'onPurge'> {
  readonly backends: readonly BackendDefinition[];
  readonly observer: CallObserver;
}

/** A cache and the parts that it uses. Once it is started, the cache refreshes itself. */
export interface OpenCache {
  readonly cache: PulseCache;
  readonly key: KeySource;
  readonly backend: Backend;
  /** The features that report the state of the backends. */
  readonly backendFeatures: readonly Feature[];
  readonly close: () => Promise<void>;
}

/**
 * Opens the key, the backends, the upstream, the budget, the planner, and the cache. Throws `ConfigError` if the key or
 * a file of a backend can't be used.
 */
export async function openCache(config: Config, options: OpenCacheOptions): Promise<OpenCache> {
  const { backends, observer, startedAt, ...rest } = options;
  const { clock } = options;
  const { key, backend, backendFeatures } = await openBackends(backends, { ...options, config });
  const planner = new RefreshPlanner({ minAgeMs: config.freshForMs });
  const callBudget = backend.callBudget ?? openCallBudget(config, clock, startedAt);
  const upstream = new Upstream(config, { key, callBudget, clock, observer });
  const cache = new PulseCache({
    ...rest,
    folder: backend.folder,
    openPeers: backend.openPeers,
    key,
    planner,
    upstream,
    ids: new SourceAllowlist(config.sources),
    exposed: config.expose,
    freshnessPolicy: config,
  });
  const close = async (): Promise<void> => {
    await cache.close();
    backend.close();
  };
  return { cache, key, backend, backendFeatures, close };
}

/**
 * Opens the key and the backends that the configuration turns on, and combines them. If two backends provide the
 * same part, the first one is used.
 */
async function openBackends(
  backends: OpenCacheOptions['backends'],
  parts: Omit<BackendParts, 'key'>,
): Promise<Omit<OpenCache, 'cache' | 'close'>> {
  const { apiKey, featureSettings } = parts.config;
  let key = apiKey && fixedKey(apiKey);
  const keyInUse = (): KeySource => {
    if (key === undefined) throw new ConfigError([`PULSE_API_KEY: ${KEY_MISSING}`]);
    return key;
  };
  const opened: Backend[] = [];
  const close = (): void => opened.forEach((backend) => backend.close());
  try {
    for (const definition of backends) {
      const backend = await definition.open({ ...parts, key: keyInUse }, featureSettings);
      if (backend !== undefined) opened.push(backend);
      key ??= backend?.keySource;
    }
    const backend = { ...Object.assign({}, ...opened.toReversed()), close } as Backend;
    return { key: keyInUse(), backend, backendFeatures: opened.flatMap(({ feature }) => feature ?? []) };
  } catch (error) {
    close();
    throw error;
  }
}

/** The call budget of a single instance. */
function openCallBudget(config: AppConfig, clock: Clock, startedAt?: number): LocalCallBudget {
  const { rateLimit: limit, rateWindowMs: windowMs, rateReserve: reserve, upstreamTimeoutMs: callMs } = config;
  return new LocalCallBudget({ clock, limit, windowMs, reserve, callMs, startedAt });
}
