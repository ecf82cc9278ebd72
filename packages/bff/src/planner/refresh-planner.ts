import { LRUCache } from 'lru-cache';
import type { BudgetStatus } from '../budget/call-budget.ts';
import { rankSources } from './source-ranking.ts';
import { RecentViews, SourceStats } from './source-stats.ts';

/** The fraction of a burst that is reserved for waiting readers. Planned refreshes don't use this part. */
const SHARE_FOR_READERS = 1 / 3;

/** Sources in memory. */
const MAX_SOURCES = 10_000;

/** The number of calls that may be sent now, and the maximum number, which is one burst. */
export type BudgetSnapshot = Pick<BudgetStatus, 'left' | 'maxLeft'>;

export interface RefreshPlannerOptions {
  /** Answers younger than this (in ms) aren't refreshed. */
  readonly minAgeMs: number;
}

/** Decides which source gets the next call, and which readers wait for a refresh. */
export class RefreshPlanner {
  /** The least recently viewed sources are dropped first. */
  readonly #stats: LRUCache<string, SourceStats>;
  readonly #minAgeMs: number;
  readonly #recentViews: RecentViews;
  /** The value of the best refresh that the last `next()` found. */
  #bestValue = 0;

  constructor({ minAgeMs }: RefreshPlannerOptions) {
    this.#minAgeMs = minAgeMs;
    this.#recentViews = new RecentViews(minAgeMs);
    this.#stats = new LRUCache({ max: MAX_SOURCES });
  }

  /**
   * Records a view of a source. If `client` is given, the client's views of the source count only once every
   * `minAgeMs`.
   */
  recordView(id: string, now: number, client?: string): void {
    if (client !== undefined && !this.#recentViews.isFirst(id, client, now)) return;
    (this.#stats.get(id) ?? this.#statsOf(id, now)).recordView(now);
  }

  /** Records that a call for this source is sent. */
  recordAttempt(id: string, now: number): void {
    this.#statsOf(id, now).recordAttempt(now);
  }

  /**
   * Records an answer, a 404, or a saved answer that was restored after a restart. `changed`: whether the answer
   * differs from the previous one.
   */
  recordRefresh(id: string, requestedAt: number, { changed }: { changed: boolean }): void {
    this.#statsOf(id, requestedAt).recordRefresh(requestedAt, changed);
  }

  /** Records that a call failed. */
  recordFailure(id: string, now: number): void {
    this.#statsOf(id, now).recordFailure(now);
  }

  /** Forgets everything about a source. */
  forget(id: string): void {
    this.#stats.delete(id);
  }

  /**
   * The source for the next call: the failing source whose last failure is oldest, or else the source whose refresh
   * saves the most staleness. Undefined if the remaining calls are reserved for readers. `canRefresh`: whether a source
   * may be requested now. @default all may
   */
  next(now: number, budget: BudgetSnapshot, canRefresh: (id: string) => boolean = () => true): string | undefined {
    const sources = this.#stats.rentries() as Iterable<[string, SourceStats]>;
    const { first, bestValue } = rankSources(sources, { now, minAgeMs: this.#minAgeMs, canRefresh });
    this.#bestValue = bestValue;
    return budget.left >= 1 && budget.left > Math.floor(SHARE_FOR_READERS * budget.maxLeft) ? first : undefined;
  }

  /**
   * Returns whether a reader should wait for a refresh of this source, provided that a call is available. The value of
   * the refresh, plus the staleness that it saves this reader, must be at least the value of the best planned refresh.
   */
  isWorthWaitingFor(id: string, now: number): boolean {
    const stats = this.#stats.peek(id);
    if (stats === undefined) return true;
    if (stats.ageMs(now) < this.#minAgeMs) return false;
    // Both are in reader-ms. The second value is the staleness that this reader saves.
    return stats.refreshValue(now) + stats.staleness(now) >= this.#bestValue;
  }

  /** The demand for a source and the time of its next refresh; undefined if nothing is known about the source. */
  explain(id: string, now: number): RefreshFacts | undefined {
    const stats = this.#stats.peek(id);
    if (stats === undefined) return undefined;
    return { viewsPerMinute: stats.viewsPerMs(now) * 60_000, nextRefreshAt: stats.dueAt(now, this.#minAgeMs) };
  }

  #statsOf(id: string, now: number): SourceStats {
    const known = this.#stats.peek(id);
    if (known) return known;
    const stats = new SourceStats(now);
    this.#stats.set(id, stats);
    return stats;
  }
}

/** How often a source is viewed, and when it may be refreshed. */
export interface RefreshFacts {
  readonly viewsPerMinute: number;
  /** When the source may be refreshed next, on the monotonic clock; null without views. */
  readonly nextRefreshAt: number | null;
}
