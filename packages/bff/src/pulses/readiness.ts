import type { Clock } from '../lib/clock.ts';
import { LIST } from '../upstream/target.ts';
import type { Answers } from './answers.ts';

/** How many sources are requested before an instance that started empty is ready, and for how long it waits. */
const FIRST_SOURCES = 10;
const FIRST_SOURCES_WITHIN_MS = 10_000;

/** The wait before the next round of calls while nothing can be served. It doubles. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;

export interface ReadinessOptions {
  readonly answers: Answers;
  readonly clock: Clock;
  readonly knownIds: () => readonly string[];
  /** Whether there is a response that may be served, which may be an empty list. */
  readonly hasSomething: () => boolean;
}

/**
 * Whether an instance should get traffic: it has something to serve. If it started empty, its first ten known sources
 * must also have been fetched or have failed, or 10 s must have passed.
 */
export class Readiness {
  readonly #options: ReadinessOptions;
  #emptySince = -Infinity;
  #waitMs = MIN_WAIT_MS;
  #isStopped = false;
  #cancel: () => void = () => {};

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  isReady(): boolean {
    const { clock, hasSomething } = this.#options;
    const isLate = clock.now() - this.#emptySince >= FIRST_SOURCES_WITHIN_MS;
    return hasSomething() && (isLate || this.#missing().length === 0);
  }

  /** Requests the first sources if there is nothing yet, and continues until something can be served. */
  start(): void {
    if (this.#options.hasSomething()) return;
    this.#emptySince = this.#options.clock.now();
    void this.#warmUp();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #warmUp(): Promise<void> {
    await this.#request([LIST, ...this.#missing()]);
    // The list may have made more sources known.
    await this.#request(this.#missing());
    if (this.#isStopped || this.isReady()) return;
    this.#cancel = this.#options.clock.schedule(this.#waitMs, () => this.#warmUp());
    this.#waitMs = Math.min(MAX_WAIT_MS, 2 * this.#waitMs);
  }

  async #request(targets: readonly string[]): Promise<void> {
    const { answers } = this.#options;
    const waitMs = answers.upstream.timeoutMs;
    await Promise.all(targets.map((target) => answers.fetch(target, { isAwaited: true, waitMs })));
  }

  /** The first sources that have neither been fetched nor failed. */
  #missing(): string[] {
    const { answers, knownIds } = this.#options;
    const first = knownIds().slice(0, FIRST_SOURCES);
    return first.filter((id) => answers.get(id) === undefined && answers.upstream.backoffs.last(id) === undefined);
  }
}
