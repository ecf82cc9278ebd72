import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import { type Freshness, NOT_YET_FETCHED, cacheHit, factsOf, lookupFailure } from './freshness.ts';
import { withTimeout } from './single-flight.ts';
import type { CacheStore } from './cache-store.ts';
import type { CacheFacts, LookupResult, SourceList } from './port.ts';
import type { RefreshCoordinator } from './refresh-coordinator.ts';
import type { BackoffRegistry } from './backoff-registry.ts';

export interface ListReaderOptions {
  readonly store: CacheStore;
  readonly backoffs: BackoffRegistry;
  readonly refreshCoordinator: RefreshCoordinator;
  readonly planner: RefreshPlanner;
  readonly clock: Clock;
  readonly freshForMs: number;
  readonly upstreamTimeoutMs: number;
  /** How far a list that was asked for then may be trusted now. */
  readonly freshnessOfEntry: (askedAt: number, now: number) => Freshness;
}

/** Answers readers of the list: what is kept, or what comes in time. */
export class ListReader {
  readonly #options: ListReaderOptions;

  constructor(options: ListReaderOptions) {
    this.#options = options;
  }

  /** Never rejects. Counts as a view of the list. */
  async read(): Promise<LookupResult<SourceList>> {
    const { clock, planner, refreshCoordinator, backoffs } = this.#options;
    const now = clock.now();
    planner.recordView(LIST_ID, now);
    const freshness = this.#freshnessAtTime(now);
    if (freshness === 'fresh') return this.#cached(now);
    if (freshness === 'stale' && !refreshCoordinator.isWorthWaiting(LIST_ID, now))
      return this.#cached(now, this.#staleReason(now));
    const rest = freshness === 'expired' ? backoffs.activeBackoff(LIST_ID, now) : undefined;
    if (rest) return lookupFailure(rest);
    return this.#wait(freshness === 'expired' ? 'miss' : 'stale');
  }

  async #wait(fwd: 'miss' | 'stale'): Promise<LookupResult<SourceList>> {
    const { clock, refreshCoordinator } = this.#options;
    const { flight, isNew } = refreshCoordinator.joinList({ isUserFacing: fwd === 'miss' });
    const result = await withTimeout(flight, this.#options, fwd);
    const now = clock.now();
    if (result?.ok) return this.#cached(now, { hit: false, fwd, fwdStatus: 200, stored: true, collapsed: !isNew });
    if (fwd === 'miss') return lookupFailure(result ?? NOT_YET_FETCHED);
    return this.#cached(now, result ? factsOf(result) : {});
  }

  #cached(now: number, facts?: Partial<CacheFacts>): LookupResult<SourceList> {
    const { store, freshForMs } = this.#options;
    if (!store.list || this.#freshnessAtTime(now) === 'expired') return lookupFailure(NOT_YET_FETCHED);
    return cacheHit(store.list.list, { askedAt: store.list.askedAt, freshForMs, now }, facts);
  }

  #freshnessAtTime(now: number): Freshness {
    const { store, freshnessOfEntry } = this.#options;
    return store.list ? freshnessOfEntry(store.list.askedAt, now) : 'expired';
  }

  #staleReason(now: number): Partial<CacheFacts> {
    const detail = this.#options.refreshCoordinator.blockedReason(LIST_ID, now);
    return detail === undefined ? {} : { detail };
  }
}
