/** The most targets, and the most pairs of client and target within a period, that are remembered. */
const MAX_TARGETS = 20_000;
const MAX_PAIRS = 200_000;

interface Viewed {
  /** Views since the last refresh. */
  views: number;
  /** Since when `views` are counted, on the monotonic clock. */
  since: number;
  /** Views per minute before the last refresh. */
  rateBefore: number;
}

/**
 * Counts views of each target since its last refresh: one per client in each period, so that no client can draw
 * refreshes.
 */
export class Views {
  readonly #periodMs: number;
  readonly #viewed = new Map<string, Viewed>();
  readonly #pairs = new Set<string>();
  #period = -1;
  /** The value (views × age) of the best refresh that the loop found last. */
  bestValue = 0;

  constructor(periodMs: number) {
    this.#periodMs = Math.max(1, periodMs);
  }

  /** Counts a view by a client. Without a client, each view counts. */
  view(target: string, now: number, client?: string): void {
    if (client !== undefined && !this.#isFirst(`${client} ${target}`, now)) return;
    const viewed = this.#viewed.get(target);
    if (viewed !== undefined) viewed.views += 1;
    else this.#add(target, { views: 1, since: now, rateBefore: 0 });
  }

  /** Resets the count because the target was refreshed. */
  refreshed(target: string, now: number): void {
    const viewed = this.#viewed.get(target);
    if (viewed === undefined) return;
    this.#viewed.delete(target);
    const rateBefore = this.#perMinute(viewed, now);
    if (rateBefore > 0) this.#add(target, { views: 0, since: now, rateBefore });
  }

  /** Views since the last refresh. */
  of(target: string): number {
    return this.#viewed.get(target)?.views ?? 0;
  }

  perMinuteOf(target: string, now: number): number {
    const viewed = this.#viewed.get(target);
    if (viewed === undefined) return 0;
    return Math.max(
      viewed.views > 0 ? this.#perMinute(viewed, now) : 0,
      now - viewed.since < 60_000 ? viewed.rateBefore : 0,
    );
  }

  /** The targets that were viewed since their last refresh. */
  *unrefreshed(): Iterable<readonly [target: string, views: number]> {
    for (const [target, { views }] of this.#viewed) if (views > 0) yield [target, views];
  }

  clear(): void {
    this.#viewed.clear();
  }

  #perMinute({ views, since }: Viewed, now: number): number {
    return (views * 60_000) / Math.max(this.#periodMs, now - since);
  }

  #add(target: string, viewed: Viewed): void {
    this.#viewed.set(target, viewed);
    if (this.#viewed.size <= MAX_TARGETS) return;
    for (const oldest of this.#viewed.keys()) return void this.#viewed.delete(oldest);
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
