import { type Clock, repeat } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import type { KeyRing } from '../upstream/key-file.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { AccountGuard } from './account-guard.ts';
import { CacheReader } from './cache-reader.ts';
import { type CacheHealth, type CacheStatus, cacheHealth, cacheStatus } from './cache-status.ts';
import type { CacheStore, Restored } from './cache-store.ts';
import type { Freshness, KeyedFreshnessPolicy } from './freshness.ts';
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
import { Refresher } from './refresh.ts';

/** How often the planner decides where the next call is spent. */
const TICK_MS = 500;

export interface PulseCacheOptions {
  readonly store: CacheStore;
  readonly upstream: Upstream;
  /** The key of the upstream. */
  readonly keyRing: Pick<KeyRing, 'onChange'> & { current(): { readonly name: string } };
  readonly planner: RefreshPlanner;
  readonly freshnessPolicy: KeyedFreshnessPolicy;
  readonly clock: Clock;
  /** Connects this instance with others. @default this is the only one */
  readonly shared?: SharedCache | undefined;
  /** Writes a sentence for the operator to the log. */
  readonly warn: (message: string) => void;
  /** Receives errors of background tasks. */
  readonly onFault: (fault: unknown) => void;
}

/** The cache of the last good answers, which refreshes them by plan and on demand. */
export class OpenPulseCache implements PulseCache {
  readonly uncounted: PulseLookups = {
    getIfCached: (sourceId) => this.#reader.getIfCached(sourceId, { isView: false }),
    getOrFetch: (sourceId) => this.#reader.getOrFetch(sourceId, { isView: false }),
  };
  readonly #options: PulseCacheOptions;
  readonly #account: AccountGuard;
  readonly #refresher: Refresher;
  readonly #peers: PeerSync | undefined;
  readonly #reader: CacheReader;
  readonly #cleanups: (() => void)[] = [];

  constructor(options: PulseCacheOptions) {
    const { store, upstream, keyRing, planner, freshnessPolicy, clock, shared, onFault } = options;
    this.#options = options;
    const account = (this.#account = new AccountGuard({
      store,
      keyName: () => keyRing.current().name,
      onRestored: (restored) => this.#restored(restored),
      onPurge: (knownIds) => this.#purged(knownIds),
    }));
    const refresher = new Refresher({ upstream, store, account, planner, clock, onFault });
    this.#refresher = refresher;
    const { freshForMs } = freshnessPolicy;
    if (shared) this.#peers = new PeerSync({ shared, store, refresher, account, upstream, clock, freshForMs });
    refresher.peers = this.#peers;
    this.#reader = new CacheReader({ store, refresher, upstream, planner, freshnessPolicy, clock });
  }

  /** Restores what an earlier process saved and starts to refresh. */
  async start(): Promise<void> {
    const { clock, keyRing, onFault } = this.#options;
    await this.#account.restore();
    this.#cleanups.push(repeat(clock, TICK_MS, () => this.#tick(), onFault));
    this.#cleanups.push(keyRing.onChange(() => this.#keyChanged()));
    await this.#peers?.start();
    this.#refresher.join(LIST_ID, { isUserFacing: true });
  }

  /** Ends all calls and timers. */
  async close(): Promise<void> {
    this.#options.upstream.close();
    for (const cleanUp of this.#cleanups.splice(0)) cleanUp();
    await this.#refresher.allSettled();
  }

  getIfCached(sourceId: string, client?: string): LookupResult<SourceSnapshot> | undefined {
    return this.#reader.getIfCached(sourceId, { isView: true, client });
  }

  getOrFetch(sourceId: string, client?: string): Promise<LookupResult<SourceSnapshot>> {
    return this.#reader.getOrFetch(sourceId, { isView: true, client });
  }

  getOrFetchSources(): Promise<LookupResult<SourceList>> {
    return this.#reader.getOrFetchSources();
  }

  admit(sourceIds: Iterable<string>): void {
    this.#options.store.ids.admit(sourceIds);
  }

  isAdmittedOnly(sourceId: string): boolean {
    return this.#options.store.ids.isAdmittedOnly(sourceId);
  }

  isKnown(sourceId: string): boolean {
    return this.#options.store.ids.has(sourceId);
  }

  peek(sourceId: string): CacheHit<SourceSnapshot> | undefined {
    return this.#reader.peek(sourceId);
  }

  setWatchers(sourceId: string, readers: number): void {
    const { planner, clock } = this.#options;
    if (this.isKnown(sourceId)) planner.setWatchers(sourceId, readers, clock.now());
  }

  /** What readiness depends on, in constant time. */
  health(): CacheHealth {
    const { store, upstream, clock } = this.#options;
    return cacheHealth({ store, upstream, freshnessOf: this.#freshnessOf }, clock.now());
  }

  status(): CacheStatus {
    const { store, upstream, planner, clock } = this.#options;
    const now = clock.now();
    const sources = {
      store,
      upstream,
      planner,
      callsInFlight: this.#refresher.callsInFlight,
      wallAt: (monotonicMs: number) => clock.wallNow() - (clock.now() - monotonicMs),
      freshnessOf: this.#freshnessOf,
    };
    return cacheStatus(sources, now);
  }

  readonly #freshnessOf = (subject: string, entry: { readonly requestedAt: number }): Freshness =>
    this.#reader.freshnessOf(subject, entry, this.#options.clock.now());

  async #tick(): Promise<void> {
    const { store, upstream, clock } = this.#options;
    const now = clock.now();
    const key = upstream.gate.key.status(now);
    if (key.state !== 'untried') store.keyRefused(key.refusedForMs);
    await this.#refresher.tick(now);
  }

  /** A new key is tried at once. */
  #keyChanged(): void {
    this.#options.upstream.gate.keyReplaced();
    this.#refresher.join(LIST_ID, { isUserFacing: true });
  }

  #restored({ snapshots, refusedAt }: Restored): void {
    const { store, upstream, planner } = this.#options;
    if (refusedAt !== undefined) upstream.gate.key.restoreRefusal(refusedAt);
    const restored = snapshots.map((entry) => ({ subject: entry.value.sourceId, requestedAt: entry.requestedAt }));
    if (store.list) restored.push({ subject: LIST_ID, requestedAt: store.list.requestedAt });
    for (const { subject, requestedAt } of restored) planner.recordRefresh(subject, requestedAt, { changed: false });
  }

  /** Forgets what was learned about the sources of another account. */
  #purged(knownIds: readonly string[]): void {
    const { upstream, planner, warn } = this.#options;
    warn('The key belongs to another account than before: all cached answers are dropped');
    upstream.gate.clear();
    for (const id of knownIds) planner.forget(id);
  }
}
