import {
  type ChangeRate,
  changesPerMs,
  expectedStaleness,
  UNKNOWN_CHANGE_RATE,
  updatePosterior,
  whittleIndex,
} from './staleness.ts';

/** Views that are remembered: the rate is known to a fifth, and a burst is noticed within so many views. */
const REMEMBERED_VIEWS = 24;

/** The shortest time that a rate is taken over, in ms: one view in the first second is not a burst. */
const VIEW_PRIOR_MS = 60_000;

/** A reader with an open live stream counts as one view in this time. */
const LIVE_LOOK_MS = 30_000;

/** The recent rate of views of a source; counting a view allocates nothing. */
export class ViewRate {
  #views = 0;
  #countedMs = VIEW_PRIOR_MS;
  #at: number;
  #readers = 0;

  constructor(now: number) {
    this.#at = now;
  }

  /** Readers with an open live stream. */
  get readers(): number {
    return this.#readers;
  }

  /** Counts one view at `now`. */
  recordView(now: number): void {
    this.#countedMs += Math.max(0, now - this.#at);
    this.#at = Math.max(now, this.#at);
    this.#views += 1;
    if (this.#views <= REMEMBERED_VIEWS) return;
    this.#countedMs *= REMEMBERED_VIEWS / this.#views;
    this.#views = REMEMBERED_VIEWS;
  }

  /** Records how many live streams are open. */
  setWatchers(readers: number): void {
    this.#readers = readers;
  }

  /** The estimated views per ms at `now`, those of open streams included. */
  perMs(now: number): number {
    const unviewedMs = Math.max(0, now - this.#at);
    return this.#views / (this.#countedMs + unviewedMs) + this.#readers / LIVE_LOOK_MS;
  }
}

/** A source without a view for this long is refreshed by plan at most once an hour. */
const RARE_AFTER_MS = 1_800_000;
const RARE_AGE_MS = 3_600_000;

/** A source without a view for this long is not refreshed by plan. */
const UNVIEWED_AFTER_MS = 86_400_000;

/** A call without an answer after this long counts as lost. */
const REQUEST_LOST_MS = 60_000;

/** What the planner knows of one source. */
export class SourceStats {
  readonly views: ViewRate;
  #changes: ChangeRate = UNKNOWN_CHANGE_RATE;
  #refreshedAt: number | undefined;
  #attemptedAt: number | undefined;
  #seenAt = -Infinity;
  #failedAt: number | undefined;

  constructor(now: number) {
    this.views = new ViewRate(now);
  }

  /** Records a view. */
  recordView(now: number): void {
    this.views.recordView(now);
    this.#seenAt = now;
  }

  /** Records how many live streams show the source. */
  setWatchers(readers: number, now: number): void {
    if (this.views.readers > 0 || readers > 0) this.#seenAt = now;
    this.views.setWatchers(readers);
  }

  /** Records that a call is sent. */
  recordAttempt(now: number): void {
    this.#attemptedAt = now;
  }

  /** Records an answer, which is as old as its request. */
  recordRefresh(now: number, changed: boolean): void {
    const at = this.isInFlight(now) ? (this.#attemptedAt ?? now) : now;
    if (this.#refreshedAt !== undefined)
      this.#changes = updatePosterior(this.#changes, at - this.#refreshedAt, changed);
    this.#refreshedAt = at;
    this.#attemptedAt = undefined;
    this.#failedAt = undefined;
  }

  /** Records that a call failed. */
  recordFailure(now: number): void {
    this.#attemptedAt = undefined;
    this.#failedAt = now;
  }

  /** When the last call failed, in ms; undefined after an answer. */
  get failedAt(): number | undefined {
    return this.#failedAt;
  }

  get isFailing(): boolean {
    return this.#failedAt !== undefined;
  }

  /** When the last answer was requested, in ms; undefined before the first answer. */
  get refreshedAt(): number | undefined {
    return this.#refreshedAt;
  }

  /** When the source was last viewed, in ms. */
  get seenAt(): number {
    return this.#seenAt;
  }

  get changesPerMs(): number {
    return changesPerMs(this.#changes);
  }

  isInFlight(now: number): boolean {
    return this.#attemptedAt !== undefined && now - this.#attemptedAt < REQUEST_LOST_MS;
  }

  /** Returns whether the source was viewed within the last `forMs`, or is watched now. */
  wasViewedWithin(now: number, forMs: number): boolean {
    return this.views.readers > 0 || now - this.#seenAt < forMs;
  }

  /** The age below which the source is not refreshed by plan, in ms: higher after half an hour without views, Infinity after a day. */
  minAgeMs(now: number, minAgeMs: number): number {
    if (this.wasViewedWithin(now, RARE_AFTER_MS)) return minAgeMs;
    const rare = this.#refreshedAt !== undefined && this.wasViewedWithin(now, UNVIEWED_AFTER_MS);
    return rare ? Math.max(minAgeMs, RARE_AGE_MS) : Infinity;
  }

  /** Returns whether a planned refresh is possible at `now`, whatever its value. */
  isDue(now: number, minAgeMs: number): boolean {
    if (this.isInFlight(now)) return false;
    const dueAgeMs = this.minAgeMs(now, minAgeMs);
    return dueAgeMs !== Infinity && this.ageMs(now) >= dueAgeMs;
  }

  /** Time since the last answer was requested, in ms; Infinity before the first. */
  ageMs(now: number): number {
    return this.#refreshedAt === undefined ? Infinity : Math.max(0, now - this.#refreshedAt);
  }

  /** The staleness that a refresh at `now` saves all later readers, in reader-ms; Infinity before the first answer. */
  refreshValue(now: number): number {
    const ageMs = this.ageMs(now);
    return ageMs === Infinity ? Infinity : whittleIndex(this.views.perMs(now), this.changesPerMs, ageMs);
  }

  /** Expected staleness of the copy at `now`, in ms; Infinity before the first answer. */
  staleness(now: number): number {
    const ageMs = this.ageMs(now);
    return ageMs === Infinity ? Infinity : expectedStaleness(this.changesPerMs, ageMs);
  }
}

/** Share of the records that is removed when there are too many. */
const CLEARED_SHARE = 0.1;

/** What the planner knows of all sources, bounded: the least recently viewed are removed first. */
export class SourceStatsMap {
  readonly #statsMap = new Map<string, SourceStats>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  [Symbol.iterator](): IterableIterator<[string, SourceStats]> {
    return this.#statsMap.entries();
  }

  /** The record of a source, if there is one. */
  find(id: string): SourceStats | undefined {
    return this.#statsMap.get(id);
  }

  /** The record of a source; a new one if there is none. */
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
