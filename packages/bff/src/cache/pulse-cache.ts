import type { CallBudget } from '../budget/call-budget.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import {
  type Freshness,
  type KeyedFreshnessPolicy,
  NOT_YET_FETCHED,
  cacheHit,
  factsOf,
  freshnessOf,
  lookupFailure,
} from './freshness.ts';
import type { CallObserver, Upstream } from '../upstream/port.ts';
import { AccountGuard } from './account-guard.ts';
import { type CacheHealth, type CacheStatus, type HealthSources, cacheHealth, cacheStatus } from './cache-status.ts';
import { UpstreamFetcher } from '../upstream/upstream-fetcher.ts';
import { DemandTracker } from './demand-tracker.ts';
import { HostFailover } from '../upstream/host-failover.ts';
import { ApiKeyStatus } from '../upstream/api-key-status.ts';
import { withTimeout } from './single-flight.ts';
import { SourceAllowlist, type SourceRule } from './source-allowlist.ts';
import { ListReader } from './source-list-reader.ts';
import { CacheStore, type Restored } from './cache-store.ts';
import { HealthChangeLogger } from './health-change-logger.ts';
import type { CacheFacts, CacheHit, LookupResult, PulseCache, SourceList, SourceSnapshot } from './port.ts';
import { PeerSync } from './peer-sync.ts';
import { RefreshCoordinator } from './refresh-coordinator.ts';
import { startRefreshLoop } from './refresh-loop.ts';
import { BackoffRegistry } from './backoff-registry.ts';
import type { SharedCache } from './shared-cache.ts';
import { openSnapshotStore } from './snapshot-store.ts';

export interface PulseCacheOptions extends KeyedFreshnessPolicy {
  readonly upstream: Upstream;
  readonly callBudget: CallBudget;
  readonly planner: RefreshPlanner;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
  readonly sources: SourceRule;
  /** Whether the upstream has a second host. @default false */
  readonly hasAltHost?: boolean;
  /** One deadline for a question, on one host or on both, in ms. */
  readonly upstreamTimeoutMs: number;
  /** Where the last good answers are kept over restarts. @default nowhere */
  readonly stateDir?: string | undefined;
  /** What other instances know. @default there are none */
  readonly shared?: SharedCache | undefined;
  /** The key in use, by a name that does not tell it. @default one name for ever */
  readonly keyName?: () => string;
  /** Tells when the key is another than before. @default never */
  readonly onKeyChange?: (received: () => void) => () => void;
  /** @default nobody is told */
  readonly observer?: CallObserver;
  /** @default nothing is said */
  readonly warn?: (message: string) => void;
  /** Hears of faults inside that nobody waits for. @default nobody does */
  readonly onFault?: (fault: unknown) => void;
}

/** The cache with what its owner, not its readers, may ask of it. */
export interface OpenPulseCache extends PulseCache {
  /** What readiness goes by, in constant time. */
  health(): CacheHealth;
  status(): CacheStatus;
  /** Takes up what an earlier process left, and begins to refresh. */
  start(): Promise<void>;
  /** Ends all calls and timers. */
  close(): Promise<void>;
}

/** Opens the cache: look, judge, answer, refresh, fall back. */
export function openPulseCache(options: PulseCacheOptions): OpenPulseCache {
  return new Cache(options);
}

class Cache implements OpenPulseCache {
  readonly #options: PulseCacheOptions;
  readonly #clock: Clock;
  readonly #planner: RefreshPlanner;
  readonly #store: CacheStore;
  readonly #account: AccountGuard;
  readonly #backoffs = new BackoffRegistry();
  readonly #key = new ApiKeyStatus();
  readonly #hosts: HostFailover;
  readonly #refreshCoordinator: RefreshCoordinator;
  readonly #listReader: ListReader;
  readonly #peers: PeerSync | undefined;
  readonly #demandTracker: DemandTracker | undefined;
  readonly #healthChanges: HealthChangeLogger;
  readonly #ended = new AbortController();
  readonly #onFault: (fault: unknown) => void;
  readonly #cleanups: (() => void)[] = [];
  readonly #purgeListeners = new Set<() => void>();

  constructor(options: PulseCacheOptions) {
    const { clock, planner, stateDir, random = Math.random, observer = {}, upstreamTimeoutMs: callMs } = options;
    const { onFault = () => {} } = options;
    this.#options = options;
    this.#onFault = onFault;
    this.#clock = clock;
    this.#planner = planner;
    this.#healthChanges = new HealthChangeLogger(options.warn);
    const files = stateDir === undefined ? undefined : openSnapshotStore(stateDir, options);
    this.#store = new CacheStore(new SourceAllowlist(options.sources), clock, files);
    this.#hosts = new HostFailover({ hasAlt: options.hasAltHost ?? false, callMs, random });
    this.#account = new AccountGuard({
      store: this.#store,
      keyName: options.keyName ?? (() => ''),
      onRestored: (restored) => this.#restored(restored),
      onPurge: (knownIds) => this.#purged(knownIds),
      onConfirmed: () => void this.#peers?.syncAll(),
    });
    const shared = { ...options, random, observer, hosts: this.#hosts, key: this.#key, signal: this.#ended.signal };
    const onHostBack = () => this.#backoffs.clearCodes('upstream_unavailable', 'upstream_invalid');
    const upstreamFetcher = new UpstreamFetcher({ ...shared, onHostBack });
    const known = { store: this.#store, account: this.#account, backoffs: this.#backoffs };
    if (options.shared) {
      this.#peers = new PeerSync({ ...shared, ...known, shared: options.shared });
      this.#demandTracker = new DemandTracker({ ...options, ids: this.#store.ids, shared: options.shared });
    }
    this.#refreshCoordinator = new RefreshCoordinator({
      ...shared,
      ...known,
      upstreamFetcher,
      onFault,
      peers: this.#peers,
    });
    this.#listReader = new ListReader({
      ...shared,
      ...known,
      refreshCoordinator: this.#refreshCoordinator,
      freshnessOfEntry: (askedAt, now) => this.#freshness(askedAt, 'sources', now),
    });
  }

  async start(): Promise<void> {
    const restored = await this.#account.restore();
    if (restored) this.#restored(restored);
    this.#cleanups.push(startRefreshLoop(this.#clock, () => this.#tick(), this.#onFault));
    const forget = this.#options.onKeyChange?.(() => this.#refreshCoordinator.keyChanged());
    if (forget) this.#cleanups.push(forget);
    await this.#joinPeers();
    this.#refreshCoordinator.joinList({ isUserFacing: true });
  }

  async close(): Promise<void> {
    this.#ended.abort();
    for (const cleanUp of this.#cleanups.splice(0)) cleanUp();
    await this.#refreshCoordinator.allSettled();
  }

  getIfCached(sourceId: string): LookupResult<SourceSnapshot> | undefined {
    const now = this.#clock.now();
    const cached = this.#store.snapshot(sourceId);
    if (!this.#store.ids.has(sourceId)) return this.#peekUnknownId();
    if (!cached) return undefined;
    const freshness = this.#freshness(cached.askedAt, 'pulse', now);
    if (freshness === 'expired') return undefined;
    if (freshness === 'stale' && this.#refreshCoordinator.isWorthWaiting(sourceId, now)) return undefined;
    this.#recordView(sourceId);
    return this.#snapshot(cached, now, freshness === 'fresh' ? {} : this.#backoffFacts(sourceId, now));
  }

  async getOrFetch(sourceId: string): Promise<LookupResult<SourceSnapshot>> {
    if (!(await this.#isKnown(sourceId))) return this.#fetchUnknown(sourceId);
    const now = this.#clock.now();
    this.#recordView(sourceId);
    const cached = this.#store.snapshot(sourceId);
    const freshness = cached ? this.#freshness(cached.askedAt, 'pulse', now) : 'expired';
    if (cached && freshness === 'fresh') return this.#snapshot(cached, now);
    if (cached && freshness === 'stale') return this.#getStale(sourceId, now);
    return this.#fetchMissing(sourceId, now);
  }

  getOrFetchSources(): Promise<LookupResult<SourceList>> {
    return this.#listReader.read();
  }

  isKnown(sourceId: string): boolean {
    return this.#store.ids.has(sourceId);
  }

  peek(sourceId: string): CacheHit<SourceSnapshot> | undefined {
    const now = this.#clock.now();
    const cached = this.#store.snapshot(sourceId);
    if (!cached || !this.isKnown(sourceId)) return undefined;
    const freshness = this.#freshness(cached.askedAt, 'pulse', now);
    if (freshness === 'expired') return undefined;
    return this.#snapshot(cached, now, freshness === 'fresh' ? {} : this.#backoffFacts(sourceId, now));
  }

  onNewPulse(received: (snapshot: SourceSnapshot) => void): () => void {
    return this.#refreshCoordinator.onNewPulse(received);
  }

  onPurge(received: () => void): () => void {
    this.#purgeListeners.add(received);
    return () => void this.#purgeListeners.delete(received);
  }

  setWatchers(sourceId: string, readers: number): void {
    if (!this.isKnown(sourceId)) return;
    this.#refreshCoordinator.recordWatchers(
      sourceId,
      readers,
      this.#demandTracker?.setWatchers(sourceId, readers) ?? readers,
    );
  }

  health(): CacheHealth {
    return cacheHealth(this.#healthParts(), this.#clock.now());
  }

  status(): CacheStatus {
    const now = this.#clock.now();
    const parts = {
      ...this.#healthParts(),
      planner: this.#planner,
      callsInFlight: this.#refreshCoordinator.callsInFlight,
      backoffs: this.#backoffs,
      wallAt: (monotonicMs: number) => this.#clock.wallNow() - (this.#clock.now() - monotonicMs),
      freshnessOfEntry: (askedAt: number, kind: 'sources' | 'pulse') => this.#freshness(askedAt, kind, now),
    };
    return cacheStatus(parts, now);
  }

  #healthParts(): HealthSources {
    return { store: this.#store, callBudget: this.#options.callBudget, hosts: this.#hosts, key: this.#key };
  }

  /** Takes over what the other instances know, and listens to them from now on. */
  async #joinPeers(): Promise<void> {
    const { shared } = this.#options;
    const [peers, demandTracker] = [this.#peers, this.#demandTracker];
    if (!shared || !peers || !demandTracker) return;
    await peers.syncAll();
    this.#cleanups.push(demandTracker.start());
    shared.listen({
      onInvalidated: (subject) => void peers.onInvalidation(subject),
      onDemand: (demand) => {
        if (demandTracker.receive(demand)) this.#refreshCoordinator.recordPeerView();
      },
      onJoined: () => void peers.syncAll(),
    });
  }

  async #tick(): Promise<void> {
    const now = this.#clock.now();
    const { callBudget } = this.#options;
    this.#healthChanges.update({
      key: this.#key.status(now),
      hosts: this.#hosts.status(now),
      budget: callBudget.status(),
      unreadableRows: this.#store.list?.unreadableRows ?? 0,
    });
    await this.#refreshCoordinator.tick();
  }

  #recordView(sourceId: string): void {
    this.#refreshCoordinator.recordView(sourceId);
    this.#demandTracker?.recordView(sourceId);
  }

  #restored({ snapshots, list, refusedAt }: Restored): void {
    for (const { snapshot, askedAt } of snapshots)
      this.#planner.recordRefresh(snapshot.sourceId, askedAt, { changed: false });
    if (list) this.#planner.recordRefresh(LIST_ID, list.askedAt, { changed: false });
    if (refusedAt !== undefined) this.#key.restoreRefusal(refusedAt);
    const now = this.#clock.now();
    const isUsable = ({ askedAt }: { askedAt: number }, kind: 'pulse' | 'sources'): boolean =>
      this.#freshness(askedAt, kind, now) !== 'expired';
    if (snapshots.some((cached) => isUsable(cached, 'pulse')) || (list && isUsable(list, 'sources')))
      this.#store.markUsable();
  }

  /** The answers that were kept are another account's: what was learned about them goes, too. */
  #purged(knownIds: readonly string[]): void {
    this.#options.warn?.('The key belongs to another account than before: all kept answers are dropped');
    this.#backoffs.clear();
    for (const id of knownIds) this.#planner.forget(id);
    for (const subject of [LIST_ID, ...knownIds]) this.#options.shared?.forget(subject);
    for (const received of this.#purgeListeners) received();
  }

  #freshness(askedAt: number, kind: 'pulse' | 'sources', now: number): Freshness {
    const refusedForMs = this.#key.isRefused(kind) ? this.#key.refusedForMs(kind, now) : undefined;
    return freshnessOf(askedAt, this.#options, { now, refusedForMs });
  }

  /** Asked before any list was seen, an id may yet turn out to be on it. */
  async #isKnown(sourceId: string): Promise<boolean> {
    const { ids, list } = this.#store;
    if (ids.has(sourceId)) return true;
    if (ids.followsList && !list && !this.#backoffs.activeBackoff(LIST_ID, this.#clock.now()))
      await withTimeout(this.#refreshCoordinator.joinList({ isUserFacing: true }).flight, this.#options);
    return ids.has(sourceId);
  }

  #peekUnknownId(): LookupResult<SourceSnapshot> | undefined {
    const { ids, list } = this.#store;
    const mayTurnUp = ids.allowsUnknown || (ids.followsList && !list);
    return mayTurnUp ? undefined : this.#unknown();
  }

  /** An id that the list never showed; where no list was ever seen, not even that can be said. */
  #unknown(): LookupResult<SourceSnapshot> {
    this.#refreshCoordinator.recordUnknownId();
    const { ids, list } = this.#store;
    if (list || !ids.followsList) return { ok: false, code: 'source_unknown' };
    return lookupFailure(this.#backoffs.activeBackoff(LIST_ID, this.#clock.now()) ?? NOT_YET_FETCHED);
  }

  async #fetchUnknown(sourceId: string): Promise<LookupResult<SourceSnapshot>> {
    if (!this.#store.ids.allowsUnknown) return this.#unknown();
    const now = this.#clock.now();
    const cached = this.#store.snapshot(sourceId);
    if (cached && this.#backoffs.isAbsent(sourceId, now)) return { ...this.#snapshot(cached, now), stale: false };
    return this.#fetchMissing(sourceId, now);
  }

  async #getStale(sourceId: string, now: number): Promise<LookupResult<SourceSnapshot>> {
    const result = this.#refreshCoordinator.isWorthWaiting(sourceId, now)
      ? await this.#waitForPulse(sourceId, 'stale')
      : undefined;
    return result ?? this.#lookupAfterTimeout(sourceId);
  }

  async #fetchMissing(sourceId: string, now: number): Promise<LookupResult<SourceSnapshot>> {
    const rest = this.#backoffs.activeBackoff(sourceId, now);
    if (rest) return lookupFailure(rest);
    return (await this.#waitForPulse(sourceId, 'miss')) ?? this.#lookupAfterTimeout(sourceId);
  }

  /** Waits for a refresh; undefined where none came in time. */
  async #waitForPulse(sourceId: string, fwd: 'miss' | 'stale'): Promise<LookupResult<SourceSnapshot> | undefined> {
    const { flight, isNew } = this.#refreshCoordinator.joinPulse(sourceId, { isUserFacing: fwd === 'miss' });
    const result = await withTimeout(flight, this.#options, fwd);
    if (!result) return undefined;
    if (!result.ok) return fwd === 'miss' ? lookupFailure(result) : this.#lookupAfterTimeout(sourceId, factsOf(result));
    const cached = this.#store.snapshot(sourceId);
    if (!cached) return undefined;
    const fwdStatus = cached.snapshot.pulse ? 200 : 404;
    return this.#snapshot(cached, this.#clock.now(), { hit: false, fwd, fwdStatus, stored: true, collapsed: !isNew });
  }

  /** What there is, now that nothing newer came in time. */
  #lookupAfterTimeout(sourceId: string, facts: Partial<CacheFacts> = {}): LookupResult<SourceSnapshot> {
    const now = this.#clock.now();
    const cached = this.#store.snapshot(sourceId);
    if (!cached || this.#freshness(cached.askedAt, 'pulse', now) === 'expired')
      return lookupFailure(this.#backoffs.activeBackoff(sourceId, now) ?? NOT_YET_FETCHED);
    return this.#snapshot(cached, now, { ...this.#backoffFacts(sourceId, now), ...facts });
  }

  #backoffFacts(subject: string, now: number): Partial<CacheFacts> {
    const detail = this.#refreshCoordinator.blockedReason(subject, now);
    return detail === undefined ? {} : { detail };
  }

  #snapshot(
    { snapshot, askedAt }: { snapshot: SourceSnapshot; askedAt: number },
    now: number,
    facts?: Partial<CacheFacts>,
  ) {
    return cacheHit(snapshot, { askedAt, freshForMs: this.#options.freshForMs, now }, facts);
  }
}
