/** Pairs of client and source that are remembered in a period; beyond, views count no more until it ends. */
const MAX_PAIRS = 200_000;

/**
 * Says which views count: one of a client and a source in each period, so that a client that asks often moves no refreshes from
 * other sources to its own.
 */
export class RecentViews {
  readonly #periodMs: number;
  readonly #clientsBySource = new Map<string, Set<string>>();
  #pairs = 0;
  #period = -1;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Returns whether `client` views `sourceId` for the first time in the period of `now`. */
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
