import type { Clock } from '../lib/clock.ts';
import { LIST } from '../upstream/target.ts';
import type { Answers } from './answers.ts';

/** How many sources are requested before an instance that started empty is ready, and for how long it waits. */
const FIRST_SOURCES = 10;
const FIRST_SOURCES_WITHIN_MS = 10_000;

/** The wait between two attempts while nothing can be served. It doubles. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;

/** The part of `Pulses` that decides. */
interface Served {
  knownIds(): readonly string[];
  /** The cached response; undefined if there is none that may be served. */
  peek(id: string): unknown;
  currentList(): unknown;
}

export interface ReadinessOptions {
  readonly pulses: Served;
  readonly answers: Answers;
  readonly clock: Clock;
  /** Whether tokens of readers name IDs. */
  readonly areIdsFromReaders: boolean;
}

/**
 * Whether an instance should get traffic: it has something to serve, which may be an empty list. If it started empty,
 * its first ten known sources must also have been fetched or have failed, or 10 s must have passed.
 */
export class Readiness {
  readonly #pulses: Served;
  readonly #answers: Answers;
  readonly #clock: Clock;
  readonly #areIdsFromReaders: boolean;
  readonly #tried = new Set<string>();
  #startedAt: number;
  #isEmptyStart = false;
  #isDone = false;
  #waitMs = MIN_WAIT_MS;
  #cancel: () => void = () => {};

  constructor({ pulses, answers, clock, areIdsFromReaders }: ReadinessOptions) {
    this.#areIdsFromReaders = areIdsFromReaders;
    this.#pulses = pulses;
    this.#answers = answers;
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  isReady(): boolean {
    if (!this.#hasSomething()) return false;
    if (this.#isDone || !this.#isEmptyStart) return true;
    this.#isDone =
      this.#clock.now() - this.#startedAt >= FIRST_SOURCES_WITHIN_MS ||
      this.#untried().every((id) => this.#wasTried(id));
    return this.#isDone;
  }

  /** Requests the first sources if there is nothing yet, and continues until something can be served. */
  start(): void {
    this.#startedAt = this.#clock.now();
    this.#isEmptyStart = !this.#hasSomething();
    if (this.#isEmptyStart) void this.#warmUp();
  }

  stop(): void {
    this.#cancel();
    this.#isDone = true;
  }

  async #warmUp(): Promise<void> {
    const waitMs = this.#answers.upstream.timeoutMs;
    await Promise.all([this.#request(LIST, waitMs), ...this.#untried().map((id) => this.#request(id, waitMs))]);
    // The list may have made more sources known.
    await Promise.all(this.#untried().map((id) => this.#request(id, waitMs)));
    if (this.#isDone || this.isReady()) return;
    this.#cancel = this.#clock.schedule(this.#waitMs, () => this.#warmUp());
    this.#waitMs = Math.min(MAX_WAIT_MS, 2 * this.#waitMs);
  }

  async #request(target: string, waitMs: number): Promise<void> {
    const result = await this.#answers.fetch(target, { isAwaited: true, waitMs });
    const isLimit = 'ok' in result && (result.code === 'starting' || result.code === 'out_of_calls');
    if (!isLimit) this.#tried.add(target);
  }

  #untried(): string[] {
    return this.#pulses
      .knownIds()
      .slice(0, FIRST_SOURCES)
      .filter((id) => !this.#wasTried(id));
  }

  #wasTried(id: string): boolean {
    return (
      this.#tried.has(id) || this.#answers.get(id) !== undefined || this.#answers.upstream.lastFailure(id) !== undefined
    );
  }

  #hasSomething(): boolean {
    if (this.#pulses.currentList() !== undefined) return true;
    // The key works, but not for the list. Without traffic, no token would ever name an ID.
    const isListForbidden = this.#answers.upstream.keyState.statusOf(LIST) === 403;
    if (this.#areIdsFromReaders && isListForbidden && this.#pulses.knownIds().length === 0) return true;
    return this.#pulses.knownIds().some((id) => this.#pulses.peek(id) !== undefined);
  }
}
