import { isDeepStrictEqual } from 'node:util';
import type { ReadPulse, ReadSource } from '@pulse-card/contract';
import type { SourceRows } from '../upstream/target.ts';
import type { Entry } from './entry.ts';

/** A source as readers see it. Immutable: each change creates a new object. */
export interface SourceSnapshot {
  readonly sourceId: string;
  /** Null if the service responded that there is none. */
  readonly pulse: ReadPulse | null;
  /** The source's row in the list; null if the source isn't listed. */
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

/** One router's snapshots. As long as nothing changes, they are the same objects. */
export class Snapshots {
  list: SourceList | undefined;
  #rows: ReadonlyMap<string, ReadSource> = new Map();
  #snapshots = new WeakMap<Entry, SourceSnapshot>();

  /** A source's row in the list; undefined if the source isn't listed. */
  row(sourceId: string): ReadSource | undefined {
    return this.#rows.get(sourceId);
  }

  of(sourceId: string, entry: Entry): SourceSnapshot {
    const known = this.#snapshots.get(entry);
    const source = this.row(sourceId) ?? null;
    if (known !== undefined && known.source === source) return known;
    const pulse = entry.value as ReadPulse | null;
    const snapshot = { sourceId, pulse, source, requestedAtMs: entry.requestedAtMs };
    this.#snapshots.set(entry, snapshot);
    return snapshot;
  }

  /** Uses a new list. `mayList`: whether the list may show an ID. */
  useList({ rows, unreadableRows }: SourceRows, requestedAtMs: number, mayList: (id: string) => boolean): void {
    const sources = rows
      .filter(({ id }) => mayList(id))
      .map((row) => {
        const before = this.row(row.id);
        return before !== undefined && isDeepStrictEqual(before, row) ? before : row;
      });
    this.list = { sources, unreadableRows, requestedAtMs };
    this.#rows = new Map(sources.map((row) => [row.id, row]));
  }

  clear(): void {
    this.list = undefined;
    this.#rows = new Map();
    this.#snapshots = new WeakMap();
  }
}
