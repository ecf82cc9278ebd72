import type { Clock } from '../clock.ts';
import type { BackoffRegistry } from './backoff-registry.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { CacheEntry, CacheStore } from './cache-store.ts';
import { type Freshness, NOT_YET_FETCHED, cacheHit, factsOf, lookupFailure } from './freshness.ts';
import type { CacheFacts, CacheHit, LookupResult, SourceList, SourceSnapshot } from './port.ts';
import type { RefreshCoordinator } from './refresh-coordinator.ts';
import { withTimeout } from './single-flight.ts';

export interface CacheReaderOptions {
  readonly store: CacheStore;
  readonly refreshCoordinator: RefreshCoordinator;
  readonly backoffs: BackoffRegistry;
  readonly clock: Clock;
  readonly freshForMs: number;
  readonly upstreamTimeoutMs: number;
  readonly freshnessOf: (subject: string, entry: { readonly requestedAt: number }, now: number) => Freshness;
}

/** A source or the list, and how to find its entry in the cache. */
interface Lookup<Value> {
  readonly subject: string;
  readonly entry: () => CacheEntry<Value> | undefined;
}

/** Answers readers from the cache, or with what a refresh brings in time. */
export class CacheReader {
  readonly #options: CacheReaderOptions;

  constructor(options: CacheReaderOptions) {
    this.#options = options;
  }

  get list(): Lookup<SourceList> {
    return { subject: LIST_ID, entry: () => this.#options.store.list };
  }

  source(sourceId: string): Lookup<SourceSnapshot> {
    return { subject: sourceId, entry: () => this.#options.store.entry(sourceId) };
  }

  /** The entry, fresh or stale; undefined where there is none, or an expired one. */
  peek<Value>({ subject, entry }: Lookup<Value>, facts: Partial<CacheFacts> = {}): CacheHit<Value> | undefined {
    const now = this.#options.clock.now();
    const found = entry();
    const freshness = found ? this.#options.freshnessOf(subject, found, now) : 'expired';
    if (!found || freshness === 'expired') return undefined;
    if (freshness === 'fresh') return this.#hit(found, facts);
    const detail = this.#options.refreshCoordinator.blockedReason(subject, now);
    return this.#hit(found, { ...(detail !== undefined && { detail }), ...facts });
  }

  /** The entry, unless it is worth waiting for a fresher one. */
  getIfCached<Value>(lookup: Lookup<Value>): CacheHit<Value> | undefined {
    return this.#isWorthWaiting(lookup) ? undefined : this.peek(lookup);
  }

  /** The entry, or what a refresh brings; waits no longer than 500 ms where there is a stale entry. Never rejects. */
  async getOrFetch<Value>(lookup: Lookup<Value>): Promise<LookupResult<Value>> {
    const found = this.peek(lookup);
    if (!found) return this.#fetch(lookup);
    return this.#isWorthWaiting(lookup) ? this.#refresh(lookup, 'stale') : found;
  }

  /** Returns whether an id is known; before there is a list, waits for it. */
  async isKnownOnceListed(sourceId: string): Promise<boolean> {
    const { store, refreshCoordinator, backoffs, clock } = this.#options;
    const { ids, list } = store;
    if (ids.has(sourceId)) return true;
    if (ids.followsList && !list && !backoffs.isActive(LIST_ID, clock.now()))
      await withTimeout(refreshCoordinator.join(LIST_ID, { isUserFacing: true }).flight, this.#options);
    return ids.has(sourceId);
  }

  /** The failure for an unknown id that cannot turn out to be known; undefined where `fetchUnknown` should be awaited. */
  peekUnknown(): LookupResult<SourceSnapshot> | undefined {
    const { ids, list } = this.#options.store;
    const mayTurnUp = ids.allowsUnknown || (ids.followsList && !list);
    return mayTurnUp ? undefined : this.#unknown();
  }

  /** What a refresh of an unknown id brings, where unknown ids are allowed. Never rejects. */
  async fetchUnknown(sourceId: string): Promise<LookupResult<SourceSnapshot>> {
    const { store, backoffs, clock } = this.#options;
    if (!store.ids.allowsUnknown) return this.#unknown();
    const entry = store.entry(sourceId);
    const isAbsent = backoffs.isAbsent(sourceId, clock.now());
    return entry && isAbsent ? { ...this.#hit(entry), stale: false } : this.#fetch(this.source(sourceId));
  }

  /** The failure for an id that is not on the list; `upstream_unavailable` or the like while there is no list. */
  #unknown(): LookupResult<SourceSnapshot> {
    const { store, refreshCoordinator, backoffs, clock } = this.#options;
    refreshCoordinator.recordUnknownId();
    if (store.list || !store.ids.followsList) return { ok: false, code: 'source_unknown' };
    return lookupFailure(backoffs.activeBackoff(LIST_ID, clock.now()) ?? NOT_YET_FETCHED);
  }

  #hit<Value>({ value, requestedAt }: CacheEntry<Value>, facts: Partial<CacheFacts> = {}): CacheHit<Value> {
    const { freshForMs, clock } = this.#options;
    return cacheHit(value, { requestedAt, freshForMs, now: clock.now() }, facts);
  }

  /** What a refresh brings, whatever is in the cache. */
  async #fetch<Value>(lookup: Lookup<Value>): Promise<LookupResult<Value>> {
    const { refreshCoordinator, clock } = this.#options;
    const failure = refreshCoordinator.activeFailure(lookup.subject, clock.now());
    return failure ? lookupFailure(failure) : this.#refresh(lookup, 'miss');
  }

  async #refresh<Value>(lookup: Lookup<Value>, fwd: 'miss' | 'stale'): Promise<LookupResult<Value>> {
    const { refreshCoordinator } = this.#options;
    const { flight, isNew } = refreshCoordinator.join(lookup.subject, { isUserFacing: fwd === 'miss' });
    const result = await withTimeout(flight, this.#options, fwd);
    if (result?.ok === false)
      return fwd === 'miss' ? lookupFailure(result) : this.#cachedOrFailure(lookup, factsOf(result));
    const entry = result && lookup.entry();
    if (!entry) return this.#cachedOrFailure(lookup);
    return this.#hit(entry, { hit: false, fwd, fwdStatus: statusOf(entry.value), stored: true, collapsed: !isNew });
  }

  #cachedOrFailure<Value>(lookup: Lookup<Value>, facts?: Partial<CacheFacts>): LookupResult<Value> {
    const { backoffs, clock } = this.#options;
    const backoff = backoffs.activeBackoff(lookup.subject, clock.now());
    return this.peek(lookup, facts) ?? lookupFailure(backoff ?? NOT_YET_FETCHED);
  }

  #isWorthWaiting({ subject, entry }: Lookup<unknown>): boolean {
    const { refreshCoordinator, freshnessOf, clock } = this.#options;
    const [found, now] = [entry(), clock.now()];
    if (!found || freshnessOf(subject, found, now) !== 'stale') return false;
    return refreshCoordinator.isWorthWaiting(subject, now);
  }
}

/** The status that the upstream answered with: 404 where a source has no pulse. */
function statusOf(value: unknown): 200 | 404 {
  return typeof value === 'object' && value !== null && 'pulse' in value && value.pulse === null ? 404 : 200;
}
