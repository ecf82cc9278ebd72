import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { type Clock, elapsed } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { memoryText, type StoredText } from '../lib/stored-text.ts';
import { type Failure, FailureError, failed, isOfKey } from '../upstream/failure.ts';
import type { Key } from '../upstream/key.ts';
import { isList, LIST } from '../upstream/target.ts';
import type { Answer, Upstream } from '../upstream/upstream.ts';
import { AccountGuard } from './account.ts';
import type { Entry } from './entry-format.ts';
import type { StateFolder } from './state-folder.ts';
import type { RedisStatus, SharedStore } from './shared-store.ts';
import { ViewCounts } from './view-counts.ts';

/** The maximum number of entries and the maximum memory that they use. The least recently used are removed first. */
const MAX_ENTRIES = 15_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** The size of an entry without its text. */
const ENTRY_BYTES = 512;

/** The maximum number of listed IDs that are remembered. The oldest are forgotten first. */
const MAX_LISTED = 5_000;

/** How often an instance checks whether another instance has received the response that it's waiting for. */
const POLL_MS = 100;

export interface AnswersOptions {
  readonly upstream: Upstream;
  readonly key: Key;
  /** What this process stores for its next start, and what all instances share. */
  readonly folder?: StateFolder | undefined;
  readonly store?: SharedStore | undefined;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'fault'>;
  /** The age at which a response is refreshed, in ms. */
  readonly freshMs: number;
}

export interface FetchOptions {
  /** Whether the call may wait for the budget. If there is no entry, it always may. @default false */
  readonly isAwaited?: boolean;
  /** Whether to fetch even if the entry is fresh. @default false */
  readonly isForced?: boolean;
}

/**
 * The service's last good responses, by target. At most one call per target is made at a time. All routers with the
 * same key in a process use the same instance. A response from an account other than the key's is never used.
 */
export class Answers {
  readonly upstream: Upstream;
  readonly key: Key;
  readonly freshMs: number;
  readonly views: ViewCounts;
  /** Every ID that has ever been in the list, newest last. */
  readonly listedIds = new LRUCache<string, true>({ max: MAX_LISTED });
  /** The sources that routers wait for before they are ready. */
  readonly wanted = new Set<() => readonly string[]>();
  /**
   * `purged`: all entries were dropped, because the key belongs to another account. There's no maximum number of
   * listeners, because any number of routers can listen.
   */
  readonly events = new EventEmitter<{ stored: [target: string, entry: Entry]; purged: [] }>().setMaxListeners(0);
  readonly #options: AnswersOptions;
  readonly #account = new AccountGuard();
  readonly #entries: LRUCache<string, Entry, { readonly isAwaited: boolean }>;
  /** The state folder's contents, until it's known whether they belong to the key's account. */
  #kept: (readonly [target: string, entry: Entry])[] = [];

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.upstream = options.upstream;
    this.key = options.key;
    this.freshMs = options.freshMs;
    this.views = new ViewCounts(options.freshMs, options.clock);
    this.#entries = new LRUCache({
      max: MAX_ENTRIES,
      maxSize: MAX_BYTES,
      sizeCalculation: ({ value }) => ENTRY_BYTES + 2 * JSON.stringify(value).length,
      // During an outage, the last good response is retained.
      noDeleteOnFetchRejection: true,
      fetchMethod: (target, _old, { context }) => this.#load(target, context.isAwaited),
      onInsert: (entry, target) => this.#stored(target, entry),
    });
  }

  /** The entry for a target, regardless of its age. */
  get(target: string): Entry | undefined {
    return this.#entries.get(target);
  }

  /** How old the entry for a target is, in ms; `Infinity` if there is none. */
  ageMs(target: string): number {
    const entry = this.get(target);
    return entry === undefined ? Infinity : Math.max(0, this.#now() - entry.requestedAt);
  }

  /** Identifies the account or, if no response has identified one, the key in use. */
  get accountName(): string {
    return this.#account.name ?? this.key.name;
  }

  /**
   * Fetches a target unless it is fresh, or joins the fetch that is in progress. Resolves with the reason if the fetch
   * failed. Never rejects.
   */
  async fetch(
    target: string,
    { isAwaited = false, isForced = false }: FetchOptions = {},
  ): Promise<Failure | undefined> {
    try {
      await this.#adopt(target);
      if (!isForced && this.ageMs(target) < this.freshMs) return undefined;
      // If there is no entry, a reader may join this fetch.
      const context = { isAwaited: isAwaited || this.get(target) === undefined };
      await this.#entries.fetch(target, { forceRefresh: true, context });
      return undefined;
    } catch (error) {
      // The cache ends a fetch whose entry is replaced or dropped.
      return error instanceof FailureError ? error.failure : undefined;
    }
  }

  /** A short, named string. With Redis or a state folder, it outlives the process. */
  storedText(name: string): StoredText {
    const { store, folder } = this.#options;
    return store?.text(name) ?? folder?.text(name) ?? memoryText();
  }

  status(): { readonly stateDirFault?: string | null; readonly redis?: RedisStatus } {
    const { folder, store } = this.#options;
    return { ...(folder && { stateDirFault: folder.fault ?? null }), ...(store && { redis: store.status() }) };
  }

  /** Uses the response that an earlier process or another instance stored. */
  async restore(): Promise<void> {
    this.#kept = (await this.#options.folder?.entries()) ?? [];
    for (const [, entry] of this.#kept) if (entry.keyName === this.key.name) this.#account.remember(entry);
    this.#useKept();
    await this.#adopt(LIST);
  }

  /**
   * The cache's fetch method. While another instance calls the service, waits for that instance's response. If it
   * rejects, the cache keeps the old entry.
   */
  async #load(target: string, isAwaited: boolean): Promise<Entry> {
    const { folder, store, clock, log } = this.#options;
    const { timeoutMs } = this.upstream;
    const until = this.#now() + timeoutMs;
    try {
      while ((await store?.lock(target, timeoutMs)) === false && this.#now() < until) {
        await elapsed(clock, POLL_MS);
        const entry = await this.#inStore(target);
        if (entry === undefined || this.#now() - entry.requestedAt >= this.freshMs) continue;
        this.#remember(entry);
        return entry;
      }
      return await this.#fromService(target, isAwaited);
    } catch (error) {
      if (error instanceof FailureError) throw error;
      log.fault(error);
      throw new FailureError(failed('fault', 5_000));
    } finally {
      store?.unlock(target);
      folder?.saveRejection(this.key.rejectedSince, this.key.name);
    }
  }

  async #fromService(target: string, isAwaited: boolean): Promise<Entry> {
    const answer = await this.upstream.fetch(target, { isAwaited });
    if (!answer.ok) throw new FailureError(answer);
    const before = this.get(target);
    if (answer.value === null && before?.value && !(await this.#isAboutSource(answer)))
      throw this.#refused(target, failed('not_found_everywhere', 5_000, { status: 404, host: answer.host }));
    const ownership = this.#account.compare(answer, this.key.name);
    if (ownership === 'unknown-key') throw this.#refused(target, failed('account_changed', 1_000));
    if (ownership === 'other-account') this.#purge();
    this.#account.remember(answer);
    const { ok: _ok, host: _host, value, ...request } = answer;
    const { unreadable = [] } = answer;
    if (unreadable.length > 0 && !isDeepStrictEqual(unreadable, before?.unreadable))
      this.#options.log.warn(`The service sent unreadable values for ${target}: ${unreadable.join(', ')}`);
    if (isList(value)) for (const { id } of value.rows) this.listedIds.set(id, true);
    const isSame = before !== undefined && isDeepStrictEqual(before.value, value);
    const { account } = this.#account;
    const listed = target === LIST ? [...this.listedIds.rkeys()] : [];
    const entry: Entry = { ...request, value: isSame ? before.value : value, account, listed };
    this.#options.folder?.save(target, entry);
    this.#options.store?.save(target, entry);
    // Dropping all entries has also ended this fetch for the cache, so the cache won't store the entry.
    if (ownership === 'other-account') this.#entries.set(target, entry);
    return entry;
  }

  /**
   * Whether a 404 for a source that had a pulse applies only to that source. The list shows whether it does, unless the
   * key isn't allowed to read the list.
   */
  async #isAboutSource({ host, requestedAt }: Answer): Promise<boolean> {
    const { hosts } = this.upstream;
    const isTrusted = hosts.trusts404(host, requestedAt);
    if (isTrusted !== 'unknown') return isTrusted;
    const failure = await this.fetch(LIST, { isAwaited: true, isForced: true });
    return (failure !== undefined && isOfKey(failure.code)) || hosts.trusts404(host, requestedAt) === true;
  }

  #refused(target: string, failure: Failure): FailureError {
    return new FailureError(this.upstream.recordFailure(target, failure));
  }

  /** Adopts the response that another instance stored. */
  async #adopt(target: string): Promise<void> {
    const entry = await this.#inStore(target);
    if (entry) this.#use(target, entry);
  }

  /** What another instance has stored, if it belongs to the account. */
  async #inStore(target: string): Promise<Entry | undefined> {
    const entry = await this.#options.store?.load(target);
    const isOwn = entry !== undefined && (this.#account.name === undefined || this.#account.owns(entry));
    return isOwn ? entry : undefined;
  }

  /** Uses the folder's contents if they belong to the account. Contents that belong to another account are removed. */
  #useKept(): void {
    for (const [target, entry] of this.#kept.splice(0))
      if (this.#account.owns(entry)) this.#use(target, entry);
      else if (this.#account.account === undefined) this.#kept.push([target, entry]);
      else if (this.get(target) === undefined) this.#options.folder?.remove(target);
  }

  /** Uses an entry unless there is a newer one. Two machines' clocks may differ, so ages are also compared. */
  #use(target: string, entry: Entry): void {
    this.#remember(entry);
    const { requestedAtMs, requestedAt = -Infinity } = this.get(target) ?? {};
    if (requestedAtMs === entry.requestedAtMs || requestedAt >= entry.requestedAt) return;
    this.#entries.set(target, entry);
  }

  #stored(target: string, entry: Entry): void {
    this.views.refreshed(target, entry.requestedAt);
    try {
      this.events.emit('stored', target, entry);
    } catch (error) {
      // The response is stored, so readers get it.
      this.#options.log.fault(error);
    }
    this.#useKept();
  }

  #remember(entry: Entry): void {
    this.#account.remember(entry);
    for (const id of entry.listed) this.listedIds.set(id, true);
  }

  /** Drops everything that belongs to another account. */
  #purge(): void {
    this.#options.log.warn('The key belongs to a different account than before: all cached responses are dropped');
    this.#entries.clear();
    this.listedIds.clear();
    this.views.clear();
    this.#account.clear();
    this.#options.folder?.clear();
    this.events.emit('purged');
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
