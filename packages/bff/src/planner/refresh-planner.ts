import { ShadowPrice, type BudgetSnapshot } from './shadow-price.ts';
import { OnTimeRatio, whittleIndex } from './estimators.ts';
import { type SourceStats, SourceStatsMap } from './source-stats.ts';

/**
 * The id under which the list operation is planned, by the same rule as the sources. A view of the list counts in full;
 * a view of a pulse shows only the status, name and provider that the list tells, so the caller leaves it uncounted.
 */
export const LIST_ID = '*list';

/** With a full stock of calls, sources viewed within this time are refreshed whatever the price. */
const WARM_MS = 300_000;

/** How long a reader with a stale answer waits for a fresh one. */
export const USER_WAIT_MS = 500;

/** A reader does not wait, up to half a second, to save less expected staleness than this, in ms. */
const MIN_VALUE_TO_WAIT_MS = 2_000;

/** At most one call in this many is a retry of a failing source, so that failing sources never use up the budget. */
const CALLS_PER_RETRY = 4;

/** After so many failures in a row a source that answered lately is next; one more opens the circuit of a host. */
const MAX_FAILURES_IN_ROW = 2;

/** A source that may be refreshed; the one with the highest rank is. */
interface Candidate {
  readonly id: string;
  readonly rank: number;
}

export interface RefreshPlannerOptions {
  /** Length of the rate-limit window, in ms. */
  windowMs: number;
  /** Calls per window, until the first `next()`. */
  callsPerWindow: number;
  /** Younger answers are not refreshed, in ms. */
  minAgeMs: number;
  /** Whether readers with a stale copy may wait for a refresh. @default true */
  usersWait?: boolean;
  /** Sources in memory; the least recently viewed are dropped. @default 10_000 */
  maxSources?: number;
}

/** Decides which source gets the next call, and which reader waits for one. */
export class RefreshPlanner {
  readonly #statsMap: SourceStatsMap;
  readonly #minAgeMs: number;
  readonly #usersWait: boolean;
  readonly #shadowPrice: ShadowPrice;
  readonly #onTimeRatio: OnTimeRatio;
  /** No failing source is retried sooner. */
  #retryAt = -Infinity;
  /** The last retry succeeded: the next ones follow without a pause. */
  #isRecovering = false;
  #failuresInRow = 0;

  constructor(options: RefreshPlannerOptions) {
    const { windowMs, callsPerWindow, minAgeMs, usersWait = true, maxSources = 10_000 } = options;
    this.#minAgeMs = minAgeMs;
    this.#onTimeRatio = new OnTimeRatio(USER_WAIT_MS);
    this.#statsMap = new SourceStatsMap(maxSources);
    this.#usersWait = usersWait;
    this.#shadowPrice = new ShadowPrice(windowMs, { left: callsPerWindow, capacity: callsPerWindow }, usersWait);
  }

  /** Records a view of a source. */
  recordView(id: string, now: number): void {
    this.#statsMap.of(id, now).recordView(now);
  }

  /** Records how many live streams show a source. */
  setWatchers(id: string, readers: number, now: number): void {
    this.#statsMap.of(id, now).setWatchers(Math.max(0, readers), now);
  }

  /** Records that a call for this source is being sent. */
  recordAttempt(id: string, now: number): void {
    const stats = this.#statsMap.of(id, now);
    stats.recordAttempt(now);
    this.#shadowPrice.advanceTo(now);
    this.#shadowPrice.spend();
    if (stats.isFailing && !this.#isRecovering) this.#holdRetries(now);
  }

  /** Records an answer, a 404 included, or a saved answer after a restart; `changed`: it differs from the one before. */
  recordRefresh(id: string, now: number, { changed }: { changed: boolean }): void {
    this.#timed(id, now);
    const stats = this.#statsMap.of(id, now);
    // What kept this source from answering may be over for the others, too.
    if (stats.isFailing) [this.#retryAt, this.#isRecovering] = [now, true];
    this.#failuresInRow = 0;
    stats.recordRefresh(now, changed);
  }

  /** Records that a call failed. */
  recordFailure(id: string, now: number): void {
    this.#onTimeRatio.record(Infinity);
    this.#failuresInRow += 1;
    const stats = this.#statsMap.of(id, now);
    if (stats.isFailing) {
      this.#isRecovering = false;
      this.#holdRetries(now);
    }
    stats.recordFailure(now);
  }

  /** Drops all that is known of a source. */
  forget(id: string): void {
    this.#statsMap.forget(id);
  }

  /**
   * The source for the next call: a failing one whose turn it is, else that where a call saves most staleness, if that is worth
   * the shadow price or the stock of calls is full. `canRefresh`: whether a source may be requested now, with no backoff after
   * a failure. @default all may
   */
  next(now: number, tokens: BudgetSnapshot, canRefresh: (id: string) => boolean = () => true): string | undefined {
    this.#shadowPrice.advanceTo(now, tokens);
    return tokens.left >= 1 && this.#shadowPrice.canSpendOnPlan ? this.#best(now, canRefresh) : undefined;
  }

  /** Returns whether a failing source waits for its turn to be retried, by plan or for a reader. */
  isRetryHeld(id: string, now: number): boolean {
    const stats = this.#statsMap.find(id);
    return stats !== undefined && this.#isRetryHeld(stats, now);
  }

  /** Returns whether a reader should wait for a refresh of this source. */
  isWorthWaitingFor(id: string, now: number, tokens: BudgetSnapshot): boolean {
    const stats = this.#statsMap.find(id);
    if (stats?.refreshedAt === undefined) return true;
    if (!this.#usersWait || tokens.left < 1) return false;
    if (stats.ageMs(now) < this.#minAgeMs) return false;
    const staleness = stats.staleness(now);
    if (staleness * this.#onTimeRatio.share < MIN_VALUE_TO_WAIT_MS) return false;
    return stats.refreshValue(now) + staleness >= this.#shadowPrice.perCall;
  }

  /** The demand for a source and its next refresh; undefined where nothing is known of it. */
  explain(id: string, now: number): RefreshFacts | undefined {
    const stats = this.#statsMap.find(id);
    if (stats === undefined) return undefined;
    const { readers } = stats.views;
    const nextRefreshAt = dueAt(stats, now, this.#shadowPrice.perCall, this.#minAgeMs);
    return { viewsPerMinute: stats.views.perMs(now) * 60_000, readers, nextRefreshAt };
  }

  /** The shadow price of a call, in reader-ms of staleness. */
  price(): number {
    return this.#shadowPrice.perCall;
  }

  #timed(id: string, now: number): void {
    const tookMs = this.#statsMap.find(id)?.inFlightForMs(now);
    if (tookMs !== undefined) this.#onTimeRatio.record(tookMs);
  }

  #best(now: number, canRefresh: (id: string) => boolean): string | undefined {
    let best: Candidate | undefined;
    let retry: Candidate | undefined;
    let offer = 0;
    for (const [id, stats] of this.#statsMap) {
      if (!stats.isDue(now, this.#minAgeMs) || !canRefresh(id) || this.#isRetryHeld(stats, now)) continue;
      const refreshValue = stats.refreshValue(now);
      offer = Math.max(offer, refreshValue);
      const rank = this.#rankOf(stats, refreshValue, now);
      const rival = stats.isFailing ? retry : best;
      if (rival !== undefined && rank <= rival.rank) continue;
      if (!this.#isWorthCall(stats, refreshValue, now)) continue;
      if (stats.isFailing) retry = { id, rank };
      else best = { id, rank };
    }
    if (offer > 0) this.#shadowPrice.recordOffer(offer);
    return (this.#prefersHealthy ? (best ?? retry) : (retry ?? best))?.id;
  }

  /** Failing sources take turns. After failures in a row the source that answered last is next. */
  #rankOf(stats: SourceStats, refreshValue: number, now: number): number {
    if (stats.failedAt !== undefined) return -stats.failedAt;
    return this.#prefersHealthy ? -stats.ageMs(now) : refreshValue;
  }

  /** Whether one more failure could open the circuit of a host that answers other sources. */
  get #prefersHealthy(): boolean {
    return this.#failuresInRow >= MAX_FAILURES_IN_ROW;
  }

  #holdRetries(now: number): void {
    this.#retryAt = now + CALLS_PER_RETRY * this.#shadowPrice.callEveryMs;
  }

  #isRetryHeld(stats: SourceStats, now: number): boolean {
    return stats.isFailing && now < this.#retryAt;
  }

  #isWorthCall(stats: SourceStats, refreshValue: number, now: number): boolean {
    if (refreshValue >= this.#shadowPrice.perCall) return true;
    return this.#shadowPrice.hasSurplus && stats.wasViewedWithin(now, WARM_MS);
  }
}

/** Refreshes later than this are not predicted, in ms. */
const HORIZON_MS = 86_400_000;

/** How many readers a source has, and when it is refreshed. */
export interface RefreshFacts {
  /** Views per minute, open live streams included. */
  readonly viewsPerMinute: number;
  /** Open live streams. */
  readonly readers: number;
  /** When the next refresh is due at these rates and this price, in ms; null without views. */
  readonly nextRefreshAt: number | null;
}

function dueAt(stats: SourceStats, now: number, price: number, minAgeMs: number): number | null {
  const minAgeAt = stats.minAgeAt(now, minAgeMs);
  if (minAgeAt === Infinity) return null;
  if (stats.refreshedAt === undefined) return now;
  const ageMs = Math.max(minAgeAt, ageForValue(price, stats.views.perMs(now), stats.changesPerMs));
  return ageMs > HORIZON_MS ? null : Math.max(now, Math.round(stats.refreshedAt + ageMs));
}

/** The age at which a refresh is worth `price`, by bisection: the index only grows with age. */
function ageForValue(price: number, viewsPerMs: number, changesPerMs: number): number {
  let [low, high] = [0, HORIZON_MS + 1];
  if (whittleIndex(viewsPerMs, changesPerMs, high) < price) return Infinity;
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (whittleIndex(viewsPerMs, changesPerMs, middle) < price) low = middle;
    else high = middle;
  }
  return high;
}
