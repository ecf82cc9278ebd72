import type { Clock } from '../clock.ts';
import type { RefreshPlanner } from '../freshness/refresh-planner.ts';
import type { KnownSources } from './known-sources.ts';
import type { SharedAnswers, SharedDemand } from './shared-answers.ts';

/** How often the others are told what readers looked at. */
const TELL_EVERY_MS = 1_000;

/** An instance that says nothing for so long has no readers any more. */
const SILENT_MS = 5_000;

/** Sources that one message names at the most. */
const MOST_NAMED = 1_000;

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
  readonly #elsewhere = new Map<string, { at: number; readers: ReadonlyMap<string, number> }>();
  #hadReaders = false;

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
    const before = this.#elsewhere.get(instance)?.readers ?? new Map<string, number>();
    const watched = new Map(Object.entries(readers).filter(([sourceId]) => ids.has(sourceId)));
    this.#elsewhere.set(instance, { at: now, readers: watched });
    for (const sourceId of new Set([...before.keys(), ...watched.keys()])) this.#plan(sourceId);
    return seen.length > 0 || watched.size > 0;
  }

  #tell(): void {
    const hasReaders = this.#watching.size > 0;
    if (this.#views.size > 0 || hasReaders || this.#hadReaders)
      this.#options.shared.tellDemand({ views: first(this.#views), readers: first(this.#watching) });
    this.#hadReaders = hasReaders;
    this.#views.clear();
  }

  #forgetSilent(): void {
    const { clock } = this.#options;
    for (const [instance, { at, readers }] of this.#elsewhere) {
      if (clock.now() - at < SILENT_MS) continue;
      this.#elsewhere.delete(instance);
      for (const sourceId of readers.keys()) this.#plan(sourceId);
    }
  }

  #plan(sourceId: string): void {
    this.#options.planner.watched(sourceId, this.#allWatching(sourceId), this.#options.clock.now());
  }

  #allWatching(sourceId: string): number {
    let readers = this.#watching.get(sourceId) ?? 0;
    for (const others of this.#elsewhere.values()) readers += others.readers.get(sourceId) ?? 0;
    return readers;
  }
}

function first(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].slice(0, MOST_NAMED));
}
