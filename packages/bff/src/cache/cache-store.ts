import type { SourceRows } from '../upstream/response.ts';
import type { Answer, AnswerOwner } from '../upstream/upstream.ts';

type RequestInfo = Omit<Answer<unknown>, 'value' | 'owner'>;
import { isDeepStrictEqual } from 'node:util';
import type { ReadPulse, ReadSource } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { SourceAllowlist } from './source-allowlist.ts';
import type { AccountFingerprint } from './account-guard.ts';
import type { SourceSnapshot, SourceList } from './port.ts';
import type { SavedAnswer, SavedList, SavedState, SnapshotStore } from './snapshot-store.ts';

/** Capacity for answers, in bytes of their text. */
const CAPACITY_BYTES = 32 * 1024 * 1024;

/** The size of an entry besides its text. */
const ENTRY_BYTES = 512;

/** An answer in the cache. */
export interface CacheEntry<Value> {
  readonly value: Value;
  /** When the answer was requested, on the monotonic clock. */
  readonly requestedAt: number;
  /** Ranks the call that brought the answer among all calls on its subject; 0 for an answer that a restart brought back. */
  readonly fencingToken: number;
}

/** The source list in the cache. */
interface SourceListEntry extends CacheEntry<SourceList> {
  /** Rows that could not be read and are left out. */
  readonly unreadableRows: number;
}

/** What a restart brought back. */
export interface Restored {
  readonly snapshots: readonly CacheEntry<SourceSnapshot>[];
  /** When the upstream first refused the key, on the monotonic clock; undefined while it accepts it. */
  readonly refusedAt: number | undefined;
}

/** The answers, the list and the known ids, in memory and, where there is a state folder, in files. */
export class CacheStore {
  readonly ids: SourceAllowlist;
  readonly #entries = new EntryStore();
  readonly #clock: Clock;
  readonly #snapshotStore: SnapshotStore | undefined;
  /** What an earlier process saved, until it is known whether the key in use belongs to the same account. */
  #saved: SavedState | undefined;
  #list: SourceListEntry | undefined;
  #refusedSinceMs: number | undefined;
  #newestPulseAt: number | undefined;

  constructor(ids: SourceAllowlist, clock: Clock, snapshotStore: SnapshotStore | undefined) {
    this.ids = ids;
    this.#clock = clock;
    this.#snapshotStore = snapshotStore;
  }

  get list(): SourceListEntry | undefined {
    return this.#list;
  }

  /** When the newest cached pulse was requested, on the monotonic clock; undefined where there is none. */
  get newestPulseAt(): number | undefined {
    return this.#newestPulseAt;
  }

  entry(sourceId: string): CacheEntry<SourceSnapshot> | undefined {
    return this.#entries.get(sourceId);
  }

  /** The entry of a source, or of the list for `LIST_ID`. */
  entryOf(subject: string): CacheEntry<SourceSnapshot | SourceList> | undefined {
    return subject === LIST_ID ? this.#list : this.#entries.get(subject);
  }

  /** Stores an answer; returns whether its pulse has changed. */
  storeAnswer(sourceId: string, pulse: ReadPulse | null, info: RequestInfo): boolean {
    this.#recordPulse(info.requestedAt);
    const changed = this.#entries.store(sourceId, pulse, info);
    if (this.entry(sourceId)?.fencingToken === info.fencingToken)
      this.#snapshotStore?.saveAnswer({ sourceId, pulse, requestedAtMs: info.requestedAtMs });
    return changed;
  }

  /** Stores the list, unless there is a newer one; returns whether it has changed. */
  storeList({ rows, unreadableRows }: SourceRows, { requestedAt, requestedAtMs, fencingToken }: RequestInfo): boolean {
    if (this.#list && this.#list.fencingToken > fencingToken) return false;
    const before = JSON.stringify(this.#list?.value.sources);
    this.ids.addListed(rows.map(({ id }) => id));
    const sources = this.#displayed(rows);
    this.#list = { value: { sources, requestedAtMs }, requestedAt, fencingToken, unreadableRows };
    this.#saveList();
    return JSON.stringify(sources) !== before;
  }

  /** The rows that readers may see, which all entries have from now on. */
  #displayed(rows: readonly ReadSource[]): readonly ReadSource[] {
    const displayed = rows.filter(({ id }) => this.ids.allowsListing(id));
    this.#entries.updateRows(displayed);
    return displayed;
  }

  /** Records how long the key has been refused, so that a restart does not extend the time of stale answers. */
  keyRefused(forMs: number | undefined): void {
    const sinceMs = forMs === undefined ? undefined : Math.round(this.#clock.wallNow() - forMs);
    if ((sinceMs === undefined) === (this.#refusedSinceMs === undefined)) return;
    this.#refusedSinceMs = sinceMs;
    this.#saveList();
  }

  /** Reads what an earlier process saved, which is not served before `restore()`; returns its account. */
  async load(): Promise<AccountFingerprint | undefined> {
    this.#saved = await this.#snapshotStore?.load();
    return this.#saved?.account;
  }

  /** Restores what was loaded; undefined where there is nothing. Newer answers stay. */
  restore(): Restored | undefined {
    const saved = this.#saved;
    if (!saved) return undefined;
    this.#saved = undefined;
    this.#snapshotStore?.resume();
    if (saved.list) this.#restoreList(saved.list);
    const snapshots = saved.answers.flatMap((answer) => this.#restoreAnswer(answer) ?? []);
    const refusedAt = this.#refusedSinceMs === undefined ? undefined : this.#monotonic(this.#refusedSinceMs);
    return { snapshots, refusedAt };
  }

  /** Records whose answers are stored from now on. */
  belongsTo(owner: AnswerOwner): void {
    this.#snapshotStore?.belongsTo(owner);
  }

  /** Drops everything but the ids that the operator names. */
  clear(): void {
    this.#saved = undefined;
    this.#list = undefined;
    this.#newestPulseAt = undefined;
    this.#refusedSinceMs = undefined;
    this.#entries.clear();
    this.ids.clear();
  }

  #restoreList({ discovered, sources, requestedAtMs, refusedSinceMs }: SavedList): void {
    this.ids.addListed([...discovered, ...(sources ?? []).map((row) => row.id)]);
    this.#refusedSinceMs = refusedSinceMs ?? undefined;
    if (!sources || this.#list) return;
    const value = { sources: this.#displayed(sources), requestedAtMs };
    this.#list = { value, requestedAt: this.#monotonic(requestedAtMs), fencingToken: 0, unreadableRows: 0 };
  }

  #restoreAnswer({ sourceId, pulse, requestedAtMs }: SavedAnswer): CacheEntry<SourceSnapshot> | undefined {
    if (this.#entries.get(sourceId)) return undefined;
    const info = { requestedAtMs, requestedAt: this.#monotonic(requestedAtMs), fencingToken: 0 };
    this.#recordPulse(info.requestedAt);
    this.#entries.store(sourceId, pulse, info);
    return this.entry(sourceId);
  }

  #recordPulse(requestedAt: number): void {
    this.#newestPulseAt = Math.max(this.#newestPulseAt ?? -Infinity, requestedAt);
  }

  #saveList(): void {
    this.#snapshotStore?.saveList({
      sources: this.#list ? [...this.#list.value.sources] : null,
      requestedAtMs: this.#list?.value.requestedAtMs ?? 0,
      discovered: [...this.ids.listed],
      refusedSinceMs: this.#refusedSinceMs ?? null,
    });
  }

  /** Converts a time of the wall clock to the monotonic clock; never in the future. */
  #monotonic(wallMs: number): number {
    return this.#clock.now() - Math.max(0, this.#clock.wallNow() - wallMs);
  }
}

/** The last good answers. */
export class EntryStore {
  readonly #entries = new LRUCache<string, CacheEntry<SourceSnapshot>>({
    maxSize: CAPACITY_BYTES,
    sizeCalculation: bytesOf,
  });
  #rows: ReadonlyMap<string, ReadSource> = new Map();

  get(sourceId: string): CacheEntry<SourceSnapshot> | undefined {
    return this.#entries.get(sourceId);
  }

  /** Stores an answer, unless there is a newer one; returns whether the pulse has changed. */
  store(sourceId: string, pulse: ReadPulse | null, { requestedAt, requestedAtMs, fencingToken }: RequestInfo): boolean {
    const before = this.get(sourceId);
    if (before && before.fencingToken > fencingToken) return false;
    const isSame = before !== undefined && isDeepStrictEqual(before.value.pulse, pulse);
    const snapshot: SourceSnapshot = {
      sourceId,
      pulse: isSame ? before.value.pulse : pulse,
      source: this.#rows.get(sourceId) ?? null,
      requestedAtMs,
    };
    this.#entries.set(sourceId, { value: snapshot, requestedAt, fencingToken });
    return !isSame;
  }

  clear(): void {
    this.#entries.clear();
    this.#rows = new Map();
  }

  /** Updates the rows of the list in all snapshots. */
  updateRows(sources: readonly ReadSource[]): void {
    const rows = new Map(sources.map((row) => [row.id, row]));
    this.#rows = rows;
    for (const [sourceId, entry] of Array.from(
      this.#entries.rentries() as Iterable<[string, CacheEntry<SourceSnapshot>]>,
    )) {
      const source = rows.get(sourceId) ?? null;
      if (!isDeepStrictEqual(entry.value.source, source))
        this.#entries.set(sourceId, { ...entry, value: { ...entry.value, source } });
    }
  }
}

function bytesOf({ value: { pulse, source } }: CacheEntry<SourceSnapshot>): number {
  let bytes = ENTRY_BYTES;
  for (const part of [pulse, source])
    for (const value of Object.values(part ?? {})) if (typeof value === 'string') bytes += 2 * value.length;
  return bytes;
}
