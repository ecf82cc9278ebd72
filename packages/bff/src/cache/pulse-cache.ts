import type { CallBudget } from '../budget/call-budget.ts';
import { type Clock, repeat } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import { ApiKeyStatus } from '../upstream/api-key.ts';
import { HostFailover } from '../upstream/host-failover.ts';
import type { CallObserver, Upstream } from '../upstream/port.ts';
import { UpstreamFetcher } from '../upstream/upstream-fetcher.ts';
import { AccountGuard } from './account-guard.ts';
import { BackoffRegistry } from './backoff-registry.ts';
import { CacheReader } from './cache-reader.ts';
import { type CacheHealth, type CacheStatus, type HealthSources, cacheHealth, cacheStatus } from './cache-status.ts';
import { CacheStore, type Restored, kindOf } from './cache-store.ts';
import { DemandTracker } from './demand-tracker.ts';
import { type Freshness, type KeyedFreshnessPolicy, freshnessOf } from './freshness.ts';
import { HealthChangeLogger } from './health-change-logger.ts';
import { PeerSync } from './peer-sync.ts';
import type {
  CacheHit,
  LookupResult,
  PulseCache,
  PulseLookups,
  SharedCache,
  SourceList,
  SourceSnapshot,
} from './port.ts';
import { RefreshCoordinator } from './refresh-coordinator.ts';
import { SnapshotStore } from './snapshot-store.ts';
import { SourceAllowlist, type SourceRule } from './source-allowlist.ts';

/** How often the planner decides where the next call is spent. */
const TICK_MS = 500;

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
  /** Deadline of a request over both hosts, in ms. */
  readonly upstreamTimeoutMs: number;
  /** Keeps the last good answers over restarts. @default none */
  readonly stateDir?: string | undefined;
  /** Connects this instance with others. @default this is the only one */
  readonly shared?: SharedCache | undefined;
  /** Names the key in use without revealing it. @default a constant name */
  readonly keyName?: () => string;
  /** Subscribes to changes of the key. @default never */
  readonly onKeyChange?: (listener: () => void) => () => void;
  /** @default none */
  readonly observer?: CallObserver;
  /** Writes a sentence for the operator to the log. @default nothing is logged */
  readonly warn?: (message: string) => void;
  /** Receives errors of background tasks. @default none */
  readonly onFault?: (fault: unknown) => void;
}

/** The cache of the last good answers, which refreshes them by plan and on demand. */
export class OpenPulseCache implements PulseCache {
  readonly uncounted: PulseLookups = {
    getIfCached: (sourceId) =>
      this.isKnown(sourceId) ? this.#reader.getIfCached(this.#reader.source(sourceId)) : this.#reader.peekUnknown(),
    getOrFetch: async (sourceId) =>
      (await this.#reader.isKnownOnceListed(sourceId))
        ? this.#reader.getOrFetch(this.#reader.source(sourceId))
        : this.#reader.fetchUnknown(sourceId),
  };
  readonly #options: PulseCacheOptions;
  readonly #store: CacheStore;
  readonly #account: AccountGuard;
  readonly #backoffs: BackoffRegistry;
  readonly #key = new ApiKeyStatus();
  readonly #hosts: HostFailover;
  readonly #peers: PeerSync | undefined;
  readonly #demandTracker: DemandTracker;
  readonly #refreshCoordinator: RefreshCoordinator;
  readonly #reader: CacheReader;
  readonly #healthChanges: HealthChangeLogger;
  readonly #ended = new AbortController();
  readonly #onFault: (fault: unknown) => void;
  readonly #cleanups: (() => void)[] = [];
  readonly #purgeListeners = new Set<() => void>();

  constructor(options: PulseCacheOptions) {
    const { upstream, callBudget, planner, clock, random = Math.random, shared, stateDir, observer = {} } = options;
    const { freshForMs, upstreamTimeoutMs, onFault = () => {} } = options;
    this.#options = options;
    this.#onFault = onFault;
    this.#healthChanges = new HealthChangeLogger(options.warn);
    const snapshotStore = stateDir === undefined ? undefined : new SnapshotStore(stateDir, options);
    const ids = new SourceAllowlist(options.sources);
    const store = (this.#store = new CacheStore(ids, clock, snapshotStore));
    const backoffs = (this.#backoffs = new BackoffRegistry(random));
    const key = this.#key;
    this.#hosts = new HostFailover({ hasAlt: options.hasAltHost ?? false, callMs: upstreamTimeoutMs, random });
    const account = (this.#account = new AccountGuard({
      store,
      keyName: options.keyName ?? (() => ''),
      onRestored: (restored) => this.#restored(restored),
      onPurge: (knownIds) => this.#purged(knownIds),
      onConfirmed: () => void this.#peers?.syncAll(),
    }));
    const upstreamFetcher = new UpstreamFetcher({
      callBudget,
      hosts: this.#hosts,
      key,
      clock,
      upstreamTimeoutMs,
      observer,
      onHostBack: () => backoffs.clearCodes('upstream_unavailable', 'upstream_invalid'),
      signal: this.#ended.signal,
    });
    this.#peers =
      shared && new PeerSync({ shared, store, account, backoffs, key, planner, clock, freshForMs, upstreamTimeoutMs });
    this.#demandTracker = new DemandTracker({ planner, ids, clock, shared, onFault });
    this.#refreshCoordinator = new RefreshCoordinator({
      upstream,
      upstreamFetcher,
      callBudget,
      planner,
      demandTracker: this.#demandTracker,
      store,
      account,
      backoffs,
      key,
      clock,
      onFault,
      peers: this.#peers,
    });
    this.#reader = new CacheReader({
      store,
      refreshCoordinator: this.#refreshCoordinator,
      backoffs,
      clock,
      freshForMs,
      upstreamTimeoutMs,
      freshnessOf: (subject, entry, now) => this.#freshness(subject, entry, now),
    });
  }

  /** Restores what an earlier process saved and starts to refresh. */
  async start(): Promise<void> {
    const { clock, onKeyChange } = this.#options;
    const restored = await this.#account.restore();
    if (restored) this.#restored(restored);
    this.#cleanups.push(repeat(clock, TICK_MS, () => this.#tick(), this.#onFault));
    const unsubscribe = onKeyChange?.(() => this.#refreshCoordinator.keyChanged());
    if (unsubscribe) this.#cleanups.push(unsubscribe);
    await this.#joinPeers();
    this.#refreshCoordinator.join(LIST_ID, { isUserFacing: true });
  }

  /** Ends all calls and timers. */
  async close(): Promise<void> {
    this.#ended.abort();
    for (const cleanUp of this.#cleanups.splice(0)) cleanUp();
    await this.#refreshCoordinator.allSettled();
  }

  getIfCached(sourceId: string): LookupResult<SourceSnapshot> | undefined {
    const lookup = this.uncounted.getIfCached(sourceId);
    if (lookup && this.isKnown(sourceId)) this.#demandTracker.recordView(sourceId);
    return lookup;
  }

  async getOrFetch(sourceId: string): Promise<LookupResult<SourceSnapshot>> {
    if (!(await this.#reader.isKnownOnceListed(sourceId))) return this.#reader.fetchUnknown(sourceId);
    this.#demandTracker.recordView(sourceId);
    return this.#reader.getOrFetch(this.#reader.source(sourceId));
  }

  getOrFetchSources(): Promise<LookupResult<SourceList>> {
    const { planner, clock } = this.#options;
    planner.recordView(LIST_ID, clock.now());
    return this.#reader.getOrFetch(this.#reader.list);
  }

  isKnown(sourceId: string): boolean {
    return this.#store.ids.has(sourceId);
  }

  peek(sourceId: string): CacheHit<SourceSnapshot> | undefined {
    return this.isKnown(sourceId) ? this.#reader.peek(this.#reader.source(sourceId)) : undefined;
  }

  onNewPulse(listener: (snapshot: SourceSnapshot) => void): () => void {
    return this.#refreshCoordinator.onNewPulse(listener);
  }

  onPurge(listener: () => void): () => void {
    this.#purgeListeners.add(listener);
    return () => void this.#purgeListeners.delete(listener);
  }

  setWatchers(sourceId: string, readers: number): void {
    if (this.isKnown(sourceId)) this.#demandTracker.setWatchers(sourceId, readers);
  }

  /** What readiness depends on, in constant time. */
  health(): CacheHealth {
    return cacheHealth(this.#healthSources(), this.#options.clock.now());
  }

  status(): CacheStatus {
    const { planner, clock } = this.#options;
    const now = clock.now();
    const sources = {
      ...this.#healthSources(),
      planner,
      callsInFlight: this.#refreshCoordinator.callsInFlight,
      backoffs: this.#backoffs,
      wallAt: (monotonicMs: number) => clock.wallNow() - (clock.now() - monotonicMs),
      freshnessOf: (subject: string, entry: { requestedAt: number }) => this.#freshness(subject, entry, now),
    };
    return cacheStatus(sources, now);
  }

  #healthSources(): HealthSources {
    return { store: this.#store, callBudget: this.#options.callBudget, hosts: this.#hosts, key: this.#key };
  }

  /** Takes over what other instances know and subscribes to what they learn. */
  async #joinPeers(): Promise<void> {
    const { shared } = this.#options;
    const peers = this.#peers;
    if (!shared || !peers) return;
    await peers.syncAll();
    this.#cleanups.push(this.#demandTracker.start());
    shared.listen({
      onInvalidated: (subject) => void peers.onInvalidation(subject),
      onDemand: (demand) => this.#demandTracker.receive(demand),
      onJoined: () => void peers.syncAll(),
    });
  }

  async #tick(): Promise<void> {
    const { callBudget, clock } = this.#options;
    const now = clock.now();
    this.#healthChanges.update({
      key: this.#key.status(now),
      hosts: this.#hosts.status(now),
      budget: callBudget.status(),
      unreadableRows: this.#store.list?.unreadableRows ?? 0,
    });
    await this.#refreshCoordinator.tick();
  }

  #restored({ snapshots, list, refusedAt }: Restored): void {
    const { planner, clock } = this.#options;
    if (refusedAt !== undefined) this.#key.restoreRefusal(refusedAt);
    const restored = snapshots.map((entry) => ({ subject: entry.value.sourceId, requestedAt: entry.requestedAt }));
    if (list) restored.push({ subject: LIST_ID, requestedAt: list.requestedAt });
    for (const { subject, requestedAt } of restored) planner.recordRefresh(subject, requestedAt, { changed: false });
    if (restored.some((entry) => this.#freshness(entry.subject, entry, clock.now()) !== 'expired'))
      this.#store.markUsable();
  }

  /** Forgets what was learned about the sources of another account. */
  #purged(knownIds: readonly string[]): void {
    const { planner, shared, warn } = this.#options;
    warn?.('The key belongs to another account than before: all cached answers are dropped');
    this.#backoffs.clear();
    for (const id of knownIds) planner.forget(id);
    for (const subject of [LIST_ID, ...knownIds]) shared?.forget(subject);
    for (const listener of this.#purgeListeners) listener();
  }

  #freshness(subject: string, { requestedAt }: { readonly requestedAt: number }, now: number): Freshness {
    const kind = kindOf(subject);
    const refusedForMs = this.#key.isRefused(kind) ? this.#key.refusedForMs(kind, now) : undefined;
    return freshnessOf(requestedAt, this.#options, { now, refusedForMs });
  }
}
