import { SourceStats } from './source-stats.ts';

/** So many failures in a row, whatever the source, are an outage of the upstream and no fault of the sources. */
const OUTAGE_FAILURES = 3;

/** A failing source is tried once in this time at the least, in ms; many of them share so many calls that others are not kept waiting. */
const MAX_BACKOFF_MS = 60_000;
const RETRIES_PER_BACKOFF = 9;

/** Share of the records that goes when there are too many: clearing a whole tenth makes it rare. */
const CLEARED_SHARE = 0.1;

/** What the planner knows of all sources, bounded: those nobody has looked at for longest go first. */
export class SourceStatsMap {
  readonly #statsMap = new Map<string, SourceStats>();
  readonly #max: number;
  #consecutiveFailures = 0;

  constructor(max: number) {
    this.#max = max;
  }

  [Symbol.iterator](): IterableIterator<[string, SourceStats]> {
    return this.#statsMap.entries();
  }

  /** The record of a source, where there is one. */
  find(id: string): SourceStats | undefined {
    return this.#statsMap.get(id);
  }

  /** The record of a source, begun now where there was none. */
  of(id: string, now: number): SourceStats {
    return this.#statsMap.get(id) ?? this.#begin(id, now);
  }

  forget(id: string): void {
    this.#statsMap.delete(id);
  }

  /** Records an answer; the first after an outage ends every source's rest. */
  recordRefresh(id: string, now: number, changed: boolean): void {
    this.of(id, now).recordRefresh(now, changed);
    if (this.#consecutiveFailures >= OUTAGE_FAILURES) for (const stats of this.#statsMap.values()) stats.endBackoff();
    this.#consecutiveFailures = 0;
  }

  /** Records that no answer came. */
  recordFailure(id: string, now: number): void {
    const failing = [...this.#statsMap.values()].filter(({ isFailing }) => isFailing).length;
    this.of(id, now).recordFailure(now, MAX_BACKOFF_MS * Math.max(1, failing / RETRIES_PER_BACKOFF));
    this.#consecutiveFailures += 1;
  }

  #begin(id: string, now: number): SourceStats {
    if (this.#statsMap.size >= this.#max) this.#clear();
    const stats = new SourceStats(now);
    this.#statsMap.set(id, stats);
    return stats;
  }

  #clear(): void {
    const bySeen = [...this.#statsMap].sort(([, one], [, other]) => seenAt(one) - seenAt(other));
    for (const [id] of bySeen.slice(0, Math.ceil(this.#max * CLEARED_SHARE))) this.#statsMap.delete(id);
  }
}

function seenAt(stats: SourceStats): number {
  return stats.views.readers > 0 ? Number.MAX_VALUE : Math.max(stats.seenAt, -Number.MAX_VALUE);
}
