import { isDeepStrictEqual } from 'node:util';
import { isSourceId, type ReadPulse, type ReadSource } from '@pulse-card/contract';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { LastFailure } from '../upstream/backoffs.ts';
import { type Failure, OWN_LIMITS, PUBLIC_CODES } from '../upstream/failure.ts';
import { LIST, operationOf } from '../upstream/target.ts';
import type { Answers } from './answers.ts';
import { type Entry, isListEntry } from './entry.ts';
import { type Hit, isMarkedStale, type Lookup, servableForMs } from './freshness.ts';
import { KnownIds } from './known-ids.ts';
import { Readiness } from './readiness.ts';
import type { PulsesStatus, SourceFacts } from './status.ts';

export type { Hit, Lookup, Miss } from './freshness.ts';

/** How long a reader who could get a stale response waits for a newer one. */
const STALE_WAIT_MS = 500;

/** What a lookup returns while the first response is pending. */
const PENDING = { ok: false, code: 'upstream_unavailable', retryInMs: 5_000 } as const;

/** A source as readers see it. Immutable: each change creates a new object. */
export interface SourceSnapshot {
  readonly sourceId: string;
  /** Null if the service responded that there is none. */
  readonly pulse: ReadPulse | null;
  /** The source's row on the list; null if it isn't on the list. */
  readonly source: ReadSource | null;
  /** In ms since the Unix epoch. */
  readonly requestedAtMs: number;
}

/** The list of sources. Immutable. */
export interface SourceList {
  readonly sources: readonly ReadSource[];
  /** How many rows couldn't be parsed and were omitted. */
  readonly unreadableRows: number;
  readonly requestedAtMs: number;
}

/**
 * What a request may see: `'*'` is every source that the service or the operator lists; a set is exactly these;
 * `'all'` is the operator, who also sees sources that are known only through another reader's permissions.
 */
export type AllowedSources = '*' | 'all' | ReadonlySet<string>;

export interface PulsesOptions {
  readonly answers: Answers;
  readonly config: Pick<Config, 'sources' | 'freshMs' | 'staleMs' | 'authStaleMs' | 'access'>;
  readonly clock: Clock;
}

/** The pulses that one router serves: which IDs it knows, and what readers get for them. */
export class Pulses {
  readonly answers: Answers;
  readonly #options: PulsesOptions;
  readonly #ids: KnownIds;
  #snapshots = new WeakMap<Entry, SourceSnapshot>();
  readonly #readiness: Readiness;
  readonly #onStored = new Set<(snapshot: SourceSnapshot) => void>();
  readonly #cleanups: (() => void)[] = [];
  #list:
    | { readonly entry: Entry; readonly list: SourceList; readonly rows: ReadonlyMap<string, ReadSource> }
    | undefined;

  constructor(options: PulsesOptions) {
    const { answers, config, clock } = options;
    this.answers = answers;
    this.#options = options;
    this.#ids = new KnownIds(config.sources);
    const knownIds = () => this.#ids.all;
    this.#readiness = new Readiness({ answers, clock, knownIds, hasSomething: () => this.#hasSomething() });
    this.#ids.list(answers.listedIds);
    const list = answers.get(LIST);
    if (list) this.#useList(list);
    this.#cleanups.push(answers.onStored((target, entry) => this.#stored(target, entry)));
    this.#cleanups.push(answers.onPurge(() => this.#purge()));
  }

  /**
   * Looks up a source. Returns the result immediately if no newer response is worth waiting for; otherwise a promise
   * that resolves within the time that a reader waits. Never rejects. `viewer`: counts as one view per viewer; null
   * doesn't.
   */
  read(
    id: string,
    allowed: AllowedSources,
    viewer?: string | null,
  ): Lookup<SourceSnapshot> | Promise<Lookup<SourceSnapshot>> {
    const refused = this.#refused(id, allowed);
    if (refused) return refused;
    if (this.#ids.has(id)) return this.#read(id, viewer, this.#deadline());
    return this.#isListAwaited ? this.#readOnceListed(id, viewer) : UNKNOWN;
  }

  /** Looks up the list, with every row. */
  readList(viewer?: string | null): Lookup<SourceList> | Promise<Lookup<SourceList>> {
    const found = this.#lookUp(LIST, viewer, this.#deadline());
    return found instanceof Promise ? found.then((each) => this.#listOf(each)) : this.#listOf(found);
  }

  /** The cached response for a source. Doesn't make a call or count as a view. */
  cached(id: string, allowed: AllowedSources): Lookup<SourceSnapshot> {
    const refused = this.#refused(id, allowed);
    if (refused) return refused;
    if (!this.#ids.has(id)) return this.#isListAwaited ? PENDING : UNKNOWN;
    return this.peek(id) ?? PENDING;
  }

  /** The cached response for a known source, for code that may see every source. */
  peek(id: string): Hit<SourceSnapshot> | undefined {
    const entry = this.#ids.has(id) ? this.answers.get(id) : undefined;
    const hit = entry && this.#hit(id, entry, 'hit');
    return hit && { ...hit, value: this.#snapshotOf(id, hit.value) };
  }

  /** Adds the IDs in a token or from the application to the known IDs. */
  allow(ids: Iterable<string>): void {
    this.#ids.allow(ids);
  }

  isKnown(id: string): boolean {
    return this.#ids.has(id);
  }

  knownIds(): readonly string[] {
    return this.#ids.all;
  }

  /** Whether an ID is known only through another reader's permissions. */
  onlyAllowed(id: string): boolean {
    return this.#ids.isOnlyAllowed(id);
  }

  /** Whether this instance should get traffic (see `Readiness`). */
  isReady(): boolean {
    return this.#readiness.isReady();
  }

  /** The current list; undefined if there is none that may be served. */
  currentList(): SourceList | undefined {
    const entry = this.answers.get(LIST);
    return entry && this.#hit(LIST, entry, 'hit') ? this.#list?.list : undefined;
  }

  /** How long the response for a target may still be served, in ms; 0 or less if it has expired. */
  servableForMs(target: string, entry: Entry): number {
    const { config, clock } = this.#options;
    const now = clock.now();
    return servableForMs(now - entry.requestedAt, config, this.answers.key.refusedForMs(operationOf(target)));
  }

  /** Calls `listener` with each snapshot of a source that is cached, and later with each that is stored. */
  onStored(listener: (snapshot: SourceSnapshot) => void): () => void {
    for (const id of this.#ids.all) {
      const hit = this.peek(id);
      if (hit) listener(hit.value);
    }
    this.#onStored.add(listener);
    return () => void this.#onStored.delete(listener);
  }

  /** The state of the list and of every known source. */
  status(): PulsesStatus {
    const { upstream } = this.answers;
    return {
      ready: this.isReady(),
      list: this.#factsOf(LIST),
      unreadableRows: this.#list?.list.unreadableRows ?? 0,
      sources: this.#ids.all.map((id) => this.#factsOf(id)),
      callsInFlight: upstream.callsInFlight,
    };
  }

  /** Begins to get ready. */
  start(): void {
    this.#readiness.start();
  }

  close(): void {
    this.#readiness.stop();
    for (const cleanUp of this.#cleanups.splice(0)) cleanUp();
  }

  #factsOf(target: string): SourceFacts {
    const { views, upstream } = this.answers;
    const { freshMs } = this.#options.config;
    const entry = this.answers.get(target);
    const hit = entry && this.#hit(target, entry, 'hit');
    const ageMs = entry ? Math.max(0, this.#now() - entry.requestedAt) : null;
    const row = this.#list?.rows.get(target);
    const pulse = entry?.value && 'jobRunId' in entry.value ? entry.value : null;
    return {
      sourceId: target,
      name: row?.name ?? pulse?.sourceName ?? null,
      provider: row?.provider ?? null,
      status: row?.status ?? null,
      freshness: ageMs === null ? 'never-answered' : ageMs < freshMs ? 'fresh' : hit ? 'stale' : 'expired',
      hasPulse: pulse !== null,
      isStale: entry !== undefined && (hit?.isStale ?? true),
      ageMs,
      requestedAt: entry ? new Date(entry.requestedAtMs).toISOString() : null,
      nextRefreshInMs: views.of(target) > 0 ? Math.max(0, freshMs - (ageMs ?? Infinity)) : null,
      viewsPerMinute: views.perMinuteOf(target, this.#now()),
      lastFailure: withoutOk(upstream.backoffs.last(target)),
    };
  }

  /** Whether there is something to serve. */
  #hasSomething(): boolean {
    if (this.currentList() !== undefined) return true;
    const { all } = this.#ids;
    // The key works, but not for the list. Without traffic, no token would ever name an ID.
    const isListForbidden = this.answers.key.rejectionOf('sources') === 403;
    if (this.#options.config.access === 'token' && isListForbidden && all.length === 0) return true;
    return all.some((id) => this.peek(id) !== undefined);
  }

  /** Why a request may not see an ID, regardless of what the cache has. */
  #refused(id: string, allowed: AllowedSources): Lookup<never> | undefined {
    if (!isSourceId(id)) return { ok: false, code: 'invalid_source_id' };
    if (allowed === 'all') return undefined;
    if (allowed === '*') return this.#ids.isOnlyAllowed(id) ? UNKNOWN : undefined;
    return allowed.has(id) ? undefined : { ok: false, code: 'token_forbidden' };
  }

  #read(id: string, viewer: string | null | undefined, endsAt: number) {
    const found = this.#lookUp(id, viewer, endsAt);
    return found instanceof Promise ? found.then((each) => this.#sourceOf(id, each)) : this.#sourceOf(id, found);
  }

  /** Waits for the first list, which may contain the ID. The list and the pulse share one deadline. */
  async #readOnceListed(id: string, viewer: string | null | undefined): Promise<Lookup<SourceSnapshot>> {
    const endsAt = this.#deadline();
    const result = await this.answers.fetch(LIST, { isAwaited: true, waitMs: endsAt - this.#now() });
    if (this.#ids.has(id)) return this.#read(id, viewer, endsAt);
    return 'ok' in result && this.#isListAwaited ? missOf(result) : UNKNOWN;
  }

  /** Whether the first list is still missing, which may contain an unknown ID. */
  get #isListAwaited(): boolean {
    return this.#ids.followsList && this.answers.get(LIST) === undefined;
  }

  #lookUp(target: string, viewer: string | null | undefined, endsAt: number): Lookup<Entry> | Promise<Lookup<Entry>> {
    const { answers } = this;
    if (viewer !== null) answers.views.view(target, this.#now(), viewer);
    const entry = answers.get(target);
    const hit = entry && this.#hit(target, entry, 'hit');
    if (hit === undefined) return this.#fetch(target, endsAt - this.#now(), 'miss');
    if (hit.ageMs < this.#options.config.freshMs) return hit;
    return this.#isWorthWaiting(target, hit.ageMs) ? this.#fetch(target, STALE_WAIT_MS, 'stale') : hit;
  }

  async #fetch(target: string, waitMs: number, cache: 'miss' | 'stale'): Promise<Lookup<Entry>> {
    const before = this.answers.get(target);
    const result = await this.answers.fetch(target, { isAwaited: cache === 'miss', waitMs });
    const entry = this.answers.get(target);
    const hit = entry && this.#hit(target, entry, entry === before ? 'hit' : cache);
    return hit ?? ('ok' in result ? missOf(result) : PENDING);
  }

  /**
   * Whether a reader who could get a stale response should wait for a newer one: a call is possible, and it's worth as
   * much as the best planned one, or calls are plentiful.
   */
  #isWorthWaiting(target: string, ageMs: number): boolean {
    const { upstream, views } = this.answers;
    if (!upstream.hosts.isHealthy || upstream.mayCall(target) !== undefined) return false;
    const { left, maxLeft } = upstream.status().budget;
    return left > maxLeft / 2 || views.of(target) * ageMs >= views.bestValue;
  }

  /** A value of the cache, unless it has expired. */
  #hit(target: string, entry: Entry, cache: Hit<Entry>['cache']): Hit<Entry> | undefined {
    const ageMs = Math.max(0, this.#now() - entry.requestedAt);
    const staleForMs = this.servableForMs(target, entry);
    if (staleForMs <= 0) return undefined;
    const isStale = isMarkedStale(ageMs, this.#options.config, () => this.#hasFailed(target));
    return { ok: true, value: entry, ageMs, isStale, cache, staleForMs };
  }

  /** Whether the last attempt failed, or none is possible. Waiting for the budget is normal. */
  #hasFailed(target: string): boolean {
    const { upstream } = this.answers;
    const failure = upstream.backoffs.last(target) ?? upstream.mayCall(target);
    return (failure !== undefined && !OWN_LIMITS.has(failure.code)) || upstream.hosts.areAllDown;
  }

  #sourceOf(id: string, lookup: Lookup<Entry>): Lookup<SourceSnapshot> {
    return lookup.ok ? { ...lookup, value: this.#snapshotOf(id, lookup.value) } : lookup;
  }

  #listOf(lookup: Lookup<Entry>): Lookup<SourceList> {
    if (!lookup.ok) return lookup;
    return this.#list ? { ...lookup, value: this.#list.list } : PENDING;
  }

  #snapshotOf(sourceId: string, entry: Entry): SourceSnapshot {
    const known = this.#snapshots.get(entry);
    const source = this.#list?.rows.get(sourceId) ?? null;
    if (known !== undefined && known.source === source) return known;
    const pulse = entry.value as ReadPulse | null;
    const snapshot = { sourceId, pulse, source, requestedAtMs: entry.requestedAtMs };
    this.#snapshots.set(entry, snapshot);
    return snapshot;
  }

  #stored(target: string, entry: Entry): void {
    if (target === LIST) return this.#useList(entry);
    const snapshot = this.#snapshotOf(target, entry);
    for (const listener of this.#onStored) listener(snapshot);
  }

  /** Rows that didn't change stay the same objects. */
  #useList(entry: Entry): void {
    if (!isListEntry(entry)) return;
    const { rows, unreadableRows } = entry.value;
    this.#ids.list(rows.map(({ id }) => id));
    const before = this.#list?.rows;
    const sources = rows
      .filter(({ id }) => this.#ids.mayList(id))
      .map((row) => (isDeepStrictEqual(before?.get(row.id), row) ? (before?.get(row.id) ?? row) : row));
    const list = { sources, unreadableRows, requestedAtMs: entry.requestedAtMs };
    this.#list = { entry, list, rows: new Map(sources.map((row) => [row.id, row])) };
  }

  #purge(): void {
    this.#list = undefined;
    this.#snapshots = new WeakMap();
    this.#ids.clear();
  }

  /** When a reader without any response stops waiting. */
  #deadline(): number {
    return this.#now() + this.answers.upstream.timeoutMs;
  }

  #now(): number {
    return this.#options.clock.now();
  }
}

const UNKNOWN = { ok: false, code: 'source_unknown' } as const;

function missOf({ code, retryInMs }: Failure): Lookup<never> {
  return { ok: false, code: PUBLIC_CODES[code], retryInMs };
}

function withoutOk(failure: LastFailure | undefined): SourceFacts['lastFailure'] {
  if (failure === undefined) return null;
  const { ok: _ok, ...facts } = failure;
  return facts;
}
