import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import { kindOf } from '../upstream/gate.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { CacheEntry, CacheStore } from './cache-store.ts';
import {
  type Freshness,
  type KeyedFreshnessPolicy,
  NOT_YET_FETCHED,
  cacheHit,
  factsOf,
  freshnessOf,
  lookupFailure,
} from './freshness.ts';
import type { CacheFacts, CacheHit, LookupResult, SourceList, SourceSnapshot } from './port.ts';
import { RecentViews } from './recent-views.ts';
import type { Refresher } from './refresh.ts';
import { type Flight, USER_WAIT_MS, withTimeout } from './single-flight.ts';

export interface CacheReaderOptions {
  readonly store: CacheStore;
  readonly refresher: Refresher;
  readonly upstream: Upstream;
  readonly planner: RefreshPlanner;
  readonly freshnessPolicy: KeyedFreshnessPolicy;
  readonly clock: Clock;
}

/** A source or the list, and how to find its entry in the cache. */
interface Lookup<Value> {
  readonly subject: string;
  readonly entry: () => CacheEntry<Value> | undefined;
}

/** Whether a lookup is that of a reader, and of which client. */
interface View {
  readonly isView: boolean;
  readonly client?: string | undefined;
}

/** Answers readers from the cache, or with what a refresh brings in time. */
export class CacheReader {
  readonly #options: CacheReaderOptions;
  readonly #recentViews: RecentViews;

  constructor(options: CacheReaderOptions) {
    this.#options = options;
    this.#recentViews = new RecentViews(options.freshnessPolicy.freshForMs);
  }

  /** The cached answer about a source, unless it is worth waiting for a fresher one; undefined where `getOrFetch` should be awaited. */
  getIfCached(sourceId: string, view: View): LookupResult<SourceSnapshot> | undefined {
    const { store } = this.#options;
    if (!store.ids.has(sourceId)) return this.#peekUnknown();
    const source = this.#source(sourceId);
    const found = this.#isWorthWaiting(source) ? undefined : this.#peek(source);
    if (found) this.#recordView(sourceId, view);
    return found;
  }

  /** The cached answer about a source, or that of a call. Never rejects. */
  async getOrFetch(sourceId: string, view: View): Promise<LookupResult<SourceSnapshot>> {
    if (!(await this.#isKnownOnceListed(sourceId))) return this.#unknown();
    this.#recordView(sourceId, view);
    return this.#getOrFetch(this.#source(sourceId));
  }

  #recordView(sourceId: string, { isView, client }: View): void {
    const { planner, clock } = this.#options;
    const now = clock.now();
    if (!isView || (client !== undefined && !this.#recentViews.isFirst(sourceId, client, now))) return;
    planner.recordView(sourceId, now);
  }

  /** The list from the cache, or that of a call. Never rejects. */
  getOrFetchSources(): Promise<LookupResult<SourceList>> {
    const { store, planner, clock } = this.#options;
    planner.recordView(LIST_ID, clock.now());
    return this.#getOrFetch({ subject: LIST_ID, entry: () => store.list });
  }

  /** The cached answer about a known source, fresh or stale. */
  peek(sourceId: string): CacheHit<SourceSnapshot> | undefined {
    return this.#options.store.ids.has(sourceId) ? this.#peek(this.#source(sourceId)) : undefined;
  }

  /** Freshness of an answer to a subject. */
  freshnessOf(subject: string, { requestedAt }: { readonly requestedAt: number }, now: number): Freshness {
    const { upstream, freshnessPolicy } = this.#options;
    const refusedForMs = () => upstream.gate.key.refusedForMs(kindOf(subject), now);
    return freshnessOf(requestedAt, freshnessPolicy, { now, refusedForMs });
  }

  /** The entry, fresh or stale; undefined where there is none, or an expired one. */
  #peek<Value>({ subject, entry }: Lookup<Value>, facts: Partial<CacheFacts> = {}): CacheHit<Value> | undefined {
    const now = this.#options.clock.now();
    const found = entry();
    const freshness = found ? this.freshnessOf(subject, found, now) : 'expired';
    if (!found || freshness === 'expired') return undefined;
    if (freshness === 'fresh') return this.#hit(found, facts);
    const detail = this.#blockedReason(subject, now);
    return this.#hit(found, { ...(detail !== undefined && { detail }), ...facts });
  }

  #source(sourceId: string): Lookup<SourceSnapshot> {
    return { subject: sourceId, entry: () => this.#options.store.entry(sourceId) };
  }

  /** The entry, or what a refresh brings; waits no longer than 500 ms where there is a stale entry. Never rejects. */
  async #getOrFetch<Value>(lookup: Lookup<Value>): Promise<LookupResult<Value>> {
    const found = this.#peek(lookup);
    if (!found) return this.#fetch(lookup);
    return this.#isWorthWaiting(lookup) ? this.#refresh(lookup, 'stale') : found;
  }

  /** Returns whether an id is known; before there is a list, waits for it. */
  async #isKnownOnceListed(sourceId: string): Promise<boolean> {
    const { store, refresher, upstream, clock } = this.#options;
    const { ids, list } = store;
    if (ids.has(sourceId)) return true;
    if (ids.followsList && !list && !upstream.gate.backoff(LIST_ID, clock.now()))
      await this.#withTimeout(refresher.join(LIST_ID, { isUserFacing: true }).flight, 'miss');
    return ids.has(sourceId);
  }

  /** The failure for an unknown id; undefined while there is no list, which may name it. */
  #peekUnknown(): LookupResult<SourceSnapshot> | undefined {
    const { ids, list } = this.#options.store;
    return ids.followsList && !list ? undefined : this.#unknown();
  }

  /** The failure for an id that is not on the list; `upstream_unavailable` or the like while there is no list. */
  #unknown(): LookupResult<SourceSnapshot> {
    const { store, upstream, clock } = this.#options;
    if (store.list || !store.ids.followsList) return { ok: false, code: 'source_unknown' };
    return lookupFailure(upstream.gate.backoff(LIST_ID, clock.now()) ?? NOT_YET_FETCHED);
  }

  #hit<Value>({ value, requestedAt }: CacheEntry<Value>, facts: Partial<CacheFacts> = {}): CacheHit<Value> {
    const { freshnessPolicy, clock } = this.#options;
    return cacheHit(value, { requestedAt, freshForMs: freshnessPolicy.freshForMs, now: clock.now() }, facts);
  }

  /** What a refresh brings, whatever is in the cache. */
  async #fetch<Value>(lookup: Lookup<Value>): Promise<LookupResult<Value>> {
    const { upstream, clock } = this.#options;
    const failure = upstream.gate.backoff(lookup.subject, clock.now());
    return failure ? lookupFailure(failure) : this.#refresh(lookup, 'miss');
  }

  async #refresh<Value>(lookup: Lookup<Value>, fwd: 'miss' | 'stale'): Promise<LookupResult<Value>> {
    const { refresher } = this.#options;
    const { flight, isNew } = refresher.join(lookup.subject, { isUserFacing: fwd === 'miss' });
    const result = await this.#withTimeout(flight, fwd);
    if (result?.ok === false)
      return fwd === 'miss' ? lookupFailure(result) : this.#cachedOrFailure(lookup, factsOf(result));
    const entry = result && lookup.entry();
    if (!entry) return this.#cachedOrFailure(lookup);
    return this.#hit(entry, { hit: false, fwd, fwdStatus: statusOf(entry.value), stored: true, collapsed: !isNew });
  }

  #withTimeout<Result>(flight: Flight<Result>, fwd: 'miss' | 'stale'): Promise<Result | undefined> {
    const { upstream, clock } = this.#options;
    return withTimeout(flight, { clock, upstreamTimeoutMs: upstream.timeoutMs }, fwd);
  }

  #cachedOrFailure<Value>(lookup: Lookup<Value>, facts?: Partial<CacheFacts>): LookupResult<Value> {
    const { upstream, clock } = this.#options;
    const backoff = upstream.gate.backoff(lookup.subject, clock.now());
    return this.#peek(lookup, facts) ?? lookupFailure(backoff ?? NOT_YET_FETCHED);
  }

  /** Returns whether a reader with a stale answer should wait for a fresh one. */
  #isWorthWaiting({ subject, entry }: Lookup<unknown>): boolean {
    const { refresher, upstream, planner, clock } = this.#options;
    const [found, now] = [entry(), clock.now()];
    if (!found || this.freshnessOf(subject, found, now) !== 'stale') return false;
    if (!upstream.gate.hosts.isHealthy(now)) return false;
    const flight = refresher.flightOf(subject);
    if (flight) return now - flight.startedAt < USER_WAIT_MS;
    return !upstream.refusal(subject) && planner.isWorthWaitingFor(subject, now);
  }

  /**
   * Why no newer answer is available, as a `Cache-Status` detail. A failure stands until a request succeeds; the end of its
   * backoff alone changes nothing.
   */
  #blockedReason(subject: string, now: number): string | undefined {
    const { upstream } = this.#options;
    const { gate } = upstream;
    const reason = gate.lastFailure(subject, now) ?? upstream.refusal(subject);
    return reason?.detail ?? (gate.hosts.allHostsDown() ? 'upstream-unavailable' : undefined);
  }
}

/** The status that the upstream answered with: 404 where a source has no pulse. */
function statusOf(value: unknown): 200 | 404 {
  return typeof value === 'object' && value !== null && 'pulse' in value && value.pulse === null ? 404 : 200;
}
