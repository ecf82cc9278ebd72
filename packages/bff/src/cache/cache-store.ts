import type { ReadPulse } from '@pulse-card/contract';
import type { Clock } from '../clock.ts';
import type { AnswerOwner, SourceRows } from '../upstream/port.ts';
import type { FetchSuccess } from '../upstream/upstream-fetcher.ts';
import { type CacheEntry, EntryStore } from './entry-store.ts';
import type { SourceAllowlist } from './source-allowlist.ts';
import type { SavedAccount } from './account-guard.ts';
import type { SourceSnapshot, SourceList } from './port.ts';
import type { SavedAnswer, SavedList, SavedState, SnapshotStore } from './snapshot-store.ts';

/** The list as it is kept. */
export interface SourceListEntry {
  readonly list: SourceList;
  /** When the upstream was asked, on the monotonic clock. */
  readonly askedAt: number;
  readonly fencingToken: number;
  /** Rows that could not be read, and are left out. */
  readonly unreadableRows: number;
}

/** What a restart brought back. */
export interface Restored {
  readonly snapshots: readonly CacheEntry[];
  readonly list: SourceListEntry | undefined;
  /** Since when the key has been refused, where it is, on the monotonic clock. */
  readonly refusedAt: number | undefined;
}

/** When a question was put, and how its answer ranks. */
type RequestInfo = Pick<FetchSuccess<unknown>, 'askedAt' | 'requestedAtMs' | 'fencingToken'>;

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

  snapshot(sourceId: string): CacheEntry | undefined {
    return this.#entries.get(sourceId);
  }

  /** Keeps an answer; returns the card where its pulse is another than before. */
  storeAnswer(sourceId: string, pulse: ReadPulse | null, asked: RequestInfo): SourceSnapshot | undefined {
    this.#hasAnswers = true;
    if (pulse && this.ids.discover(sourceId)) this.#saveList();
    const isKnown = this.ids.has(sourceId);
    const changed = this.#entries.store(sourceId, { ...asked, pulse }, isKnown ? 'known' : 'unknown');
    if (isKnown && this.snapshot(sourceId)?.fencingToken === asked.fencingToken)
      this.#snapshotStore?.saveAnswer({ sourceId, pulse, requestedAtMs: asked.requestedAtMs });
    return changed ? this.snapshot(sourceId)?.snapshot : undefined;
  }

  /** Keeps the list, unless a newer one is there; says whether it is another than before. */
  storeList({ rows, unreadableRows }: SourceRows, { askedAt, requestedAtMs, fencingToken }: RequestInfo): boolean {
    this.#hasAnswers = true;
    if (this.#list && this.#list.fencingToken > fencingToken) return false;
    const sources = rows.filter(({ id }) => this.ids.allowsListing(id));
    const changed = JSON.stringify(this.#list?.list.sources) !== JSON.stringify(sources);
    this.ids.addListed(rows.map(({ id }) => id));
    this.#list = { list: { sources, requestedAtMs }, askedAt, fencingToken, unreadableRows };
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
    this.#list = { list: { sources: displayed, requestedAtMs }, askedAt, fencingToken: 0, unreadableRows: 0 };
    this.#entries.updateRows(new Map(displayed.map((row) => [row.id, row])));
  }

  #restoreAnswer({ sourceId, pulse, requestedAtMs }: SavedAnswer): CacheEntry | undefined {
    // Only answers of known sources are written down.
    this.#discovered(sourceId);
    if (!this.ids.has(sourceId) || this.#entries.get(sourceId)) return undefined;
    const answer = { pulse, requestedAtMs, askedAt: this.#monotonic(requestedAtMs), fencingToken: 0 };
    this.#entries.store(sourceId, answer, 'known');
    return this.snapshot(sourceId);
  }

  #discovered(sourceId: string): void {
    this.ids.addListed([sourceId]);
    this.ids.discover(sourceId);
  }

  #saveList(): void {
    this.#snapshotStore?.saveList({
      sources: this.#list ? [...this.#list.list.sources] : null,
      requestedAtMs: this.#list?.list.requestedAtMs ?? 0,
      discovered: [...this.ids.discovered],
      refusedSinceMs: this.#refusedSinceMs ?? null,
    });
  }

  /** A moment of the wall clock on the monotonic one; never in the future. */
  #monotonic(wallMs: number): number {
    return this.#clock.now() - Math.max(0, this.#clock.wallNow() - wallMs);
  }
}
