import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { CallLedger } from './budget/call-ledger.ts';
import { createGrantFile } from './budget/grant-file.ts';
import { createMemoryLedger } from './budget/memory-ledger.ts';
import type { CacheObserver } from './cache/call-report.ts';
import { openPulseCache, type OpenPulseCache } from './cache/pulse-cache.ts';
import type { Clock } from './clock.ts';
import { type Config, ConfigRefused } from './config.ts';
import { createRefreshPlanner } from './freshness/refresh-planner.ts';
import { openCrew } from './redis/crew.ts';
import type { CrewStatus } from './redis/crew-status.ts';
import { prepareStateDir } from './state-dir.ts';
import { createHttpUpstream } from './upstream/http-upstream.ts';
import { derivedSecrets } from './upstream/derived-secrets.ts';
import { fixedKeyRing, type KeyRing, openKeyFile } from './upstream/key-ring.ts';

/** The file in `PULSE_STATE_DIR` that holds the recent calls. */
const GRANTS_FILE = 'calls.log';

/** What the secret is for that addresses of charts are signed with. */
const IMAGE_PURPOSE = 'pulse-card addresses of charts 1';

/** What the core needs beside its configuration. */
export interface CoreParts {
  readonly clock: Clock;
  readonly observer: CacheObserver;
  readonly warn: (message: string) => void;
  /** Hears of faults inside that nobody waits for. */
  readonly onFault: (fault: unknown) => void;
  /** When the process began that makes all of the key's calls, on the clock. @default now */
  readonly startedAt?: number;
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
}

/** The cache with all that it stands on. */
export interface Core {
  readonly cache: OpenPulseCache;
  /** The reader-milliseconds of staleness that a call must buy at the moment. */
  readonly priceMs: () => number;
  /** How this instance stands with the others; undefined where there can be none. */
  readonly crew: () => CrewStatus | undefined;
  /** Secrets made of the key that the addresses of charts are signed with. */
  readonly imageSecrets: () => readonly KeyObject[];
  readonly close: () => Promise<void>;
}

/** Opens key, upstream, budget, planner and cache, and begins to refresh. Throws where the key file holds no key. */
export async function openCore(config: Config, parts: CoreParts): Promise<Core> {
  const { clock, observer, warn, onFault } = parts;
  if (config.stateDir !== undefined) prepareStateDir(config.stateDir);
  const key = await openKeyRing(config, clock, warn);
  const planner = createRefreshPlanner({
    windowMs: config.rateWindowMs,
    callsPerWindow: config.rateLimit - config.rateReserve,
    minAgeMs: config.freshForMs,
  });
  const crew = config.redis && (await openCrew(config.redis, { ...config, ...parts, key }));
  const cache = openPulseCache({
    ...config,
    clock,
    observer,
    warn,
    onFault,
    upstream: createHttpUpstream({ ...config, key, timeoutMs: config.upstreamTimeoutMs }),
    ledger: crew?.ledger ?? openLedger(config, parts),
    shared: crew?.shared,
    planner,
    hasAltHost: config.altBaseUrl !== undefined,
    keyName: () => key.current().name,
    onKeyChange: (heard) => key.onChange(heard),
  });
  await cache.start();
  return {
    cache,
    priceMs: () => planner.price(),
    crew: () => crew?.status(),
    imageSecrets: derivedSecrets(key, IMAGE_PURPOSE),
    close: async () => {
      key.close();
      await cache.close();
      await crew?.close();
    },
  };
}

/** Opens the key where the configuration says it is. Throws where the file holds none. */
export async function openKeyRing({ key }: Config, clock: Clock, warn: (message: string) => void): Promise<KeyRing> {
  if (key.kind === 'value') return fixedKeyRing(key.key);
  try {
    return await openKeyFile(key.path, { clock, reloadMs: key.reloadMs, warn });
  } catch {
    throw new ConfigRefused([
      'PULSE_API_KEY_FILE: must be a readable file with one line of 8 to 256 visible ASCII characters',
    ]);
  }
}

/** Opens the account of the key's calls: written down in `PULSE_STATE_DIR`, where there is one. */
export function openLedger(
  config: Config,
  { clock, warn, startedAt }: Pick<CoreParts, 'clock' | 'warn' | 'startedAt'>,
): CallLedger {
  return createMemoryLedger({
    clock,
    limit: config.rateLimit,
    windowMs: config.rateWindowMs,
    reserve: config.rateReserve,
    callMs: config.upstreamTimeoutMs,
    ...(startedAt !== undefined && { startedAt }),
    ...(config.stateDir !== undefined && {
      memory: createGrantFile(join(config.stateDir, GRANTS_FILE), { clock, warn }),
    }),
  });
}
