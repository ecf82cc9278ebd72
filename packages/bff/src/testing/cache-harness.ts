import type { CallBudget } from '../budget/call-budget.ts';
import { LocalCallBudget } from '../budget/local-call-budget.ts';
import { PulseCache, type PulseCacheOptions } from '../cache/pulse-cache.ts';
import type { SourceSnapshot } from '../cache/entries.ts';
import type { LookupResult } from '../cache/freshness.ts';
import { SourceAllowlist, type SourceRule } from '../cache/source-allowlist.ts';
import { StateFolder } from '../cache/state-folder.ts';
import { RefreshPlanner } from '../planner/refresh-planner.ts';
import { Upstream } from '../upstream/upstream.ts';
import { BASES, createFakeUpstream, type FakeUpstream } from './fake-upstream.ts';
import { createVirtualClock, overTime, type VirtualClock } from './virtual-clock.ts';

/** A cache between a test's readers and a test's upstream. */
export interface CacheHarness extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly upstream: FakeUpstream;
  readonly callBudget: CallBudget;
  readonly cache: PulseCache;
  /** What a reader gets, with time pushed on until there is an answer; fails the test where that takes too long. */
  read(sourceId: string): Promise<LookupResult<SourceSnapshot>>;
  /** One reader a second on each id, for so long. Returns what they got. */
  readers(sourceIds: readonly string[], forMs: number, everyMs?: number): Promise<LookupResult<SourceSnapshot>[]>;
  /** Another key is in use from now on. */
  changeKey(keyName: string): void;
  close(): Promise<void>;
}

export interface CacheHarnessOptions extends Partial<
  Pick<PulseCacheOptions, 'clock' | 'planner' | 'shared' | 'warn' | 'onFault'>
> {
  readonly callBudget?: CallBudget;
  readonly sources?: SourceRule;
  readonly stateDir?: string;
  readonly freshForMs?: number;
  readonly staleForMs?: number;
  readonly authStaleForMs?: number;
  readonly hasAltHost?: boolean;
  readonly upstreamTimeoutMs?: number;
  /** From 0 up to, not including, 1. @default 0.5 */
  readonly random?: () => number;
  readonly sourceIds?: readonly string[];
  readonly limit?: number;
  readonly reserve?: number;
  /** Called before the cache is started. */
  readonly prepare?: (upstream: FakeUpstream) => void;
  /** Lets the cache's first question be answered. @default true */
  readonly settled?: boolean;
}

/** Opens a cache whose list has been answered: sources `src_1` to `src_10`, fresh for 15 s, a call budget long after its start. */
export async function openCacheHarness(options: CacheHarnessOptions = {}): Promise<CacheHarness> {
  const {
    sourceIds = Array.from({ length: 10 }, (_, index) => `src_${index + 1}`),
    limit = 60,
    reserve = 15,
    sources = { listed: true, ids: [] },
    stateDir,
    freshForMs = 15_000,
    staleForMs = 86_400_000,
    authStaleForMs = 600_000,
    hasAltHost = false,
    upstreamTimeoutMs = 5_000,
    random = () => 0.5,
    warn = () => {},
  } = options;
  const clock = (options.clock as VirtualClock | undefined) ?? createVirtualClock();
  const upstream = createFakeUpstream(clock, sourceIds);
  const windowMs = 60_000;
  const startedAt = clock.now() - 10 * windowMs;
  const callBudget =
    options.callBudget ??
    new LocalCallBudget({ clock, limit, reserve, windowMs, callMs: upstreamTimeoutMs, startedAt });
  const { onFault = () => {} } = options;
  const keyListeners = new Set<() => void>();
  const planner = options.planner ?? new RefreshPlanner({ windowMs, minAgeMs: freshForMs });
  const cache = new PulseCache({
    ids: new SourceAllowlist(sources),
    folder: stateDir === undefined ? undefined : new StateFolder(stateDir, { warn }),
    upstream: new Upstream(
      { baseUrl: BASES.main, altBaseUrl: hasAltHost ? BASES.alt : undefined, upstreamTimeoutMs },
      {
        key: upstream.key,
        callBudget,
        clock,
        random,
        planner,
        fetch: upstream.fetch,
      },
    ),
    keyRing: {
      current: () => ({ name: upstream.keyName }),
      onChange: (listener) => {
        keyListeners.add(listener);
        return () => void keyListeners.delete(listener);
      },
    },
    planner,
    freshnessPolicy: { freshForMs, staleForMs, authStaleForMs },
    clock,
    shared: options.shared,
    warn,
    onFault,
  });
  options.prepare?.(upstream);
  await cache.start();
  if (options.settled !== false) await clock.advance(upstream.latencyMs);

  function ask(sourceId: string): Promise<LookupResult<SourceSnapshot>> {
    return Promise.resolve(cache.getIfCached(sourceId) ?? cache.getOrFetch(sourceId));
  }

  async function readers(
    ids: readonly string[],
    forMs: number,
    everyMs = 1_000,
  ): Promise<LookupResult<SourceSnapshot>[]> {
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
    callBudget,
    cache,
    read: (sourceId) => overTime(clock, ask(sourceId)),
    readers,
    changeKey: (keyName) => {
      upstream.keyName = keyName;
      for (const listener of keyListeners) listener();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
