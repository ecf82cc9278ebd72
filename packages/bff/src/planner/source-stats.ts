import {
  type ChangeRate,
  changesPerMs,
  expectedStaleness,
  UNKNOWN_CHANGE_RATE,
  updatePosterior,
  whittleIndex,
} from './staleness.ts';

/**
 * How many views are remembered. With 24 views, the rate is accurate to about a fifth, and a burst shows within 24
 * views.
 */
const REMEMBERED_VIEWS = 24;

/**
 * The shortest time over which a rate is measured, in ms. Without this minimum, a single view in the first second would
 * count as a burst.
 */
const VIEW_PRIOR_MS = 60_000;

/** A source without a view for this long is refreshed on schedule at most once an hour. */
const RARE_AFTER_MS = 1_800_000;
const RARE_AGE_MS = 3_600_000;

/** A source without a view for this long isn't refreshed on schedule. */
const UNVIEWED_AFTER_MS = 86_400_000;

/** A call that has no answer after this time is considered lost. */
const REQUEST_LOST_MS = 60_000;

/** The statistics of one source. Counting a view allocates nothing. */
export class SourceStats {
  #views = 0;
  #countedMs = VIEW_PRIOR_MS;
  /** The time of the last view, or the start time if there was none. */
  #viewedAt: number;
  #changes: ChangeRate = UNKNOWN_CHANGE_RATE;
  #refreshedAt: number | undefined;
  #attemptedAt: number | undefined;
  #failedAt: number | undefined;

  constructor(now: number) {
    this.#viewedAt = now;
  }

  recordView(now: number): void {
    this.#countedMs += Math.max(0, now - this.#viewedAt);
    this.#viewedAt = Math.max(now, this.#viewedAt);
    this.#views += 1;
    if (this.#views <= REMEMBERED_VIEWS) return;
    this.#countedMs *= REMEMBERED_VIEWS / this.#views;
    this.#views = REMEMBERED_VIEWS;
  }

  /** Records that a call is sent. */
  recordAttempt(now: number): void {
    this.#attemptedAt = now;
  }

  /** Records an answer, whose age is counted from its request. */
  recordRefresh(requestedAt: number, changed: boolean): void {
    if (this.#refreshedAt !== undefined)
      this.#changes = updatePosterior(this.#changes, requestedAt - this.#refreshedAt, changed);
    this.#refreshedAt = requestedAt;
    this.#attemptedAt = undefined;
    this.#failedAt = undefined;
  }

  /** Records that a call failed. */
  recordFailure(now: number): void {
    this.#attemptedAt = undefined;
    this.#failedAt = now;
  }

  /** When the last call failed; undefined if it didn't fail. */
  get failedAt(): number | undefined {
    return this.#failedAt;
  }

  /** The estimated rate of views at `now`. */
  viewsPerMs(now: number): number {
    return this.#views / (this.#countedMs + Math.max(0, now - this.#viewedAt));
  }

  wasViewedWithin(now: number, forMs: number): boolean {
    return this.#views > 0 && now - this.#viewedAt < forMs;
  }

  /**
   * When the source may be refreshed on schedule; never before `now`. After half an hour without views, the source is
   * refreshed less often. After a day without views, the result is null.
   */
  dueAt(now: number, minAgeMs: number): number | null {
    const isRare = !this.wasViewedWithin(now, RARE_AFTER_MS);
    if (this.#refreshedAt === undefined) return isRare ? null : now;
    if (isRare && !this.wasViewedWithin(now, UNVIEWED_AFTER_MS)) return null;
    return Math.max(now, this.#refreshedAt + (isRare ? Math.max(minAgeMs, RARE_AGE_MS) : minAgeMs));
  }

  /** Returns whether a planned refresh is possible at `now`, regardless of the refresh's value. */
  isDue(now: number, minAgeMs: number): boolean {
    const isRequested = this.#attemptedAt !== undefined && now - this.#attemptedAt < REQUEST_LOST_MS;
    return !isRequested && this.dueAt(now, minAgeMs) === now;
  }

  /** Time since the last answer was requested, in ms; Infinity if there was no answer. */
  ageMs(now: number): number {
    return this.#refreshedAt === undefined ? Infinity : Math.max(0, now - this.#refreshedAt);
  }

  /** The staleness that a refresh at `now` saves all later readers, in reader-ms; Infinity if there was no answer. */
  refreshValue(now: number): number {
    const ageMs = this.ageMs(now);
    return ageMs === Infinity ? Infinity : whittleIndex(this.viewsPerMs(now), changesPerMs(this.#changes), ageMs);
  }

  /** Expected staleness of the copy at `now`, in ms; Infinity if there was no answer. */
  staleness(now: number): number {
    return expectedStaleness(changesPerMs(this.#changes), this.ageMs(now));
  }
}

/**
 * The maximum number of client-source pairs that are remembered in a period. Further views don't count until the period
 * ends.
 */
const MAX_PAIRS = 200_000;

/**
 * Decides which views count: one per client and source in each period. A client with many requests therefore can't draw
 * refreshes away from other sources.
 */
export class RecentViews {
  readonly #periodMs: number;
  readonly #clientsBySource = new Map<string, Set<string>>();
  #pairs = 0;
  #period = -1;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Returns whether this is the first view of `sourceId` by `client` in the period that contains `now`. */
  isFirst(sourceId: string, client: string, now: number): boolean {
    this.#startPeriod(Math.floor(now / this.#periodMs));
    const clients = this.#clientsBySource.get(sourceId) ?? new Set<string>();
    if (clients.has(client) || this.#pairs >= MAX_PAIRS) return false;
    this.#clientsBySource.set(sourceId, clients.add(client));
    this.#pairs += 1;
    return true;
  }

  #startPeriod(period: number): void {
    if (period === this.#period) return;
    this.#period = period;
    this.#pairs = 0;
    this.#clientsBySource.clear();
  }
}
