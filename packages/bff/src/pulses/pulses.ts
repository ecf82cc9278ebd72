import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { LastFailure } from '../upstream/backoffs.ts';
import { type Failure, OWN_LIMITS, PUBLIC_CODES } from '../upstream/failure.ts';
import { isList, LIST, operationOf } from '../upstream/target.ts';
import type { Answers } from './answers.ts';
import type { Entry } from './entry.ts';
import { type Hit, isMarkedStale, type Lookup, servableForMs } from './freshness.ts';
import { type AllowedSources, KnownIds, UNKNOWN } from './known-ids.ts';
import { Readiness } from './readiness.ts';
import { Snapshots, type SourceList, type SourceSnapshot } from './snapshots.ts';
import type { PulsesStatus, SourceFacts } from './status.ts';

export type { Hit, Lookup, Miss } from './freshness.ts';
export type { AllowedSources } from './known-ids.ts';
export type { SourceList, SourceSnapshot } from './snapshots.ts';

/** How long a reader who could get a stale response waits for a newer one. */
const STALE_WAIT_MS = 500;

/** What a lookup returns while the first response is pending. */
const PENDING = { ok: false, code: 'upstream_unavailable', retryInMs: 5_000 } as const;

/** A lookup's target, and who is looking it up. */
interface Question<Value> {
  readonly target: string;
  /** The viewer for whom the lookup counts as one view; if null, it doesn't count. */
  readonly viewer: string | null | undefined;
  readonly endsAt: number;
  /** The part of an entry that readers see; undefined if there is nothing yet. */
  readonly valueOf: (entry: Entry) => Value | undefined;
}

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
  readonly #snapshots = new Snapshots();
  readonly #readiness: Readiness;
  readonly #onStored = new Set<(snapshot: SourceSnapshot) => void>();
  readonly #cleanups: (() => unknown)[] = [];

  constructor(options: PulsesOptions) {
    const { answers, config, clock } = options;
    this.answers = answers;
    this.#options = options;
    this.#ids = new KnownIds(config.sources, answers.listedIds);
    const knownIds = () => this.#ids.all;
    this.#readiness = new Readiness({ answers, clock, knownIds, hasSomething: () => this.#hasSomething() });
    const list = answers.get(LIST);
    if (list) this.#stored(LIST, list);
    this.#cleanups.push(answers.onStored((target, entry) => this.#stored(target, entry)));
    this.#cleanups.push(answers.onPurge(() => this.#purge()));
  }

  /**
   * Looks up a source. Resolves immediately if no newer response is worth waiting for, and otherwise within the time
   * that a reader waits. Never rejects. `viewer`: the viewer for whom the lookup counts as one view; if null, it
   * doesn't count.
   */
  async read(id: string, allowed: AllowedSources, viewer?: string | null): Promise<Lookup<SourceSnapshot>> {
    const refusal = this.#ids.refusal(id, allowed);
    if (refusal) return refusal;
    const question = { target: id, viewer, endsAt: this.#deadline(), valueOf: this.#snapshotOf(id) };
    if (this.#ids.has(id)) return this.#lookUp(question);
    return this.#isListAwaited ? this.#lookUpOnceListed(question) : UNKNOWN;
  }

  /** Looks up the list with all its rows. */
  readList(viewer?: string | null): Promise<Lookup<SourceList>> {
    return this.#lookUp({ target: LIST, viewer, endsAt: this.#deadline(), valueOf: () => this.#snapshots.list });
  }

  /** The cached response for a source. Doesn't make a call or count as a view. */
  cached(id: string, allowed: AllowedSources): Lookup<SourceSnapshot> {
    const isUnknown = !this.#ids.has(id) && !this.#isListAwaited;
    return this.#ids.refusal(id, allowed) ?? (isUnknown ? UNKNOWN : (this.peek(id) ?? PENDING));
  }

  /** The cached response for a known source, for code that may see every source. */
  peek(id: string): Hit<SourceSnapshot> | undefined {
    return this.#ids.has(id) ? this.#hit(id, this.#snapshotOf(id)) : undefined;
  }

  /** Adds IDs from a token or from the application to the known IDs. */
  allow(ids: Iterable<string>): void {
    this.#ids.allow(ids);
  }

  isKnown(id: string): boolean {
    return this.#ids.has(id);
  }

  knownIds(): readonly string[] {
    return this.#ids.all;
  }

  /** Whether this instance should get traffic (see `Readiness`). */
  isReady(): boolean {
    return this.#readiness.isReady();
  }

  /** Calls `listener` with every snapshot that is already cached, and later with each new one. */
  onStored(listener: (snapshot: SourceSnapshot) => void): void {
    for (const id of this.#ids.all) {
      const hit = this.peek(id);
      if (hit) listener(hit.value);
    }
    this.#onStored.add(listener);
  }

  /** The state of the list and of every known source. */
  status(): PulsesStatus {
    return {
      ready: this.isReady(),
      list: this.#factsOf(LIST),
      unreadableRows: this.#snapshots.list?.unreadableRows ?? 0,
      sources: this.#ids.all.map((id) => this.#factsOf(id)),
    };
  }

  /** Starts getting ready. */
  start(): void {
    const wanted = () => this.#readiness.wanted();
    this.answers.wanted.add(wanted);
    this.#cleanups.push(() => this.answers.wanted.delete(wanted));
    this.#readiness.start();
  }

  close(): void {
    for (const cleanUp of this.#cleanups.splice(0)) cleanUp();
  }

  #factsOf(target: string): SourceFacts {
    const { views, upstream } = this.answers;
    const { freshMs } = this.#options.config;
    const entry = this.answers.get(target);
    const hit = this.#hit(target, () => true);
    const ageMs = entry ? this.answers.ageMs(target) : null;
    const row = this.#snapshots.row(target);
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
    if (this.#hit(LIST, () => true)) return true;
    const { all } = this.#ids;
    // The key works, but not for the list. Without traffic, the BFF would never see a token with an ID.
    const isListForbidden = this.answers.key.rejectionOf('sources') === 403;
    if (this.#options.config.access === 'token' && isListForbidden && all.length === 0) return true;
    return all.some((id) => this.#hit(id, () => true));
  }

  /** Waits for the first list, which may contain the ID. The list and the pulse share one deadline. */
  async #lookUpOnceListed<Value>(question: Question<Value>): Promise<Lookup<Value>> {
    const waitMs = question.endsAt - this.#now();
    const result = await this.answers.fetch(LIST, { isAwaited: true, waitMs });
    if (this.#ids.has(question.target)) return this.#lookUp(question);
    return 'ok' in result && this.#isListAwaited ? missOf(result) : UNKNOWN;
  }

  /** Whether the first list is still missing. It may contain the ID. */
  get #isListAwaited(): boolean {
    return this.#ids.followsList && this.answers.get(LIST) === undefined;
  }

  async #lookUp<Value>(question: Question<Value>): Promise<Lookup<Value>> {
    const { target, viewer, endsAt, valueOf } = question;
    if (viewer !== null) this.answers.views.view(target, this.#now(), viewer);
    const hit = this.#hit(target, valueOf);
    if (hit === undefined) return this.#fetch(question, 'miss', endsAt - this.#now());
    const isFresh = hit.ageMs < this.#options.config.freshMs;
    return isFresh || !this.#isWorthWaiting(target, hit.ageMs) ? hit : this.#fetch(question, 'stale', STALE_WAIT_MS);
  }

  async #fetch<Value>(
    { target, valueOf }: Question<Value>,
    cache: 'miss' | 'stale',
    waitMs: number,
  ): Promise<Lookup<Value>> {
    const before = this.answers.get(target);
    const result = await this.answers.fetch(target, { isAwaited: cache === 'miss', waitMs });
    const hit = this.#hit(target, valueOf);
    if (hit) return this.answers.get(target) === before ? hit : { ...hit, cache };
    return 'ok' in result ? missOf(result) : PENDING;
  }

  /**
   * Whether a reader who could get a stale response should wait for a newer one: only if a call is possible, and either
   * it's worth as much as the best planned one or calls are plentiful.
   */
  #isWorthWaiting(target: string, ageMs: number): boolean {
    const { upstream, views } = this.answers;
    if (!upstream.hosts.isHealthy || upstream.whyNoCall(target) !== undefined) return false;
    const { left, maxLeft } = upstream.status().budget;
    return left > maxLeft / 2 || views.of(target) * ageMs >= views.bestValue;
  }

  /** What the cache contains for a target, unless it has expired. */
  #hit<Value>(target: string, valueOf: (entry: Entry) => Value | undefined): Hit<Value> | undefined {
    const { config } = this.#options;
    const entry = this.answers.get(target);
    if (entry === undefined) return undefined;
    const ageMs = this.answers.ageMs(target);
    const staleForMs = servableForMs(ageMs, config, this.answers.key.refusedForMs(operationOf(target)));
    const value = staleForMs > 0 ? valueOf(entry) : undefined;
    if (value === undefined) return undefined;
    const isStale = isMarkedStale(ageMs, config, () => this.#hasFailed(target));
    return { ok: true, value, ageMs, isStale, cache: 'hit', staleForMs };
  }

  /** Whether the last call failed or calls aren't possible. Waiting for the budget is normal. */
  #hasFailed(target: string): boolean {
    const { upstream } = this.answers;
    const failure = upstream.backoffs.last(target) ?? upstream.whyNoCall(target);
    return (failure !== undefined && !OWN_LIMITS.has(failure.code)) || upstream.hosts.areAllDown;
  }

  #snapshotOf(id: string): (entry: Entry) => SourceSnapshot {
    return (entry) => this.#snapshots.of(id, entry);
  }

  #stored(target: string, entry: Entry): void {
    if (isList(entry.value)) {
      this.#snapshots.useList(entry.value, entry.requestedAtMs, (id) => this.#ids.mayList(id));
      const waitMs = this.answers.upstream.timeoutMs;
      for (const id of this.#readiness.wanted()) void this.answers.fetch(id, { isAwaited: true, waitMs });
    } else {
      const snapshot = this.#snapshots.of(target, entry);
      for (const listener of this.#onStored) listener(snapshot);
    }
  }

  #purge(): void {
    this.#snapshots.clear();
    this.#ids.clear();
  }

  /** When a reader who has no response yet stops waiting. */
  #deadline(): number {
    return this.#now() + this.answers.upstream.timeoutMs;
  }

  #now(): number {
    return this.#options.clock.now();
  }
}

function missOf({ code, retryInMs }: Failure): Lookup<never> {
  return { ok: false, code: PUBLIC_CODES[code], retryInMs };
}

function withoutOk(failure: LastFailure | undefined): SourceFacts['lastFailure'] {
  if (failure === undefined) return null;
  const { ok: _ok, ...facts } = failure;
  return facts;
}
