import { type Clock, repeat } from '../lib/clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import { kindOf } from '../upstream/gate.ts';
import type { KeyRing } from '../upstream/key-ring.ts';
import type { Content } from '../upstream/response.ts';
import type { Answer, Upstream } from '../upstream/upstream.ts';
import { AccountGuard } from './account-guard.ts';
import { type CacheHealth, type CacheStatus, cacheHealth, cacheStatus } from './cache-status.ts';
import { ALL_FIELDS, type ExposedFields, lacksField } from './exposed-fields.ts';
import { Entries, type SourceList, type SourceSnapshot } from './entries.ts';
import {
  type CacheFacts,
  cacheHit,
  type CacheHit,
  factsOf,
  type Freshness,
  freshnessOf,
  type FreshnessPolicy,
  type LookupResult,
  NOT_YET_FETCHED,
} from './freshness.ts';
import type { RefreshResult, SharedCache } from './peers.ts';
import { type Flight, Refresher } from './refresher.ts';
import type { SourceAllowlist } from './source-allowlist.ts';
import type { AnswerFolder, SavedState } from './answer-folder.ts';

/** How often the planner decides which source gets the next call. */
const TICK_MS = 500;

/** How long a reader with a stale answer waits for a fresh one. */
const STALE_WAIT_MS = 500;

export interface PulseCacheOptions {
  /** The ids that readers may request. */
  readonly ids: SourceAllowlist;
  readonly upstream: Upstream;
  /** The key of the upstream. */
  readonly keyRing: Pick<KeyRing, 'onChange'> & { current(): { readonly name: string } };
  readonly planner: RefreshPlanner;
  readonly freshnessPolicy: FreshnessPolicy;
  readonly clock: Clock;
  /** Keeps answers over restarts. @default they are kept only in memory */
  readonly folder?: AnswerFolder | undefined;
  /** Connects this instance with others. @default this is the only one */
  readonly shared?: SharedCache | undefined;
  /** The fields that readers get; no other is kept. @default all */
  readonly exposed?: ExposedFields | undefined;
  /** Writes a sentence for the operator to the log. */
  readonly warn: (message: string) => void;
  /** Receives what a refresh throws. */
  readonly onFault: (fault: unknown) => void;
  /** Called with each answer about a source that is stored. */
  readonly onStored?: ((snapshot: SourceSnapshot) => void) | undefined;
  /** Called when the key belongs to another account than before. */
  readonly onPurge?: (() => void) | undefined;
}

/** The part of the cache that answers requests. */
export type RequestCache = Pick<
  PulseCache,
  'getIfCached' | 'getOrFetch' | 'getOrFetchSources' | 'admit' | 'isAdmittedOnly' | 'isKnown' | 'peek'
>;

/** A source or the list, and how to find its entry. */
interface Lookup<Value> {
  readonly subject: string;
  readonly entry: () => Answer<Value> | undefined;
}

/**
 * The cache of the last good answers, which refreshes them by plan and on demand. Lookups of one `viewer` count as one view of a
 * source in each freshness period; those of `null` count as none.
 */
export class PulseCache {
  readonly #options: PulseCacheOptions;
  readonly #entries: Entries;
  readonly #account: AccountGuard;
  readonly #refresher: Refresher;
  readonly #cleanups: (() => void)[] = [];

  constructor(options: PulseCacheOptions) {
    const { ids, upstream, keyRing, planner, freshnessPolicy, clock, folder, shared, onFault } = options;
    const { freshForMs } = freshnessPolicy;
    const exposed = options.exposed ?? ALL_FIELDS;
    this.#options = options;
    const entries = (this.#entries = new Entries(ids, folder, options.onStored));
    const account = (this.#account = new AccountGuard({
      folder,
      keyName: () => keyRing.current().name,
      onRestore: (saved) => this.#restore(saved),
      onPurge: () => this.#purge(),
    }));
    this.#refresher = new Refresher({
      upstream,
      entries,
      account,
      planner,
      clock,
      freshForMs,
      shared,
      exposed,
      onFault,
    });
  }

  /** Restores what an earlier process saved and starts to refresh. */
  async start(): Promise<void> {
    const { clock, keyRing } = this.#options;
    await this.#account.restore();
    this.#cleanups.push(repeat(clock, TICK_MS, () => this.#tick()));
    this.#cleanups.push(keyRing.onChange(() => this.#keyChanged()));
    await this.#refresher.start();
  }

  /** Ends all calls and timers. */
  async close(): Promise<void> {
    this.#options.upstream.close();
    for (const cleanUp of this.#cleanups.splice(0)) cleanUp();
    await this.#refresher.allSettled();
  }

  /**
   * The result that needs no wait (the hit path): a cached answer, unless a fresher one is worth waiting for, or that the id is
   * unknown. Undefined if `getOrFetch` should be awaited.
   */
  getIfCached(sourceId: string, viewer?: string | null): LookupResult<SourceSnapshot> | undefined {
    if (!this.isKnown(sourceId)) return this.#isListAwaited() ? undefined : { ok: false, code: 'source_unknown' };
    const source = this.#source(sourceId);
    const found = this.#isWorthWaiting(source) ? undefined : this.#peek(source);
    if (found) this.#recordView(sourceId, viewer);
    return found;
  }

  /** The cached answer, or that of a call, within a timeout; never rejects. */
  async getOrFetch(sourceId: string, viewer?: string | null): Promise<LookupResult<SourceSnapshot>> {
    const { upstream, clock } = this.#options;
    const listFailure = () => upstream.gate.backoff(LIST_ID, clock.now());
    if (!this.isKnown(sourceId) && this.#isListAwaited() && !listFailure())
      await this.#inTime(this.#refresher.join(LIST_ID, { isUserFacing: true }).flight, 'miss');
    if (this.isKnown(sourceId)) {
      this.#recordView(sourceId, viewer);
      return this.#getOrFetch(this.#source(sourceId));
    }
    if (!this.#isListAwaited()) return { ok: false, code: 'source_unknown' };
    return listFailure() ?? NOT_YET_FETCHED;
  }

  /** The list from the cache or from a call, within a timeout; never rejects. */
  getOrFetchSources(viewer?: string | null): Promise<LookupResult<SourceList>> {
    this.#recordView(LIST_ID, viewer);
    return this.#getOrFetch({ subject: LIST_ID, entry: () => this.#entries.list });
  }

  /** The cached answer about a known source, fresh or stale. Does not count as a view. */
  peek(sourceId: string): CacheHit<SourceSnapshot> | undefined {
    return this.isKnown(sourceId) ? this.#peek(this.#source(sourceId)) : undefined;
  }

  /** Makes sources known that a reader has a right to: a valid token names them, or the application does. */
  admit(sourceIds: Iterable<string>): void {
    this.#options.ids.admit(sourceIds);
  }

  /** Returns whether a source is known only through one reader's rights: it is neither listed nor named. */
  isAdmittedOnly(sourceId: string): boolean {
    return this.#options.ids.isAdmittedOnly(sourceId);
  }

  /** Names the account of the key in use, or that key while no answer has named an account. */
  get accountName(): string {
    return this.#account.name;
  }

  isKnown(sourceId: string): boolean {
    return this.#options.ids.has(sourceId);
  }

  /** The readiness, in constant time. */
  health(): CacheHealth {
    const { upstream, clock } = this.#options;
    return cacheHealth({ entries: this.#entries, upstream, freshnessOf: this.#freshnessOf }, clock.now());
  }

  status(): CacheStatus {
    const { upstream, planner, clock, folder } = this.#options;
    const [entries, freshnessOf, { callsInFlight }] = [this.#entries, this.#freshnessOf, this.#refresher];
    return cacheStatus({ entries, upstream, planner, folder, callsInFlight, freshnessOf }, clock);
  }

  /** Whether there is no list yet, which may name an unknown id. */
  #isListAwaited(): boolean {
    return this.#options.ids.followsList && !this.#entries.list;
  }

  #recordView(sourceId: string, viewer: string | null | undefined): void {
    const { planner, clock } = this.#options;
    if (viewer !== null) planner.recordView(sourceId, clock.now(), viewer);
  }

  #source(sourceId: string): Lookup<SourceSnapshot> {
    return { subject: sourceId, entry: () => this.#entries.get(sourceId) };
  }

  /** The entry, fresh or stale; undefined if there is none, or an expired one. */
  #peek<Value>({ subject, entry }: Lookup<Value>, facts: Partial<CacheFacts> = {}): CacheHit<Value> | undefined {
    const found = entry();
    const freshness = found ? this.#freshnessOf(subject, found) : 'expired';
    if (!found || freshness === 'expired') return undefined;
    const detail = freshness === 'fresh' ? undefined : this.#blockedReason(subject);
    return this.#hit(found, detail === undefined ? facts : { detail, ...facts });
  }

  #hit<Value>({ value, requestedAt }: Answer<Value>, facts: Partial<CacheFacts>): CacheHit<Value> {
    const { freshnessPolicy, clock } = this.#options;
    return cacheHit(value, { requestedAt, freshForMs: freshnessPolicy.freshForMs, now: clock.now() }, facts);
  }

  /** The entry, or what a refresh brings; waits no longer than 500 ms if there is a stale entry. Never rejects. */
  async #getOrFetch<Value>(lookup: Lookup<Value>): Promise<LookupResult<Value>> {
    const { upstream, clock } = this.#options;
    const found = this.#peek(lookup);
    if (found) return this.#isWorthWaiting(lookup) ? this.#refresh(lookup, 'stale') : found;
    return upstream.gate.backoff(lookup.subject, clock.now()) ?? this.#refresh(lookup, 'miss');
  }

  async #refresh<Value>(lookup: Lookup<Value>, fwd: 'miss' | 'stale'): Promise<LookupResult<Value>> {
    const { flight, isNew } = this.#refresher.join(lookup.subject, { isUserFacing: fwd === 'miss' });
    const result = await this.#inTime(flight, fwd);
    if (result?.ok === false && fwd === 'miss') return result;
    const entry = result?.ok ? lookup.entry() : undefined;
    if (entry)
      return this.#hit(entry, { hit: false, fwd, fwdStatus: statusOf(entry.value), stored: true, collapsed: !isNew });
    const { upstream, clock } = this.#options;
    const backoff = upstream.gate.backoff(lookup.subject, clock.now());
    return this.#peek(lookup, result?.ok === false ? factsOf(result) : {}) ?? backoff ?? NOT_YET_FETCHED;
  }

  /**
   * The result of a flight, or undefined after a timeout: 500 ms from the start of the flight for a reader with a stale
   * answer, the upstream's deadline for one with none.
   */
  #inTime({ startedAt, result }: Flight, fwd: 'miss' | 'stale'): Promise<RefreshResult | undefined> {
    const { upstream, clock } = this.#options;
    const limitMs = fwd === 'miss' ? upstream.timeoutMs : Math.max(0, startedAt + STALE_WAIT_MS - clock.now());
    return new Promise((resolve) => {
      const cancel = clock.schedule(limitMs, () => resolve(undefined));
      void result.then(resolve).finally(cancel);
    });
  }

  /** Returns whether a reader with a stale answer should wait for a fresh one. */
  #isWorthWaiting({ subject, entry }: Lookup<unknown>): boolean {
    const { upstream, planner, clock } = this.#options;
    const [found, now] = [entry(), clock.now()];
    if (!found || this.#freshnessOf(subject, found) !== 'stale') return false;
    if (!upstream.gate.hosts.isHealthy(now)) return false;
    const flight = this.#refresher.flightOf(subject);
    if (flight) return now - flight.startedAt < STALE_WAIT_MS;
    return !upstream.refusal(subject) && planner.isWorthWaitingFor(subject, now);
  }

  /**
   * Why no newer answer is available, as a `Cache-Status` detail. A failure stands until a request succeeds; the end of its
   * backoff changes nothing on its own.
   */
  #blockedReason(subject: string): string | undefined {
    const { upstream, clock } = this.#options;
    const reason = upstream.gate.lastFailure(subject, clock.now()) ?? upstream.refusal(subject);
    return reason?.detail ?? (upstream.gate.hosts.allHostsDown() ? 'upstream-unavailable' : undefined);
  }

  /** Freshness of an answer to a subject. */
  readonly #freshnessOf = (subject: string, { requestedAt }: Pick<Answer<unknown>, 'requestedAt'>): Freshness => {
    const { upstream, freshnessPolicy, clock } = this.#options;
    const now = clock.now();
    const refusedForMs = () => upstream.gate.key.refusedForMs(kindOf(subject), now);
    return freshnessOf(requestedAt, freshnessPolicy, { now, refusedForMs });
  };

  async #tick(): Promise<void> {
    const { upstream, clock, folder } = this.#options;
    const now = clock.now();
    const { state, refusedForMs } = upstream.gate.key.status(now);
    if (state !== 'untried')
      folder?.saveRefusal(refusedForMs === undefined ? null : Math.round(clock.wallNow() - refusedForMs));
    await this.#refresher.tick(now);
  }

  /** A new key is tried immediately. */
  #keyChanged(): void {
    this.#options.upstream.gate.keyReplaced();
    this.#refresher.join(LIST_ID, { isUserFacing: true });
  }

  /** Stores what an earlier process saved; newer answers stay. */
  #restore({ sources, fields, requestedAtMs, discovered, refusedSinceMs, pulses }: SavedState): void {
    const { upstream } = this.#options;
    if (refusedSinceMs !== null) upstream.gate.key.restoreRefusal(this.#monotonic(refusedSinceMs));
    const value = sources && { rows: sources, unreadableRows: 0, discovered };
    if (value) this.#restoreAnswer(LIST_ID, { value, requestedAtMs, fields });
    for (const saved of pulses) this.#restoreAnswer(saved.sourceId, { ...saved, value: saved.pulse });
  }

  #restoreAnswer(subject: string, saved: { value: Content; requestedAtMs: number; fields: readonly string[] }): void {
    const { exposed = ALL_FIELDS, freshnessPolicy, clock } = this.#options;
    const { value, requestedAtMs, fields } = saved;
    // An answer that lacks a field that readers get is stale.
    const latest = lacksField(fields, exposed) ? clock.now() - freshnessPolicy.freshForMs : Infinity;
    const requestedAt = Math.min(latest, this.#monotonic(requestedAtMs));
    this.#refresher.store(subject, { value, requestedAtMs, requestedAt, fencingToken: 0 });
  }

  /** Converts a time of the wall clock to the monotonic clock; never in the future. */
  #monotonic(wallMs: number): number {
    const { clock } = this.#options;
    return clock.now() - Math.max(0, clock.wallNow() - wallMs);
  }

  /** Forgets the sources of another account. */
  #purge(): void {
    const { ids, upstream, planner, warn, onPurge } = this.#options;
    warn('The key belongs to another account than before: all cached answers are dropped');
    for (const id of ids.all) planner.forget(id);
    this.#entries.clear();
    upstream.gate.clear();
    onPurge?.();
  }
}

/** The status that the upstream answered with: 404 if a source has no pulse. */
function statusOf(value: unknown): 200 | 404 {
  return typeof value === 'object' && value !== null && 'pulse' in value && value.pulse === null ? 404 : 200;
}
