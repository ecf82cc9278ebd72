import { LRUCache } from 'lru-cache';
import { type Clock, firstWithin } from '../lib/clock.ts';

/** The maximum number of targets to remember, and of pairs of client and target. */
const MAX_TARGETS = 20_000;
const MAX_PAIRS = 50_000;

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
export class ViewCounts {
  readonly #periodMs: number;
  readonly #viewed = new LRUCache<string, Viewed>({ max: MAX_TARGETS });
  readonly #clock: Pick<Clock, 'now'>;
  /** Whether a pair of client and target hasn't been counted within the last period. */
  readonly #isNew: (pair: string) => boolean;
  /** The value (views × age) of the best refresh that the loop last found. */
  bestValue = 0;

  constructor(periodMs: number, clock: Pick<Clock, 'now'>) {
    this.#periodMs = periodMs;
    this.#clock = clock;
    this.#isNew = firstWithin(clock, periodMs, MAX_PAIRS);
  }

  /** Counts a view by a client. */
  view(target: string, client: string): void {
    if (!this.#isNew(`${client} ${target}`)) return;
    const before = { views: 0, since: this.#clock.now(), rateBefore: 0, ...this.#viewed.get(target) };
    this.#viewed.set(target, { ...before, views: before.views + 1 });
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

  perMinuteOf(target: string): number {
    const viewed = this.#viewed.peek(target);
    if (viewed === undefined) return 0;
    const now = this.#clock.now();
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
}
