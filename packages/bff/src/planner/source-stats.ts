import {
  type ChangeRate,
  changesPerMs,
  expectedStaleness,
  UNKNOWN_CHANGE_RATE,
  updatePosterior,
  ViewRate,
  whittleIndex,
} from './estimators.ts';

/** A source nobody has looked at for this long is refreshed by plan once an hour at most, */
const RARE_AFTER_MS = 1_800_000;
const RARE_AGE_MS = 3_600_000;

/** and after this long not at all, until somebody looks again. */
const UNVIEWED_AFTER_MS = 86_400_000;

/** An answer that is not there after this long never comes. */
const REQUEST_LOST_MS = 60_000;

/** What the planner knows of one source. */
export class SourceStats {
  readonly views: ViewRate;
  #changes: ChangeRate = UNKNOWN_CHANGE_RATE;
  #refreshedAt: number | undefined;
  #attemptedAt: number | undefined;
  #seenAt = -Infinity;

  constructor(now: number) {
    this.views = new ViewRate(now);
  }

  /** Records that a reader looked. */
  recordView(now: number): void {
    this.views.recordView(now);
    this.#seenAt = now;
  }

  /** Records how many live streams show the source. */
  setWatchers(readers: number, now: number): void {
    if (this.views.readers > 0 || readers > 0) this.#seenAt = now;
    this.views.setWatchers(readers);
  }

  /** Records that a call leaves. */
  recordAttempt(now: number): void {
    this.#attemptedAt = now;
  }

  /** Records an answer; it is as old as the question. */
  recordRefresh(now: number, changed: boolean): void {
    const at = this.isInFlight(now) ? (this.#attemptedAt ?? now) : now;
    if (this.#refreshedAt !== undefined)
      this.#changes = updatePosterior(this.#changes, at - this.#refreshedAt, changed);
    this.#refreshedAt = at;
    this.#attemptedAt = undefined;
  }

  /** Records that no answer came. */
  recordFailure(): void {
    this.#attemptedAt = undefined;
  }

  /** When the last answer was requested, in ms; undefined before the first answer. */
  get refreshedAt(): number | undefined {
    return this.#refreshedAt;
  }

  /** When somebody last looked, in ms. */
  get seenAt(): number {
    return this.#seenAt;
  }

  get changesPerMs(): number {
    return changesPerMs(this.#changes);
  }

  /** How long the call has been under way at `now`, in ms; undefined where none is. */
  inFlightForMs(now: number): number | undefined {
    return this.isInFlight(now) ? now - (this.#attemptedAt ?? now) : undefined;
  }

  isInFlight(now: number): boolean {
    return this.#attemptedAt !== undefined && now - this.#attemptedAt < REQUEST_LOST_MS;
  }

  /** Returns whether anybody has looked within the last `forMs`, or is looking now. */
  wasViewedWithin(now: number, forMs: number): boolean {
    return this.views.readers > 0 || now - this.#seenAt < forMs;
  }

  /** The age below which the source is not refreshed by plan, in ms: it grows where nobody looks. */
  minAgeAt(now: number, minAgeMs: number): number {
    if (this.wasViewedWithin(now, RARE_AFTER_MS)) return minAgeMs;
    const rare = this.#refreshedAt !== undefined && this.wasViewedWithin(now, UNVIEWED_AFTER_MS);
    return rare ? Math.max(minAgeMs, RARE_AGE_MS) : Infinity;
  }

  /** Returns whether a refresh by plan may take place at `now`, whatever it is worth. */
  isDue(now: number, minAgeMs: number): boolean {
    if (this.isInFlight(now)) return false;
    const minAgeAt = this.minAgeAt(now, minAgeMs);
    return minAgeAt !== Infinity && this.ageMs(now) >= minAgeAt;
  }

  /** Time since the last answer was requested, in ms; Infinity before the first. */
  ageMs(now: number): number {
    return this.#refreshedAt === undefined ? Infinity : Math.max(0, now - this.#refreshedAt);
  }

  /** What a refresh at `now` buys all later readers, in reader-ms; Infinity before the first answer. */
  refreshValue(now: number): number {
    const ageMs = this.ageMs(now);
    return ageMs === Infinity ? Infinity : whittleIndex(this.views.perMs(now), this.changesPerMs, ageMs);
  }

  /** How stale the copy is that a reader gets at `now`, in ms (expected); Infinity before the first answer. */
  staleness(now: number): number {
    const ageMs = this.ageMs(now);
    return ageMs === Infinity ? Infinity : expectedStaleness(this.changesPerMs, ageMs);
  }
}

/** Share of the records that goes when there are too many: clearing a whole tenth makes it rare. */
const CLEARED_SHARE = 0.1;

/** What the planner knows of all sources, bounded: those nobody has looked at for longest go first. */
export class SourceStatsMap {
  readonly #statsMap = new Map<string, SourceStats>();
  readonly #max: number;

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
