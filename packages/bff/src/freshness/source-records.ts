import { SourceRecord } from './source-record.ts';

/** So many failures in a row, whatever the source, are an outage of the upstream and no fault of the sources. */
const OUTAGE_FAILURES = 3;

/** A failing source is tried once in this time at the least, in ms; many of them share so many calls that others are not kept waiting. */
const LONGEST_REST_MS = 60_000;
const RETRIES_PER_REST = 9;

/** Share of the records that goes when there are too many: clearing a whole tenth makes it rare. */
const CLEARED_SHARE = 0.1;

/** What the planner knows of all sources, bounded: those nobody has looked at for longest go first. */
export class SourceRecords {
  readonly #records = new Map<string, SourceRecord>();
  readonly #most: number;
  #failuresInARow = 0;

  constructor(most: number) {
    this.#most = most;
  }

  [Symbol.iterator](): IterableIterator<[string, SourceRecord]> {
    return this.#records.entries();
  }

  /** The record of a source, where there is one. */
  find(id: string): SourceRecord | undefined {
    return this.#records.get(id);
  }

  /** The record of a source, begun now where there was none. */
  of(id: string, now: number): SourceRecord {
    return this.#records.get(id) ?? this.#begin(id, now);
  }

  forget(id: string): void {
    this.#records.delete(id);
  }

  /** Takes in an answer; the first after an outage ends every source's rest. */
  refreshed(id: string, now: number, changed: boolean): void {
    this.of(id, now).refreshed(now, changed);
    if (this.#failuresInARow >= OUTAGE_FAILURES) for (const record of this.#records.values()) record.rested();
    this.#failuresInARow = 0;
  }

  /** Takes in that no answer came. */
  failed(id: string, now: number): void {
    const failing = [...this.#records.values()].filter(({ isFailing }) => isFailing).length;
    this.of(id, now).failed(now, LONGEST_REST_MS * Math.max(1, failing / RETRIES_PER_REST));
    this.#failuresInARow += 1;
  }

  #begin(id: string, now: number): SourceRecord {
    if (this.#records.size >= this.#most) this.#clear();
    const record = new SourceRecord(now);
    this.#records.set(id, record);
    return record;
  }

  #clear(): void {
    const bySeen = [...this.#records].sort(([, one], [, other]) => seenAt(one) - seenAt(other));
    for (const [id] of bySeen.slice(0, Math.ceil(this.#most * CLEARED_SHARE))) this.#records.delete(id);
  }
}

function seenAt(record: SourceRecord): number {
  return record.views.readers > 0 ? Number.MAX_VALUE : Math.max(record.seenAt, -Number.MAX_VALUE);
}
