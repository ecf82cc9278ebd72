import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import type { KeptText } from '../lib/kept-text.ts';
import type { Log } from '../lib/log.ts';
import { type Failure, failed, OWN_LIMITS } from '../upstream/failure.ts';
import type { Key } from '../upstream/key.ts';
import { LIST } from '../upstream/target.ts';
import type { Answer, Upstream } from '../upstream/upstream.ts';
import { type Entry, isListEntry, sizeOf } from './entry.ts';
import type { Keeper, Restored } from './keeper.ts';
import { Views } from './views.ts';

/** The most entries, and the most memory that they take. The least recently used go first. */
const MAX_ENTRIES = 15_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** How often an instance checks whether another one has received the response that it's waiting for. */
const POLL_MS = 100;

/** The most IDs from earlier lists that are remembered. */
const MAX_LISTED = 5_000;

export interface AnswersOptions {
  readonly upstream: Upstream;
  readonly key: Key;
  readonly keeper: Keeper;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'fault'>;
  /** The age from which a response is refreshed, in ms. */
  readonly freshMs: number;
}

export interface FetchOptions {
  /** Whether a reader is waiting without any response to show, so that the call may wait for the budget. */
  readonly isAwaited: boolean;
  readonly waitMs: number;
  /** Whether to fetch although the entry is fresh. @default false */
  readonly isForced?: boolean;
}

/**
 * The service's last good responses, by target. At most one call per target is made at a time. All routers with the
 * same key in a process use the same instance.
 */
export class Answers {
  readonly upstream: Upstream;
  readonly key: Key;
  readonly views: Views;
  readonly #options: AnswersOptions;
  readonly #listed = new Set<string>();
  readonly #failures = new LRUCache<string, Failure>({ max: MAX_ENTRIES });
  /** Targets that are being fetched although no reader waits for them. */
  readonly #unawaited = new Set<string>();
  readonly #loads = new Set<Promise<unknown>>();
  readonly #onStored = new Set<(target: string, entry: Entry) => void>();
  readonly #onPurge = new Set<() => void>();
  readonly #entries: LRUCache<string, Entry, FetchOptions>;

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.upstream = options.upstream;
    this.key = options.key;
    this.views = new Views(options.freshMs);
    this.#entries = new LRUCache({
      max: MAX_ENTRIES,
      maxSize: MAX_BYTES,
      sizeCalculation: sizeOf,
      ttl: Math.max(1, options.freshMs),
      ttlResolution: 0,
      perf: options.clock,
      // During an outage, the last good response is retained.
      noDeleteOnStaleGet: true,
      noDeleteOnFetchRejection: true,
      allowStaleOnFetchRejection: true,
      fetchMethod: async (target, _old, { context, options: ttl }) => {
        const entry = await this.#load(target, context);
        ttl.ttl = this.#ttlOf(entry);
        return entry;
      },
      onInsert: (entry, target) => this.#stored(target, entry),
    });
  }

  /** The entry of a target, however old it is. */
  get(target: string): Entry | undefined {
    return this.#entries.get(target, { allowStale: true });
  }

  /** The IDs that were ever on the list. The latest come last. */
  get listedIds(): readonly string[] {
    return [...this.#listed];
  }

  /** Identifies the account or, if no response has identified one, the key in use. */
  get accountName(): string {
    return this.#options.keeper.accountName;
  }

  /**
   * Fetches a target, or joins the fetch that is under way. Resolves with the new entry, or with the reason why there
   * is none, within `waitMs`. Never rejects.
   */
  async fetch(target: string, options: FetchOptions): Promise<Entry | Failure> {
    const endsAt = this.#now() + options.waitMs;
    await this.#adopt(target);
    const joinsUnawaited = options.isAwaited && this.#unawaited.has(target);
    const result = await this.#fetchOnce(target, options);
    // The fetch that was joined didn't wait for the budget. This one does.
    if ('ok' in result && joinsUnawaited && OWN_LIMITS.has(result.code) && this.#now() < endsAt)
      return this.#fetchOnce(target, { ...options, waitMs: endsAt - this.#now() });
    return result;
  }

  /** Calls `listener` for each entry that is stored, also for those from before a restart. */
  onStored(listener: (target: string, entry: Entry) => void): () => void {
    this.#onStored.add(listener);
    return () => void this.#onStored.delete(listener);
  }

  /** Calls `listener` when all entries are dropped, because the key belongs to another account. */
  onPurge(listener: () => void): () => void {
    this.#onPurge.add(listener);
    return () => void this.#onPurge.delete(listener);
  }

  /** A small named text that outlives the process with Redis or a state folder. */
  keptText(name: string): KeptText {
    return this.#options.keeper.text(name);
  }

  saveKeyState(): void {
    this.#options.keeper.saveKeyState();
  }

  status(): ReturnType<Keeper['status']> {
    return this.#options.keeper.status();
  }

  /** Adopts what an earlier process or another instance has stored. */
  async restore(): Promise<void> {
    this.#restored(await this.#options.keeper.restore());
    await this.#adopt(LIST);
  }

  /** Resolves once no fetch is under way. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#loads);
  }

  async #fetchOnce(target: string, options: FetchOptions): Promise<Entry | Failure> {
    const before = this.get(target);
    const isFresh = before !== undefined && this.#isFresh(before);
    if (isFresh && !options.isForced) return before;
    const fetching = this.#entries.fetch(target, { forceRefresh: options.isForced ?? false, context: options });
    await this.#within(fetching, options.waitMs);
    const entry = this.get(target);
    if (entry !== undefined && entry !== before) return entry;
    return this.#failures.get(target) ?? this.upstream.lastFailure(target) ?? failed('starting', 5_000);
  }

  /** Resolves once `work` is done, after `ms` at the latest. */
  async #within(work: Promise<unknown>, ms: number): Promise<void> {
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.schedule(Math.max(0, ms), resolve);
    await Promise.race([work.catch(() => undefined), timedOut]);
    cancel();
  }

  /** The fetch method of the cache. If it rejects, the cache keeps the old entry. */
  async #load(target: string, { isAwaited }: FetchOptions): Promise<Entry> {
    const { keeper, log } = this.#options;
    const done = Promise.withResolvers<void>();
    this.#loads.add(done.promise);
    if (!isAwaited) this.#unawaited.add(target);
    try {
      const entry = (await this.#fromElsewhere(target)) ?? (await this.#fromService(target, isAwaited));
      this.#failures.delete(target);
      return entry;
    } catch (error) {
      if (!(error instanceof FetchError)) log.fault(error);
      this.#failures.set(target, error instanceof FetchError ? error.failure : failed('fault', 5_000));
      throw error;
    } finally {
      this.#unawaited.delete(target);
      keeper.release(target);
      this.#loads.delete(done.promise);
      done.resolve();
    }
  }

  async #fromService(target: string, isAwaited: boolean): Promise<Entry> {
    const { keeper } = this.#options;
    const answer = await this.upstream.fetch(target, { isAwaited });
    if (!answer.ok) throw new FetchError(answer);
    const before = this.get(target);
    if (answer.value === null && before?.value && !(await this.#isAbsent(answer)))
      throw this.#refused(target, failed('not_found_everywhere', 5_000, { status: 404, host: answer.host }));
    const owner = keeper.ownershipOf(answer);
    if (owner === 'unknown-key') throw this.#refused(target, failed('account_changed', 1_000));
    if (owner === 'other-account') this.#purge();
    this.#restored(keeper.bind(answer));
    const { ok: _ok, host: _host, value, ...request } = answer;
    const isSame = before !== undefined && isDeepStrictEqual(before.value, value);
    const entry: Entry = { ...request, value: isSame ? before.value : value, origin: 'service' };
    // Dropping all entries has also ended this fetch for the cache, so the cache won't store the entry.
    if (owner === 'other-account') this.#entries.set(target, entry, { ttl: this.#ttlOf(entry) });
    return entry;
  }

  /**
   * Whether a 404 for a source that had a pulse is about this source, and not about everything. The list shows it,
   * unless the key may not read the list.
   */
  async #isAbsent(answer: Answer): Promise<boolean> {
    if (this.upstream.trustsAbsence(answer) !== 'unknown') return this.upstream.trustsAbsence(answer) === true;
    const list = await this.fetch(LIST, { isAwaited: true, waitMs: this.upstream.timeoutMs, isForced: true });
    const isForbidden = 'ok' in list && (list.code === 'scope_missing' || list.code === 'key_rejected');
    return isForbidden || this.upstream.trustsAbsence(answer) === true;
  }

  #refused(target: string, failure: Failure): FetchError {
    return new FetchError(this.upstream.recordFailure(target, failure));
  }

  /** Waits while another instance calls the service. Returns its response; undefined if this instance should call. */
  async #fromElsewhere(target: string): Promise<Entry | undefined> {
    const { keeper, clock } = this.#options;
    const until = this.#now() + this.upstream.timeoutMs;
    while (!(await keeper.claim(target, this.upstream.timeoutMs)) && this.#now() < until) {
      await new Promise<void>((resolve) => void clock.schedule(POLL_MS, resolve));
      const kept = await keeper.fromStore(target, this.get(target));
      if (kept !== undefined && this.#isFresh(kept.entry)) return kept.entry;
    }
    return undefined;
  }

  /** Adopts the response that another instance has stored, if it is newer. */
  async #adopt(target: string): Promise<void> {
    const kept = await this.#options.keeper.fromStore(target, this.get(target));
    if (kept) this.#restored({ entries: [[target, kept.entry]], listed: kept.listed });
  }

  #restored(restored: Restored | undefined): void {
    if (restored === undefined) return;
    this.#addListed(restored.listed);
    for (const [target, entry] of restored.entries) {
      const before = this.get(target);
      if (before === undefined || before.requestedAt < entry.requestedAt)
        this.#entries.set(target, entry, { ttl: this.#ttlOf(entry) });
    }
  }

  #stored(target: string, entry: Entry): void {
    if (isListEntry(entry)) this.#addListed(entry.value.rows.map(({ id }) => id));
    if (entry.origin === 'service') this.#options.keeper.save(target, entry, target === LIST ? this.listedIds : []);
    this.views.refreshed(target, entry.requestedAt);
    for (const listener of this.#onStored) listener(target, entry);
  }

  #addListed(ids: readonly string[]): void {
    for (const id of ids) {
      this.#listed.delete(id);
      this.#listed.add(id);
    }
    for (const id of this.#listed) if (this.#listed.size > MAX_LISTED) this.#listed.delete(id);
  }

  /** Drops everything that belongs to another account. */
  #purge(): void {
    const { log, keeper } = this.#options;
    log.warn('The key belongs to a different account than before: all cached responses are dropped');
    this.#entries.clear();
    this.#failures.clear();
    this.#listed.clear();
    this.views.clear();
    this.upstream.backoffs.clear();
    keeper.forget();
    for (const listener of this.#onPurge) listener();
  }

  #isFresh({ requestedAt }: Entry): boolean {
    return this.#now() - requestedAt < this.#options.freshMs;
  }

  /** How much longer an entry is fresh, in ms, counted from its request; at least 1, because 0 means forever. */
  #ttlOf({ requestedAt }: Entry): number {
    return Math.max(1, this.#options.freshMs - (this.#now() - requestedAt));
  }

  #now(): number {
    return this.#options.clock.now();
  }
}

/** Carries the reason why a fetch failed through the cache. */
class FetchError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.code);
    this.failure = failure;
  }
}
