import { isDeepStrictEqual } from 'node:util';
import type { ReadPulse, ReadSource } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { RefreshPlanner } from '../planner/refresh-planner.ts';
import { type Answer, RESTORED_TOKEN } from '../upstream/answer.ts';
import { type Content, isList, LIST_ID, type SourceRows } from '../upstream/subject.ts';
import type { AnswerFolder } from './answer-folder.ts';
import { ALL_FIELDS, type ExposedFields, exposedPart } from './kept-fields.ts';
import type { SourceAllowlist } from './source-allowlist.ts';

/**
 * A source in the cache. The object is immutable: each change creates a new one, so that representations can be cached
 * by identity.
 */
export interface SourceSnapshot {
  readonly sourceId: string;
  /** The latest pulse; null if the upstream answered that there is none. */
  readonly pulse: ReadPulse | null;
  /** The source's row on the list; null if the source isn't on the list. */
  readonly source: ReadSource | null;
  /** When the pulse was requested, in milliseconds since the Unix epoch. */
  readonly requestedAtMs: number;
}

/** The list of sources in the cache. Immutable. */
export interface SourceList {
  readonly sources: readonly ReadSource[];
  /** How many rows couldn't be read and were left out. */
  readonly unreadableRows: number;
  readonly requestedAtMs: number;
}

/** Capacity for pulses, in bytes of text. */
const CAPACITY_BYTES = 32 * 1024 * 1024;

/** The size of an entry, not counting its text. */
const ENTRY_BYTES = 512;

/** An answer in the cache, about a source or the list of sources. */
export type Entry = Answer<SourceSnapshot | SourceList>;

export interface EntriesOptions {
  /** The ids that readers may request. */
  readonly ids: SourceAllowlist;
  /** Uses the answers to estimate how often sources change. */
  readonly planner?: Pick<RefreshPlanner, 'recordRefresh'> | undefined;
  /** The fields that readers get. Other fields aren't kept. @default all */
  readonly exposed?: ExposedFields | undefined;
  /** Keeps answers across restarts. @default answers are kept only in memory */
  readonly folder?: AnswerFolder | undefined;
  /** Called with each answer for a source that is stored. */
  readonly onStored?: ((snapshot: SourceSnapshot) => void) | undefined;
}

/** The last good answers and the known ids, in memory. New answers and ids are saved to the state folder. */
export class Entries {
  readonly ids: SourceAllowlist;
  readonly #options: EntriesOptions;
  readonly #snapshots = new LRUCache<string, Answer<SourceSnapshot>>({
    maxSize: CAPACITY_BYTES,
    sizeCalculation: bytesOf,
  });
  #list: Answer<SourceList> | undefined;
  #rows: ReadonlyMap<string, ReadSource> = new Map();
  #newest: Answer<SourceSnapshot> | undefined;

  constructor(options: EntriesOptions) {
    this.ids = options.ids;
    this.#options = options;
  }

  get list(): Answer<SourceList> | undefined {
    return this.#list;
  }

  /** The most recently requested entry of a source; undefined if there is none. */
  get newest(): Answer<SourceSnapshot> | undefined {
    return this.#newest;
  }

  get(sourceId: string): Answer<SourceSnapshot> | undefined {
    return this.#snapshots.get(sourceId);
  }

  of(subject: string): Entry | undefined {
    return subject === LIST_ID ? this.#list : this.#snapshots.get(subject);
  }

  /** Stores an answer, unless a newer one is already stored. Returns the current entry. */
  store(subject: string, answer: Answer<Content>): Entry {
    const { planner, exposed = ALL_FIELDS } = this.#options;
    const before = this.of(subject);
    const isNewest = before === undefined || before.fencingToken <= answer.fencingToken;
    const value = exposedPart(answer.value, exposed);
    const stored = isNewest ? this.#store(subject, { ...answer, value }) : { entry: before, changed: false };
    planner?.recordRefresh(subject, answer.requestedAt, { changed: stored.changed });
    return stored.entry;
  }

  #store(subject: string, answer: Answer<Content>): Stored {
    const { value } = answer;
    return isList(value) ? this.#storeList(value, answer) : this.#storePulse(subject, value, answer);
  }

  #storePulse(sourceId: string, pulse: ReadPulse | null, answer: Answer<Content>): Stored {
    const { folder, onStored } = this.#options;
    const { requestedAt, requestedAtMs, fencingToken } = answer;
    const before = this.get(sourceId);
    const isSame = before !== undefined && isDeepStrictEqual(before.value.pulse, pulse);
    const source = this.#rows.get(sourceId) ?? null;
    const value = { sourceId, pulse: isSame ? before.value.pulse : pulse, source, requestedAtMs };
    const entry = { value, requestedAt, requestedAtMs, fencingToken };
    this.#snapshots.set(sourceId, entry);
    if (requestedAt >= (this.#newest?.requestedAt ?? -Infinity)) this.#newest = entry;
    if (!isRestored(answer)) folder?.save(sourceId, answer);
    onStored?.(value);
    return { entry, changed: !isSame };
  }

  #storeList({ rows, unreadableRows, discovered = [] }: SourceRows, answer: Answer<Content>): Stored {
    const { requestedAt, requestedAtMs, fencingToken } = answer;
    const before = this.#list?.value.sources;
    this.ids.addListed([...discovered, ...rows.map(({ id }) => id)]);
    const sources = rows.filter(({ id }) => this.ids.allowsListing(id));
    const entry = { value: { sources, unreadableRows, requestedAtMs }, requestedAt, requestedAtMs, fencingToken };
    this.#list = entry;
    this.#updateRows(sources);
    const saved = { rows: sources, unreadableRows, discovered: [...this.ids.listed] };
    if (!isRestored(answer)) this.#options.folder?.save(LIST_ID, { ...answer, value: saved });
    return { entry, changed: !isDeepStrictEqual(sources, before) };
  }

  /** Drops all answers, and all ids except the ones that the operator names. */
  clear(): void {
    this.#list = undefined;
    this.#newest = undefined;
    this.#rows = new Map();
    this.#snapshots.clear();
    this.ids.clear();
  }

  /** Updates the list's rows in all snapshots. */
  #updateRows(sources: readonly ReadSource[]): void {
    this.#rows = new Map(sources.map((row) => [row.id, row]));
    for (const [sourceId, entry] of Array.from(
      this.#snapshots.rentries() as Iterable<[string, Answer<SourceSnapshot>]>,
    )) {
      const source = this.#rows.get(sourceId) ?? null;
      if (!isDeepStrictEqual(entry.value.source, source))
        this.#snapshots.set(sourceId, { ...entry, value: { ...entry.value, source } });
    }
  }
}

/** The stored entry, and whether it differs from the previous one. */
interface Stored {
  readonly entry: Entry;
  readonly changed: boolean;
}

/** Whether the answer was restored after a restart. A restored answer has already been saved. */
function isRestored({ fencingToken }: Answer<unknown>): boolean {
  return fencingToken === RESTORED_TOKEN;
}

function bytesOf({ value: { pulse, source } }: Answer<SourceSnapshot>): number {
  let bytes = ENTRY_BYTES;
  for (const part of [pulse, source])
    for (const value of Object.values(part ?? {})) if (typeof value === 'string') bytes += 2 * value.length;
  return bytes;
}
