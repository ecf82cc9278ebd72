import { LRUCache } from 'lru-cache';

/** The maximum number of targets to remember, and of pairs of client and target within a period. */
const MAX_TARGETS = 20_000;
const MAX_PAIRS = 200_000;

/** How long the rate from before the last refresh is shown. */
const SHOWN_FOR_MS = 60_000;

interface Viewed {
  /** Views since the last refresh. */
  readonly views: number;
  /** The monotonic time since which `views` have been counted. */
  readonly since: number;
  /** Views per minute before the last refresh. */
  readonly rateBefore: number;
}

/**
 * Counts views of each target since its last refresh: one per client in each period, so that no client can trigger
 * extra refreshes.
 */
export class Views {
  readonly #periodMs: number;
  readonly #viewed = new LRUCache<string, Viewed>({ max: MAX_TARGETS });
  readonly #pairs = new Set<string>();
  #period = -1;
  /** The value (views × age) of the best refresh that the loop last found. */
  bestValue = 0;

  constructor(periodMs: number) {
    this.#periodMs = Math.max(1, periodMs);
  }

  /** Counts a view by a client. If there is no client, every view counts. */
  view(target: string, now: number, client?: string): void {
    if (client !== undefined && !this.#isFirst(`${client} ${target}`, now)) return;
    const { views, since, rateBefore } = this.#viewed.get(target) ?? { views: 0, since: now, rateBefore: 0 };
    this.#viewed.set(target, { views: views + 1, since, rateBefore });
  }

  /** Resets the count because the target was refreshed. */
  refreshed(target: string, now: number): void {
    const viewed = this.#viewed.get(target);
    if (viewed) this.#viewed.set(target, { views: 0, since: now, rateBefore: this.#perMinute(viewed, now) });
  }

  /** Views since the last refresh. */
  of(target: string): number {
    return this.#viewed.peek(target)?.views ?? 0;
  }

  perMinuteOf(target: string, now: number): number {
    const viewed = this.#viewed.peek(target);
    if (viewed === undefined) return 0;
    return Math.max(this.#perMinute(viewed, now), now - viewed.since < SHOWN_FOR_MS ? viewed.rateBefore : 0);
  }

  /** The targets that have been viewed since their last refresh. */
  *unrefreshed(): Iterable<readonly [target: string, views: number]> {
    for (const [target, { views }] of this.#viewed) if (views > 0) yield [target, views];
  }

  clear(): void {
    this.#viewed.clear();
  }

  #perMinute({ views, since }: Viewed, now: number): number {
    return (views * 60_000) / Math.max(this.#periodMs, now - since);
  }

  #isFirst(pair: string, now: number): boolean {
    const period = Math.floor(now / this.#periodMs);
    if (period !== this.#period) {
      this.#period = period;
      this.#pairs.clear();
    }
    if (this.#pairs.size >= MAX_PAIRS || this.#pairs.has(pair)) return false;
    this.#pairs.add(pair);
    return true;
  }
}
