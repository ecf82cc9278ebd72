import { isDeepStrictEqual } from 'node:util';
import type { ReadPulse, ReadSource } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { AnswerOwner, SourceRows, UpstreamRequest } from '../upstream/port.ts';
import type { RequestInfo } from '../upstream/upstream-fetcher.ts';
import type { SourceAllowlist } from './source-allowlist.ts';
import type { SavedAccount } from './account-guard.ts';
import type { SourceSnapshot, SourceList } from './port.ts';
import type { SavedAnswer, SavedList, SavedState, SnapshotStore } from './snapshot-store.ts';

/** Room for the answers of known sources, and for those of ids nobody vouches for, in bytes of their text. */
const KNOWN_CAPACITY_BYTES = 32 * 1024 * 1024;
const UNKNOWN_CAPACITY_BYTES = 1024 * 1024;
const UNKNOWN_CAPACITY_ENTRIES = 1_000;

/** What an entry weighs besides its text. */
const ENTRY_BYTES = 512;

/** An answer in the cache. */
export interface CacheEntry<Value> {
  readonly value: Value;
  /** When the upstream was asked, on the monotonic clock. */
  readonly askedAt: number;
  /** Ranks the call that brought the answer among all calls on its subject; 0 for an answer that a restart brought back. */
  readonly fencingToken: number;
}

/** The source list in the cache. */
export interface SourceListEntry extends CacheEntry<SourceList> {
  /** Rows that could not be read and are left out. */
  readonly unreadableRows: number;
}

/** The kind of request that answers a subject: a source id, or `LIST_ID`. */
export function kindOf(subject: string): UpstreamRequest['kind'] {
  return subject === LIST_ID ? 'sources' : 'pulse';
}

/** What a restart brought back. */
export interface Restored {
  readonly snapshots: readonly CacheEntry<SourceSnapshot>[];
  readonly list: SourceListEntry | undefined;
  /** When the upstream first refused the key, on the monotonic clock; undefined while it accepts it. */
  readonly refusedAt: number | undefined;
}

/** An answer to be stored. */
interface Answer extends RequestInfo {
  readonly pulse: ReadPulse | null;
}

/** All that is known: the cards, the list, the ids; in this process, and in files where there is a folder. */
export class CacheStore {
  readonly ids: SourceAllowlist;
  readonly #entries = new EntryStore();
  readonly #clock: Clock;
  readonly #snapshotStore: SnapshotStore | undefined;
  /** What an earlier process saved, until it is known whether the key in use is of the same account. */
  #saved: SavedState | undefined;
  #list: SourceListEntry | undefined;
  #refusedSinceMs: number | undefined;
  #hasAnswers = false;

  constructor(ids: SourceAllowlist, clock: Clock, snapshotStore: SnapshotStore | undefined) {
    this.ids = ids;
    this.#clock = clock;
    this.#snapshotStore = snapshotStore;
  }

  get list(): SourceListEntry | undefined {
    return this.#list;
  }

  /** Returns whether there was an answer of the service, here or elsewhere, or one of an earlier process that may be shown. */
  get hasAnswers(): boolean {
    return this.#hasAnswers;
  }

  /** Records that what an earlier process left may be shown. */
  markUsable(): void {
    this.#hasAnswers = true;
  }

  entry(sourceId: string): CacheEntry<SourceSnapshot> | undefined {
    return this.#entries.get(sourceId);
  }

  /** The entry of a source, or of the list for `LIST_ID`. */
  entryOf(subject: string): CacheEntry<SourceSnapshot | SourceList> | undefined {
    return subject === LIST_ID ? this.#list : this.#entries.get(subject);
  }

  /** Keeps an answer; returns the card where its pulse is another than before. */
  storeAnswer(sourceId: string, pulse: ReadPulse | null, asked: RequestInfo): SourceSnapshot | undefined {
    this.#hasAnswers = true;
    if (pulse && this.ids.discover(sourceId)) this.#saveList();
    const isKnown = this.ids.has(sourceId);
    const changed = this.#entries.store(sourceId, { ...asked, pulse }, isKnown ? 'known' : 'unknown');
    if (isKnown && this.entry(sourceId)?.fencingToken === asked.fencingToken)
      this.#snapshotStore?.saveAnswer({ sourceId, pulse, requestedAtMs: asked.requestedAtMs });
    return changed ? this.entry(sourceId)?.value : undefined;
  }

  /** Keeps the list, unless a newer one is there; says whether it is another than before. */
  storeList({ rows, unreadableRows }: SourceRows, { askedAt, requestedAtMs, fencingToken }: RequestInfo): boolean {
    this.#hasAnswers = true;
    if (this.#list && this.#list.fencingToken > fencingToken) return false;
    const sources = rows.filter(({ id }) => this.ids.allowsListing(id));
    const changed = JSON.stringify(this.#list?.value.sources) !== JSON.stringify(sources);
    this.ids.addListed(rows.map(({ id }) => id));
    this.#list = { value: { sources, requestedAtMs }, askedAt, fencingToken, unreadableRows };
    if (changed) this.#entries.updateRows(new Map(sources.map((row) => [row.id, row])));
    this.#saveList();
    return changed;
  }

  /** Records since when the key has been refused, so that a restart does not begin to trust anew. */
  keyRefused(forMs: number | undefined): void {
    const sinceMs = forMs === undefined ? undefined : Math.round(this.#clock.wallNow() - forMs);
    if ((sinceMs === undefined) === (this.#refusedSinceMs === undefined)) return;
    this.#refusedSinceMs = sinceMs;
    this.#saveList();
  }

  /** Reads what an earlier process left, which is not served before `restore()`; whose it is, where there is anything. */
  async load(): Promise<SavedAccount | undefined> {
    this.#saved = await this.#snapshotStore?.load();
    return this.#saved?.account;
  }

  /** Takes up what was read; undefined where there is nothing. What was answered meanwhile stays. */
  restore(): Restored | undefined {
    const saved = this.#saved;
    if (!saved) return undefined;
    this.#saved = undefined;
    this.#snapshotStore?.resume();
    if (saved.list) this.#restoreList(saved.list);
    const snapshots = saved.answers.flatMap((answer) => this.#restoreAnswer(answer) ?? []);
    const refusedAt = this.#refusedSinceMs === undefined ? undefined : this.#monotonic(this.#refusedSinceMs);
    return { snapshots, list: this.#list, refusedAt };
  }

  /** Says whose answers are kept from now on. */
  belongsTo(owner: AnswerOwner): void {
    this.#snapshotStore?.belongsTo(owner);
  }

  /** Drops all that is known but the ids that the operator names. */
  clear(): void {
    this.#saved = undefined;
    this.#list = undefined;
    this.#hasAnswers = false;
    this.#refusedSinceMs = undefined;
    this.#entries.clear();
    this.ids.clear();
  }

  #restoreList({ discovered, sources, requestedAtMs, refusedSinceMs }: SavedList): void {
    for (const id of [...discovered, ...(sources ?? []).map((row) => row.id)]) this.#discovered(id);
    this.#refusedSinceMs = refusedSinceMs ?? undefined;
    if (!sources || this.#list) return;
    const displayed = sources.filter(({ id }) => this.ids.allowsListing(id));
    const askedAt = this.#monotonic(requestedAtMs);
    this.#list = { value: { sources: displayed, requestedAtMs }, askedAt, fencingToken: 0, unreadableRows: 0 };
    this.#entries.updateRows(new Map(displayed.map((row) => [row.id, row])));
  }

  #restoreAnswer({ sourceId, pulse, requestedAtMs }: SavedAnswer): CacheEntry<SourceSnapshot> | undefined {
    // Only answers of known sources are written down.
    this.#discovered(sourceId);
    if (!this.ids.has(sourceId) || this.#entries.get(sourceId)) return undefined;
    const answer = { pulse, requestedAtMs, askedAt: this.#monotonic(requestedAtMs), fencingToken: 0 };
    this.#entries.store(sourceId, answer, 'known');
    return this.entry(sourceId);
  }

  #discovered(sourceId: string): void {
    this.ids.addListed([sourceId]);
    this.ids.discover(sourceId);
  }

  #saveList(): void {
    this.#snapshotStore?.saveList({
      sources: this.#list ? [...this.#list.value.sources] : null,
      requestedAtMs: this.#list?.value.requestedAtMs ?? 0,
      discovered: [...this.ids.discovered],
      refusedSinceMs: this.#refusedSinceMs ?? null,
    });
  }

  /** A moment of the wall clock on the monotonic one; never in the future. */
  #monotonic(wallMs: number): number {
    return this.#clock.now() - Math.max(0, this.#clock.wallNow() - wallMs);
  }
}

/** The last good answers: of known sources, and apart from them, so that nobody is evicted, of unknown ids. */
export class EntryStore {
  readonly #known = new LRUCache<string, CacheEntry<SourceSnapshot>>({
    maxSize: KNOWN_CAPACITY_BYTES,
    sizeCalculation: bytesOf,
  });
  readonly #unknowns = new LRUCache<string, CacheEntry<SourceSnapshot>>({
    max: UNKNOWN_CAPACITY_ENTRIES,
    maxSize: UNKNOWN_CAPACITY_BYTES,
    sizeCalculation: bytesOf,
  });
  #rows: ReadonlyMap<string, ReadSource> = new Map();

  get(sourceId: string): CacheEntry<SourceSnapshot> | undefined {
    return this.#known.get(sourceId) ?? this.#unknowns.get(sourceId);
  }

  /** Keeps an answer, unless a newer one is there; says whether the pulse is another than before. */
  store(
    sourceId: string,
    { pulse, askedAt, requestedAtMs, fencingToken }: Answer,
    owner: 'known' | 'unknown',
  ): boolean {
    const before = this.get(sourceId);
    if (before && before.fencingToken > fencingToken) return false;
    const isSame = before !== undefined && isDeepStrictEqual(before.value.pulse, pulse);
    const snapshot: SourceSnapshot = {
      sourceId,
      pulse: isSame ? before.value.pulse : pulse,
      source: this.#rows.get(sourceId) ?? null,
      requestedAtMs,
    };
    const [shelf, other] = owner === 'known' ? [this.#known, this.#unknowns] : [this.#unknowns, this.#known];
    other.delete(sourceId);
    shelf.set(sourceId, { value: snapshot, askedAt, fencingToken });
    return !isSame;
  }

  clear(): void {
    this.#known.clear();
    this.#unknowns.clear();
    this.#rows = new Map();
  }

  /** Records the rows of the list: cards whose row is another become new ones. */
  updateRows(rows: ReadonlyMap<string, ReadSource>): void {
    this.#rows = rows;
    for (const shelf of [this.#known, this.#unknowns])
      for (const [sourceId, entry] of Array.from(shelf.rentries() as Iterable<[string, CacheEntry<SourceSnapshot>]>)) {
        const source = rows.get(sourceId) ?? null;
        if (!isDeepStrictEqual(entry.value.source, source))
          shelf.set(sourceId, { ...entry, value: { ...entry.value, source } });
      }
  }
}

function bytesOf({ value: { pulse, source } }: CacheEntry<SourceSnapshot>): number {
  let bytes = ENTRY_BYTES;
  for (const part of [pulse, source])
    for (const value of Object.values(part ?? {})) if (typeof value === 'string') bytes += 2 * value.length;
  return bytes;
}
