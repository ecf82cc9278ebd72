import type { CallBudget } from '../budget/call-budget.ts';
import { LocalCallBudget } from '../budget/local-call-budget.ts';
import { PulseCache, type PulseCacheOptions } from '../cache/pulse-cache.ts';
import type { SourceSnapshot } from '../cache/entries.ts';
import type { FreshnessPolicy, LookupResult } from '../cache/freshness.ts';
import type { Requester } from '../cache/pulse-reader.ts';
import { SourceAllowlist } from '../cache/source-allowlist.ts';
import type { SourceRule } from '../lib/source-rule.ts';
import { cacheStateOf } from '../features/status/cache-state.ts';
import { StateFolder } from '../features/state-folder/state-folder.ts';
import { RefreshPlanner } from '../planner/refresh-planner.ts';
import { Upstream } from '../upstream/upstream.ts';
import { BASES, createFakeUpstream, type FakeUpstream } from './fake-upstream.ts';
import { createVirtualClock, overTime, type VirtualClock } from './virtual-clock.ts';

export interface CacheHarnessOptions
  extends Partial<FreshnessPolicy>, Partial<Pick<PulseCacheOptions, 'openPeers' | 'warn' | 'onFault'>> {
  readonly clock?: VirtualClock;
  readonly callBudget?: CallBudget;
  /** @default the ids of the list */
  readonly sources?: SourceRule;
  readonly stateDir?: string;
  readonly hasAltHost?: boolean;
  readonly sourceIds?: readonly string[];
  /** Called before the cache is started. */
  readonly prepare?: (upstream: FakeUpstream) => void;
  /** Whether to wait until the cache's first request is answered. @default true */
  readonly settled?: boolean;
}

/** The maximum number of ids that a service lists. */
export const TEN = Array.from({ length: 10 }, (_, index) => `src_${index + 1}`);

/** A reader who may see every source, and whose lookups all count as views. */
export const ANY_READER: Requester = { refusalOf: () => undefined };

const DAY_MS = 86_400_000;

/** The result for a reader: the run, null if there is no pulse, or the error code. */
export function seen(lookup: LookupResult<SourceSnapshot> | undefined): string | null | undefined {
  return lookup?.ok ? (lookup.value.pulse?.jobRunId ?? null) : lookup?.code;
}

/** The result of a lookup that doesn't have to wait. Undefined if it has to wait. */
export function immediately<Result>(lookup: Result | Promise<Result>): Result | undefined {
  return lookup instanceof Promise ? undefined : lookup;
}

/**
 * Opens a cache between readers and an upstream whose list has already been loaded. By default, there are ten sources,
 * answers are fresh for 15 s, and the call budget started long ago.
 */
export async function openCacheHarness(options: CacheHarnessOptions = {}) {
  const { clock = createVirtualClock(), sourceIds = TEN, sources = { listed: true, ids: [] }, stateDir } = options;
  const { freshForMs = 15_000, staleForMs = DAY_MS, authStaleForMs = 600_000, hasAltHost = false } = options;
  const { openPeers, warn = () => {}, onFault = () => {} } = options;
  const upstream = createFakeUpstream(clock, sourceIds);
  const [windowMs, upstreamTimeoutMs] = [60_000, 5_000];
  const budget = { clock, limit: 60, reserve: 15, windowMs, callMs: upstreamTimeoutMs };
  const callBudget = options.callBudget ?? new LocalCallBudget({ ...budget, startedAt: clock.now() - 10 * windowMs });
  const keyListeners = new Set<() => void>();
  const planner = new RefreshPlanner({ minAgeMs: freshForMs });
  const altBaseUrl = hasAltHost ? BASES.alt : undefined;
  const folder = stateDir === undefined ? undefined : new StateFolder(stateDir, { clock, warn, freshForMs });
  const cache = new PulseCache({
    ids: new SourceAllowlist(sources),
    folder,
    upstream: new Upstream(
      { baseUrl: BASES.main, altBaseUrl, upstreamTimeoutMs },
      { key: upstream.key, callBudget, clock, random: () => 0.5, fetch: upstream.fetch },
    ),
    key: {
      current: () => ({ name: upstream.keyName }),
      onChange: (listener) => {
        keyListeners.add(listener);
        return () => void keyListeners.delete(listener);
      },
    },
    planner,
    freshnessPolicy: { freshForMs, staleForMs, authStaleForMs },
    clock,
    openPeers,
    warn,
    onFault,
  });
  options.prepare?.(upstream);
  await cache.start();
  if (options.settled !== false) await clock.advance(upstream.latencyMs);

  function ask(sourceId: string): Promise<LookupResult<SourceSnapshot>> {
    return Promise.resolve(cache.reader.read(sourceId, ANY_READER));
  }

  /** Makes a reader request each id every second. Resolves to the results. */
  async function readers(ids: readonly string[], forMs: number, everyMs = 1_000) {
    const lookups: Promise<LookupResult<SourceSnapshot>>[] = [];
    for (let passedMs = 0; passedMs < forMs; passedMs += everyMs) {
      for (const id of ids) lookups.push(ask(id));
      await clock.advance(everyMs);
    }
    return overTime(clock, Promise.all(lookups));
  }

  async function close(): Promise<void> {
    const closed = cache.close();
    await clock.advance(10_000);
    await closed;
    if (clock.pending() > 0) throw new Error(`The cache was closed and left ${clock.pending()} timers`);
  }

  return {
    clock,
    upstream,
    planner,
    cache,
    folder,
    /** The state of the cache, as the status page shows it. */
    state: () => cacheStateOf(cache),
    /** The answer to a reader. Advances the clock until there is an answer. */
    read: (sourceId: string) => overTime(clock, ask(sourceId)),
    /** The pulse that a reader sees at that time. */
    see: async (sourceId: string) => seen(await overTime(clock, ask(sourceId))),
    readers,
    /** Switches to another key. */
    changeKey: (keyName: string) => {
      upstream.keyName = keyName;
      for (const listener of keyListeners) listener();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export type CacheHarness = Awaited<ReturnType<typeof openCacheHarness>>;
