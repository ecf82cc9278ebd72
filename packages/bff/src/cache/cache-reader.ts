import type { Clock } from '../clock.ts';
import type { BackoffRegistry } from './backoff-registry.ts';
import type { CacheEntry } from './cache-store.ts';
import { type Freshness, NOT_YET_FETCHED, cacheHit, factsOf, lookupFailure } from './freshness.ts';
import type { CacheFacts, CacheHit, LookupResult } from './port.ts';
import type { RefreshCoordinator } from './refresh-coordinator.ts';
import { withTimeout } from './single-flight.ts';

export interface CacheReaderOptions {
  readonly refreshCoordinator: RefreshCoordinator;
  readonly backoffs: BackoffRegistry;
  readonly clock: Clock;
  readonly freshForMs: number;
  readonly upstreamTimeoutMs: number;
  readonly freshnessOf: (subject: string, entry: { readonly requestedAt: number }, now: number) => Freshness;
}

/** A source or the list, and how to find its entry in the cache. */
export interface Lookup<Value> {
  readonly subject: string;
  readonly entry: () => CacheEntry<Value> | undefined;
}

/** Answers readers from the cache, or with what a refresh brings in time. */
export class CacheReader {
  readonly #options: CacheReaderOptions;

  constructor(options: CacheReaderOptions) {
    this.#options = options;
  }

  /** The entry, fresh or stale; undefined where there is none, or an expired one. */
  peek<Value>({ subject, entry }: Lookup<Value>, facts: Partial<CacheFacts> = {}): CacheHit<Value> | undefined {
    const now = this.#options.clock.now();
    const found = entry();
    const freshness = found ? this.#options.freshnessOf(subject, found, now) : 'expired';
    if (!found || freshness === 'expired') return undefined;
    if (freshness === 'fresh') return this.hit(found, facts);
    const detail = this.#options.refreshCoordinator.blockedReason(subject, now);
    return this.hit(found, { ...(detail !== undefined && { detail }), ...facts });
  }

  /** The entry, unless it is worth waiting for a fresher one. */
  getIfCached<Value>(lookup: Lookup<Value>): CacheHit<Value> | undefined {
    return this.#isWorthWaiting(lookup) ? undefined : this.peek(lookup);
  }

  /** The entry, or what a refresh brings; waits no longer than 500 ms where there is a stale entry. Never rejects. */
  async getOrFetch<Value>(lookup: Lookup<Value>): Promise<LookupResult<Value>> {
    const found = this.peek(lookup);
    if (!found) return this.fetch(lookup);
    return this.#isWorthWaiting(lookup) ? this.#refresh(lookup, 'stale') : found;
  }

  /** What a refresh brings, whatever is in the cache. Never rejects. */
  async fetch<Value>(lookup: Lookup<Value>): Promise<LookupResult<Value>> {
    const { backoffs, clock } = this.#options;
    const backoff = backoffs.activeBackoff(lookup.subject, clock.now());
    return backoff ? lookupFailure(backoff) : this.#refresh(lookup, 'miss');
  }

  hit<Value>({ value, requestedAt }: CacheEntry<Value>, facts: Partial<CacheFacts> = {}): CacheHit<Value> {
    const { freshForMs, clock } = this.#options;
    return cacheHit(value, { requestedAt, freshForMs, now: clock.now() }, facts);
  }

  async #refresh<Value>(lookup: Lookup<Value>, fwd: 'miss' | 'stale'): Promise<LookupResult<Value>> {
    const { refreshCoordinator } = this.#options;
    const { flight, isNew } = refreshCoordinator.join(lookup.subject, { isUserFacing: fwd === 'miss' });
    const result = await withTimeout(flight, this.#options, fwd);
    if (result?.ok === false)
      return fwd === 'miss' ? lookupFailure(result) : this.#cachedOrFailure(lookup, factsOf(result));
    const entry = result && lookup.entry();
    if (!entry) return this.#cachedOrFailure(lookup);
    return this.hit(entry, { hit: false, fwd, fwdStatus: statusOf(entry.value), stored: true, collapsed: !isNew });
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
