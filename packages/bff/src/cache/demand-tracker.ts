import type { Clock } from '../clock.ts';
import type { RefreshPlanner } from '../planner/refresh-planner.ts';
import type { SourceAllowlist } from './source-allowlist.ts';
import type { SharedCache, DemandMessage } from './shared-cache.ts';

/** How often the others are told what readers looked at. */
const PUBLISH_EVERY_MS = 1_000;

/** Readers that are not told again for so long have left. */
const PEER_TIMEOUT_MS = 5_000;

/** More views than this of one source in a second tell the planner nothing more. */
const MAX_VIEWS = 24;

export interface DemandTrackerOptions {
  readonly shared: SharedCache;
  readonly planner: RefreshPlanner;
  readonly ids: SourceAllowlist;
  readonly clock: Clock;
}

/** The readers of all instances: each tells the others of its own, so that whoever refreshes by plan knows them all. */
export class DemandTracker {
  readonly #options: DemandTrackerOptions;
  readonly #views = new Map<string, number>();
  readonly #watching = new Map<string, number>();
  /** Readers by instance and source, and when they were last told. */
  readonly #elsewhere = new Map<string, Map<string, { readonly at: number; readonly readers: number }>>();

  constructor(options: DemandTrackerOptions) {
    this.#options = options;
  }

  /** Tells the others every second, until it is ended. */
  start(): () => void {
    let cancel = this.#options.clock.schedule(PUBLISH_EVERY_MS, () => tick());
    const tick = (): void => {
      this.#publish();
      this.#forgetExpired();
      cancel = this.#options.clock.schedule(PUBLISH_EVERY_MS, tick);
    };
    return () => cancel();
  }

  recordView(sourceId: string): void {
    this.#views.set(sourceId, (this.#views.get(sourceId) ?? 0) + 1);
  }

  /** Records how many readers of this instance watch a source; says how many do in all. */
  setWatchers(sourceId: string, readers: number): number {
    if (readers > 0) this.#watching.set(sourceId, readers);
    else this.#watching.delete(sourceId);
    return this.#allWatching(sourceId);
  }

  /** Records what readers of another instance look at; true where any looked, or watches. */
  receive({ instance, views, readers }: DemandMessage): boolean {
    const { planner, ids, clock } = this.#options;
    const now = clock.now();
    const seen = Object.entries(views).filter(([sourceId, count]) => count > 0 && ids.has(sourceId));
    for (const [sourceId, count] of seen)
      for (let view = 0; view < Math.min(count, MAX_VIEWS); view += 1) planner.recordView(sourceId, now);
    const setWatchers = Object.entries(readers).filter(([sourceId, count]) => count > 0 && ids.has(sourceId));
    for (const [sourceId, count] of setWatchers) this.#watchedByPeer(instance, sourceId, count);
    return seen.length > 0 || setWatchers.length > 0;
  }

  #watchedByPeer(instance: string, sourceId: string, readers: number): void {
    const known = this.#elsewhere.get(instance) ?? new Map<string, { at: number; readers: number }>();
    this.#elsewhere.set(instance, known);
    known.set(sourceId, { at: this.#options.clock.now(), readers });
    this.#plan(sourceId);
  }

  #publish(): void {
    if (this.#views.size > 0 || this.#watching.size > 0)
      this.#options.shared.publishDemand({
        views: Object.fromEntries(this.#views),
        readers: Object.fromEntries(this.#watching),
      });
    this.#views.clear();
  }

  #forgetExpired(): void {
    const now = this.#options.clock.now();
    for (const [instance, known] of this.#elsewhere) {
      for (const [sourceId, { at }] of known) {
        if (now - at < PEER_TIMEOUT_MS) continue;
        known.delete(sourceId);
        this.#plan(sourceId);
      }
      if (known.size === 0) this.#elsewhere.delete(instance);
    }
  }

  #plan(sourceId: string): void {
    this.#options.planner.setWatchers(sourceId, this.#allWatching(sourceId), this.#options.clock.now());
  }

  #allWatching(sourceId: string): number {
    let readers = this.#watching.get(sourceId) ?? 0;
    for (const known of this.#elsewhere.values()) readers += known.get(sourceId)?.readers ?? 0;
    return readers;
  }
}
