import type { Clock } from '../clock.ts';
import type { RefreshPlanner } from '../freshness/refresh-planner.ts';
import type { KnownSources } from './known-sources.ts';
import type { SharedAnswers, SharedDemand } from './shared-answers.ts';

/** How often the others are told what readers looked at. */
const TELL_EVERY_MS = 1_000;

/** Readers that are not told again for so long have left. */
const SILENT_MS = 5_000;

/** More views than this of one source in a second tell the planner nothing more. */
const MOST_VIEWS = 24;

export interface CrowdOptions {
  readonly shared: SharedAnswers;
  readonly planner: RefreshPlanner;
  readonly ids: KnownSources;
  readonly clock: Clock;
}

/** The readers of all instances: each tells the others of its own, so that whoever refreshes by plan knows them all. */
export class Crowd {
  readonly #options: CrowdOptions;
  readonly #views = new Map<string, number>();
  readonly #watching = new Map<string, number>();
  /** Readers by instance and source, and when they were last told. */
  readonly #elsewhere = new Map<string, Map<string, { readonly at: number; readonly readers: number }>>();

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  /** Tells the others every second, until it is ended. */
  start(): () => void {
    let cancel = this.#options.clock.schedule(TELL_EVERY_MS, () => beat());
    const beat = (): void => {
      this.#tell();
      this.#forgetSilent();
      cancel = this.#options.clock.schedule(TELL_EVERY_MS, beat);
    };
    return () => cancel();
  }

  sawView(sourceId: string): void {
    this.#views.set(sourceId, (this.#views.get(sourceId) ?? 0) + 1);
  }

  /** Takes in how many readers of this instance watch a source; says how many do in all. */
  watched(sourceId: string, readers: number): number {
    if (readers > 0) this.#watching.set(sourceId, readers);
    else this.#watching.delete(sourceId);
    return this.#allWatching(sourceId);
  }

  /** Takes in what readers of another instance look at; true where any looked, or watches. */
  heard({ instance, views, readers }: SharedDemand): boolean {
    const { planner, ids, clock } = this.#options;
    const now = clock.now();
    const seen = Object.entries(views).filter(([sourceId, count]) => count > 0 && ids.has(sourceId));
    for (const [sourceId, count] of seen)
      for (let view = 0; view < Math.min(count, MOST_VIEWS); view += 1) planner.sawView(sourceId, now);
    const watched = Object.entries(readers).filter(([sourceId, count]) => count > 0 && ids.has(sourceId));
    for (const [sourceId, count] of watched) this.#watchedElsewhere(instance, sourceId, count);
    return seen.length > 0 || watched.length > 0;
  }

  #watchedElsewhere(instance: string, sourceId: string, readers: number): void {
    const known = this.#elsewhere.get(instance) ?? new Map<string, { at: number; readers: number }>();
    this.#elsewhere.set(instance, known);
    known.set(sourceId, { at: this.#options.clock.now(), readers });
    this.#plan(sourceId);
  }

  #tell(): void {
    if (this.#views.size > 0 || this.#watching.size > 0)
      this.#options.shared.tellDemand({
        views: Object.fromEntries(this.#views),
        readers: Object.fromEntries(this.#watching),
      });
    this.#views.clear();
  }

  #forgetSilent(): void {
    const now = this.#options.clock.now();
    for (const [instance, known] of this.#elsewhere) {
      for (const [sourceId, { at }] of known) {
        if (now - at < SILENT_MS) continue;
        known.delete(sourceId);
        this.#plan(sourceId);
      }
      if (known.size === 0) this.#elsewhere.delete(instance);
    }
  }

  #plan(sourceId: string): void {
    this.#options.planner.watched(sourceId, this.#allWatching(sourceId), this.#options.clock.now());
  }

  #allWatching(sourceId: string): number {
    let readers = this.#watching.get(sourceId) ?? 0;
    for (const known of this.#elsewhere.values()) readers += known.get(sourceId)?.readers ?? 0;
    return readers;
  }
}
