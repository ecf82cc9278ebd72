import { LRUCache } from 'lru-cache';
import type { FetchFailure } from '../upstream/upstream-fetcher.ts';

/** Failures that are remembered at a time. */
const CAPACITY = 10_000;

interface Backoff {
  readonly code: FetchFailure['code'];
  readonly detail: string;
  readonly consecutive: number;
  readonly until: number;
}

/** A failure that is still to be respected. */
export interface ActiveBackoff {
  readonly code: FetchFailure['code'];
  readonly detail: string;
  readonly retryInMs: number;
}

/** Which sources are left alone after a failure, and until when. */
export class BackoffRegistry {
  readonly #backoffs = new LRUCache<string, Backoff>({ max: CAPACITY });
  readonly #absences = new LRUCache<string, { consecutive: number; until: number }>({ max: 1_000 });

  /** The failure that all who ask at `now` share, instead of asking again. */
  activeBackoff(subject: string, now: number): ActiveBackoff | undefined {
    const rest = this.#backoffs.get(subject);
    if (!rest || rest.until <= now) return undefined;
    return { code: rest.code, detail: rest.detail, retryInMs: rest.until - now };
  }

  /** Records a failure; `untilOf` says how long to rest after that many in a row. Returns the end of the rest. */
  recordFailure(subject: string, { code, detail }: FetchFailure, untilOf: (consecutive: number) => number): number {
    const consecutive = (this.#backoffs.get(subject)?.consecutive ?? 0) + 1;
    const until = untilOf(consecutive);
    this.#backoffs.set(subject, { code, detail, consecutive, until });
    return until;
  }

  /** Records a failure that is not the subject's fault: it says itself when it is over. Returns the end of the rest. */
  hold(subject: string, { code, detail }: FetchFailure, until: number): number {
    const consecutive = this.#backoffs.get(subject)?.consecutive ?? 0;
    this.#backoffs.set(subject, { code, detail, consecutive, until });
    return until;
  }

  recordSuccess(subject: string): void {
    this.#backoffs.delete(subject);
  }

  /** Records that the upstream does not know an unknown id. */
  recordAbsentUnknown(subject: string, untilOf: (consecutive: number) => number): void {
    const consecutive = (this.#absences.get(subject)?.consecutive ?? 0) + 1;
    this.#absences.set(subject, { consecutive, until: untilOf(consecutive) });
  }

  /** Returns whether an unknown id was not there so lately that it is not asked for again. */
  isAbsent(subject: string, now: number): boolean {
    return (this.#absences.get(subject)?.until ?? -Infinity) > now;
  }

  /** What caused failures with these codes is over, and so are the rests. */
  clearCodes(...codes: readonly FetchFailure['code'][]): void {
    for (const [subject, { code }] of this.#backoffs.entries())
      if (codes.includes(code)) this.#backoffs.delete(subject);
  }

  clear(): void {
    this.#backoffs.clear();
    this.#absences.clear();
  }

  lastFailure(subject: string, now: number): ActiveBackoff | null {
    const rest = this.#backoffs.peek(subject);
    return rest ? { code: rest.code, detail: rest.detail, retryInMs: Math.max(0, rest.until - now) } : null;
  }
}

/** The wait after the first failure is at most twice this. */
const INITIAL_CEILING_MS = 1_000;
const MAX_CEILING_MS = 60_000;

/** However lucky the draw, nobody is asked again sooner. */
const MIN_BACKOFF_MS = 1_000;

/** How long to leave a source alone after `consecutive` failures: full jitter under a ceiling that doubles, to a minute. */
export function backoffMs(consecutive: number, random: () => number): number {
  const ceilingMs = Math.min(MAX_CEILING_MS, INITIAL_CEILING_MS * 2 ** Math.min(consecutive, 16));
  return Math.max(MIN_BACKOFF_MS, Math.round(random() * ceilingMs));
}

/** The wait after an unknown id was not found: a minute, doubled each time, up to a day. */
const INITIAL_NEGATIVE_MS = 60_000;
const MAX_NEGATIVE_MS = 86_400_000;

/** How long an id that the upstream does not know is not asked for again, after `consecutive` such answers. */
export function negativeMs(consecutive: number, random: () => number): number {
  const fullMs = Math.min(MAX_NEGATIVE_MS, INITIAL_NEGATIVE_MS * 2 ** Math.min(consecutive - 1, 16));
  return Math.round(fullMs * (0.9 + 0.1 * random()));
}
