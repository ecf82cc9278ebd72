import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { LIST } from '../upstream/target.ts';
import type { Answers } from './answers.ts';
import { hitIn } from './freshness.ts';
import type { KnownIds } from './known-ids.ts';

/** How many sources an instance that started empty requests before it is ready, and how long it waits for them. */
const FIRST_SOURCES = 10;
const FIRST_SOURCES_WITHIN_MS = 10_000;

export interface ReadinessParts {
  readonly answers: Answers;
  readonly config: Pick<Config, 'freshMs' | 'staleMs' | 'authStaleMs' | 'access'>;
  readonly clock: Clock;
  readonly ids: KnownIds;
}

/**
 * Whether this instance should get traffic: it has something to serve. If it started empty, its first ten known sources
 * must also have been fetched or have failed, or 10 s must have passed.
 */
export class Readiness {
  readonly #parts: ReadinessParts;
  /** When this instance started with nothing to serve; `-Infinity` once it is ready. */
  #emptySince = -Infinity;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  start(): void {
    if (!this.#hasSomething()) this.#emptySince = this.#parts.clock.now();
  }

  isReady(): boolean {
    if (!this.#hasSomething()) return false;
    const { answers, clock } = this.#parts;
    const isLate = clock.now() - this.#emptySince >= FIRST_SOURCES_WITHIN_MS;
    const hasFailed = (id: string) => answers.upstream.backoffs.last(id) !== undefined;
    const isReady = isLate || this.#firstMissing().every(hasFailed);
    // Sources discovered later don't affect readiness.
    if (isReady) this.#emptySince = -Infinity;
    return isReady;
  }

  /** The sources to request even though no one has viewed them. */
  readonly wanted = (): readonly string[] => (this.isReady() ? [] : this.#firstMissing());

  /** Whether there is something to serve. */
  #hasSomething(): boolean {
    const { answers, config, ids } = this.#parts;
    const isServed = (target: string) => hitIn(answers, target, config) !== undefined;
    // The key works, but not for the list. Without traffic, the BFF would never see a token with an ID.
    const isListForbidden = answers.key.rejectionOf('sources') === 403;
    const mayWaitForToken = config.access === 'token' && isListForbidden && ids.all.length === 0;
    return isServed(LIST) || mayWaitForToken || ids.all.some(isServed);
  }

  #firstMissing(): string[] {
    const { answers, ids } = this.#parts;
    return ids.all.slice(0, FIRST_SOURCES).filter((id) => answers.get(id) === undefined);
  }
}
