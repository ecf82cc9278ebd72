import type { Clock } from '../lib/clock.ts';
import type { Answers } from './answers.ts';

/** How many sources an instance that started empty requests before it is ready, and how long it waits for them. */
const FIRST_SOURCES = 10;
const FIRST_SOURCES_WITHIN_MS = 10_000;

export interface ReadinessOptions {
  readonly answers: Answers;
  readonly clock: Clock;
  readonly knownIds: () => readonly string[];
  /** Whether there is a response to serve, even if it is an empty list. */
  readonly hasSomething: () => boolean;
}

/**
 * Whether an instance should get traffic: it has something to serve. If it started empty, its first ten known sources
 * must also have been fetched or have failed, or 10 s must have passed.
 */
export class Readiness {
  readonly #options: ReadinessOptions;
  #emptySince = -Infinity;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, hasSomething } = this.#options;
    if (!hasSomething()) this.#emptySince = clock.now();
  }

  isReady(): boolean {
    const { answers, clock, hasSomething } = this.#options;
    if (!hasSomething()) return false;
    const isLate = clock.now() - this.#emptySince >= FIRST_SOURCES_WITHIN_MS;
    const isReady = isLate || this.#missing().every((id) => answers.upstream.backoffs.last(id) !== undefined);
    // Sources discovered later don't affect readiness.
    if (isReady) this.#emptySince = -Infinity;
    return isReady;
  }

  /** The sources to request even though no one has viewed them. */
  wanted(): readonly string[] {
    return this.isReady() ? [] : this.#missing();
  }

  #missing(): string[] {
    const { answers, knownIds } = this.#options;
    return knownIds()
      .slice(0, FIRST_SOURCES)
      .filter((id) => answers.get(id) === undefined);
  }
}
