import { LRUCache } from 'lru-cache';
import type { FetchFailure } from '../upstream/fetch-result.ts';

/** Sources with a failure that are remembered at a time. */
const MAX_FAILURES = 10_000;

/** The wait after the first failure is 1 to 2 s; each further failure doubles it, up to 15 to 30 s. */
const INITIAL_CEILING_MS = 2_000;
const MAX_CEILING_MS = 30_000;

type Failure = Pick<FetchFailure, 'code' | 'detail'>;

interface Backoff extends Failure {
  /** Failures in a row of the source itself. */
  readonly consecutive: number;
  readonly until: number;
}

/** A failure that still stands. */
export interface ActiveBackoff extends Failure {
  readonly retryInMs: number;
}

/** Which sources are not requested after a failure, and until when: for readers, refreshes by plan and other instances alike. */
export class BackoffRegistry {
  readonly #random: () => number;
  readonly #backoffs = new LRUCache<string, Backoff>({ max: MAX_FAILURES });

  /** `random`: from 0 up to, not including, 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  isActive(subject: string, now: number): boolean {
    return (this.#backoffs.peek(subject)?.until ?? -Infinity) > now;
  }

  /** The failure that every request at `now` shares, instead of making a call. */
  activeBackoff(subject: string, now: number): ActiveBackoff | undefined {
    return this.isActive(subject, now) ? this.lastFailure(subject, now) : undefined;
  }

  /** The failure that no success has ended yet; its backoff may be over. */
  lastFailure(subject: string, now: number): ActiveBackoff | undefined {
    const backoff = this.#backoffs.get(subject);
    if (!backoff) return undefined;
    return { code: backoff.code, detail: backoff.detail, retryInMs: Math.max(0, backoff.until - now) };
  }

  /** Records a failure of the source itself; returns how long to wait, in ms. */
  recordFailure(subject: string, failure: Failure, now: number): number {
    const consecutive = this.#consecutive(subject) + 1;
    const waitMs = backoffMs(consecutive, this.#random);
    this.#set(subject, failure, { consecutive, until: now + waitMs });
    return waitMs;
  }

  /** Records a failure that is not the source's own, with the end of its backoff. */
  hold(subject: string, failure: Failure, until: number): void {
    this.#set(subject, failure, { consecutive: this.#consecutive(subject), until });
  }

  recordSuccess(subject: string): void {
    this.#backoffs.delete(subject);
  }

  /** Ends all backoffs after failures with these codes: their cause is over. */
  clearCodes(...codes: readonly FetchFailure['code'][]): void {
    for (const [subject, { code }] of this.#backoffs.entries())
      if (codes.includes(code)) this.#backoffs.delete(subject);
  }

  clear(): void {
    this.#backoffs.clear();
  }

  #consecutive(subject: string): number {
    return this.#backoffs.peek(subject)?.consecutive ?? 0;
  }

  #set(subject: string, { code, detail }: Failure, wait: Pick<Backoff, 'consecutive' | 'until'>): void {
    this.#backoffs.set(subject, { code, detail, ...wait });
  }
}

/** How long a source is not requested after `consecutive` failures: half of a ceiling, and a draw of the rest. */
export function backoffMs(consecutive: number, random: () => number): number {
  const ceilingMs = Math.min(MAX_CEILING_MS, INITIAL_CEILING_MS * 2 ** Math.min(consecutive - 1, 16));
  return Math.round((ceilingMs * (1 + random())) / 2);
}
