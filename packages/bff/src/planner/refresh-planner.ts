import { ShadowPrice, type BudgetSnapshot } from './shadow-price.ts';
import { OnTimeRatio } from './on-time-ratio.ts';
import { type RefreshFacts, refreshFacts } from './refresh-facts.ts';
import type { SourceStats } from './source-stats.ts';
import { SourceStatsMap } from './source-stats-map.ts';

/**
 * The id under which the list operation is planned, by the same rule as the sources. A view of the list counts in full;
 * a view of a pulse shows only the status, name and provider that the list tells, so the caller leaves it uncounted.
 */
export const LIST_ID = '*list';

/** With calls to spare, sources seen this lately are kept fresh whatever a call is worth. */
const WARM_MS = 300_000;

/** A reader is not made to wait, which may take half a second, for less expected staleness than this, in ms. */
const MIN_VALUE_TO_WAIT_MS = 2_000;

const NONE: ReadonlySet<string> = new Set();

/** A source to refresh, and why. */
export interface Candidate {
  id: string;
  /** Reader-ms of staleness that the call buys; Infinity for a source with no answer yet. */
  refreshValue: number;
  reason: 'never-asked' | 'worth-the-price' | 'tokens-plentiful';
}

/** Decides which source gets the next call of the key, and which reader waits for one. */
export interface RefreshPlanner {
  /** Records that a reader looked at a source. */
  recordView(id: string, now: number): void;
  /** Records how many live streams show a source. */
  setWatchers(id: string, readers: number, now: number): void;
  /** Records that a call for a source leaves now, whoever wanted it. */
  recordAttempt(id: string, now: number): void;
  /** Records an answer (a 404 is one); `changed`: it differs from the one before. Tells of kept answers after a restart, too. */
  recordRefresh(id: string, now: number, outcome: { changed: boolean }): void;
  /** Records that the upstream gave no answer. */
  recordFailure(id: string, now: number): void;
  /** Leaves a source alone until then, in ms, whatever it would be worth: the caller knows that it cannot be asked. */
  backOffUntil(id: string, until: number, now: number): void;
  /** Drops all that is known of a source. */
  forget(id: string): void;
  /** The source where the next call buys most, if that is worth the shadow price or calls are plentiful; none of `tried`. */
  next(now: number, tokens: BudgetSnapshot, tried?: ReadonlySet<string>): Candidate | undefined;
  /** Returns whether a reader who asks now shall wait for a refresh of this source. */
  isWorthWaitingFor(id: string, now: number, tokens: BudgetSnapshot): boolean;
  /** The facts behind the decisions on a source, for the status page. */
  explain(id: string, now: number): RefreshFacts | undefined;
  /** The reader-ms of staleness that a call must buy at the moment. */
  price(): number;
}

export interface RefreshPlannerOptions {
  /** Length of the key's window, in ms. */
  windowMs: number;
  /** Calls per window, until the first `next()` tells better. */
  callsPerWindow: number;
  /** Age below which no answer is refreshed, in ms. */
  minAgeMs: number;
  /** Whether readers may be made to wait for a refresh of a copy there is. @default true */
  usersWait?: boolean;
  /** How long a reader waits for a refresh before the old copy is served, in ms. @default 500 */
  timeoutMs?: number;
  /** Sources that are kept in mind; those unseen for longest are dropped. @default 10_000 */
  maxSources?: number;
}

/** Makes the planner that spends the key's calls where readers gain most. */
export function createRefreshPlanner(options: RefreshPlannerOptions): RefreshPlanner {
  return new DemandPlanner(options);
}

class DemandPlanner implements RefreshPlanner {
  readonly #statsMap: SourceStatsMap;
  readonly #minAgeMs: number;
  readonly #usersWait: boolean;
  readonly #shadowPrice: ShadowPrice;
  readonly #onTimeRatio: OnTimeRatio;

  constructor(options: RefreshPlannerOptions) {
    const { windowMs, callsPerWindow, minAgeMs, usersWait = true, timeoutMs = 500, maxSources = 10_000 } = options;
    for (const [name, value] of Object.entries({ windowMs, callsPerWindow, maxSources }))
      if (!(value > 0)) throw new RangeError(`Cannot plan refreshes: ${name} is ${value}, not above 0`);
    if (!(minAgeMs >= 0)) throw new RangeError(`Cannot plan refreshes: minAgeMs is ${minAgeMs}, not 0 or above`);
    this.#minAgeMs = minAgeMs;
    this.#onTimeRatio = new OnTimeRatio(timeoutMs);
    this.#statsMap = new SourceStatsMap(maxSources);
    this.#usersWait = usersWait;
    this.#shadowPrice = new ShadowPrice(windowMs, { left: callsPerWindow, capacity: callsPerWindow }, usersWait);
  }

  recordView(id: string, now: number): void {
    this.#statsMap.of(id, now).recordView(now);
  }

  setWatchers(id: string, readers: number, now: number): void {
    this.#statsMap.of(id, now).setWatchers(Math.max(0, readers), now);
  }

  recordAttempt(id: string, now: number): void {
    this.#statsMap.of(id, now).recordAttempt(now);
    this.#shadowPrice.advanceTo(now);
    this.#shadowPrice.spend();
  }

  recordRefresh(id: string, now: number, { changed }: { changed: boolean }): void {
    this.#timed(id, now);
    this.#statsMap.recordRefresh(id, now, changed);
  }

  recordFailure(id: string, now: number): void {
    this.#onTimeRatio.record(Infinity);
    this.#statsMap.recordFailure(id, now);
  }

  backOffUntil(id: string, until: number, now: number): void {
    this.#statsMap.of(id, now).backOffUntil(until);
  }

  forget(id: string): void {
    this.#statsMap.forget(id);
  }

  next(now: number, tokens: BudgetSnapshot, tried: ReadonlySet<string> = NONE): Candidate | undefined {
    this.#shadowPrice.advanceTo(now, tokens);
    return tokens.left >= 1 && this.#shadowPrice.canSpendOnPlan ? this.#best(now, tried) : undefined;
  }

  isWorthWaitingFor(id: string, now: number, tokens: BudgetSnapshot): boolean {
    const stats = this.#statsMap.find(id);
    if (stats?.refreshedAt === undefined) return true;
    if (!this.#usersWait || tokens.left < 1) return false;
    if (stats.isBackingOff(now) || stats.ageMs(now) < this.#minAgeMs) return false;
    const staleness = stats.staleness(now);
    if (staleness * this.#onTimeRatio.share < MIN_VALUE_TO_WAIT_MS) return false;
    return stats.refreshValue(now) + staleness >= this.#shadowPrice.perCall;
  }

  explain(id: string, now: number): RefreshFacts | undefined {
    const stats = this.#statsMap.find(id);
    return stats && refreshFacts(stats, now, { price: this.#shadowPrice.perCall, minAgeMs: this.#minAgeMs });
  }

  price(): number {
    return this.#shadowPrice.perCall;
  }

  #timed(id: string, now: number): void {
    const tookMs = this.#statsMap.find(id)?.inFlightForMs(now);
    if (tookMs !== undefined) this.#onTimeRatio.record(tookMs);
  }

  #best(now: number, tried: ReadonlySet<string>): Candidate | undefined {
    let best: Candidate | undefined;
    let offer = 0;
    for (const [id, stats] of this.#statsMap) {
      if (tried.has(id) || !stats.isDue(now, this.#minAgeMs)) continue;
      const refreshValue = stats.refreshValue(now);
      offer = Math.max(offer, refreshValue);
      if (best !== undefined && refreshValue <= best.refreshValue) continue;
      const reason = this.#reasonFor(stats, refreshValue, now);
      if (reason !== undefined) best = { id, refreshValue, reason };
    }
    if (offer > 0) this.#shadowPrice.recordOffer(offer);
    return best;
  }

  #reasonFor(stats: SourceStats, refreshValue: number, now: number): Candidate['reason'] | undefined {
    if (refreshValue === Infinity) return 'never-asked';
    if (refreshValue >= this.#shadowPrice.perCall) return 'worth-the-price';
    return this.#shadowPrice.hasSurplus && stats.wasViewedWithin(now, WARM_MS) ? 'tokens-plentiful' : undefined;
  }
}
