import { type Clock, repeat } from '../clock.ts';
import type { RefreshPlanner } from '../planner/refresh-planner.ts';
import type { DemandMessage, SharedCache } from './port.ts';
import type { SourceAllowlist } from './source-allowlist.ts';

/** How often an instance publishes its demand. */
const PUBLISH_EVERY_MS = 1_000;

/** An instance that publishes nothing for this long has no more watchers. */
const PEER_TIMEOUT_MS = 5_000;

/** More views than this of one source in a second tell the planner nothing more. */
const MAX_VIEWS = 24;

export interface DemandTrackerOptions {
  readonly planner: RefreshPlanner;
  readonly ids: SourceAllowlist;
  readonly clock: Clock;
  /** Connects the instances. @default this is the only one */
  readonly shared?: SharedCache | undefined;
  /** Receives errors of the background task. */
  readonly onFault: (fault: unknown) => void;
}

/** Counts views and open live streams of all instances for the planner, and publishes those of this instance. */
export class DemandTracker {
  readonly #options: DemandTrackerOptions;
  readonly #views = new Map<string, number>();
  readonly #watching = new Map<string, number>();
  /** Watchers by instance and source, and when they were last published. */
  readonly #peers = new Map<string, Map<string, { readonly at: number; readonly readers: number }>>();

  constructor(options: DemandTrackerOptions) {
    this.#options = options;
  }

  /** Publishes every second until the returned function is called. */
  start(): () => void {
    const { clock, shared, onFault } = this.#options;
    if (!shared) return () => {};
    const tick = (): void => {
      this.#publish(shared);
      this.#forgetExpired();
    };
    return repeat(clock, PUBLISH_EVERY_MS, tick, onFault);
  }

  /** Records that a reader viewed a known source. */
  recordView(sourceId: string): void {
    const { planner, clock, shared } = this.#options;
    planner.recordView(sourceId, clock.now());
    if (shared) this.#views.set(sourceId, (this.#views.get(sourceId) ?? 0) + 1);
  }

  /** Records how many live streams of this instance watch a known source. */
  setWatchers(sourceId: string, readers: number): void {
    if (readers > 0) this.#watching.set(sourceId, readers);
    else this.#watching.delete(sourceId);
    this.#plan(sourceId);
  }

  /** Records the demand of another instance. */
  receive({ instance, views, readers }: DemandMessage): void {
    const { planner, ids, clock } = this.#options;
    const now = clock.now();
    for (const [sourceId, count] of Object.entries(views)) {
      if (count <= 0 || !ids.has(sourceId)) continue;
      for (let view = 0; view < Math.min(count, MAX_VIEWS); view += 1) planner.recordView(sourceId, now);
    }
    for (const [sourceId, count] of Object.entries(readers)) {
      if (count <= 0 || !ids.has(sourceId)) continue;
      this.#watchedByPeer(instance, sourceId, count);
    }
  }

  #watchedByPeer(instance: string, sourceId: string, readers: number): void {
    const known = this.#peers.get(instance) ?? new Map<string, { at: number; readers: number }>();
    this.#peers.set(instance, known);
    known.set(sourceId, { at: this.#options.clock.now(), readers });
    this.#plan(sourceId);
  }

  #publish(shared: SharedCache): void {
    if (this.#views.size > 0 || this.#watching.size > 0)
      shared.publishDemand({
        views: Object.fromEntries(this.#views),
        readers: Object.fromEntries(this.#watching),
      });
    this.#views.clear();
  }

  #forgetExpired(): void {
    const now = this.#options.clock.now();
    for (const [instance, known] of this.#peers) {
      for (const [sourceId, { at }] of known) {
        if (now - at < PEER_TIMEOUT_MS) continue;
        known.delete(sourceId);
        this.#plan(sourceId);
      }
      if (known.size === 0) this.#peers.delete(instance);
    }
  }

  #plan(sourceId: string): void {
    let readers = this.#watching.get(sourceId) ?? 0;
    for (const known of this.#peers.values()) readers += known.get(sourceId)?.readers ?? 0;
    this.#options.planner.setWatchers(sourceId, readers, this.#options.clock.now());
  }
}
