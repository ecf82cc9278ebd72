import type { ErrorCode } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { BudgetStatus } from '../budget/call-budget.ts';
import { doublingWaitMs } from '../lib/clock.ts';
import { type Failure, notAttempted } from './failure.ts';
import { LIST_ID } from './subject.ts';

/** The maximum number of failing subjects that are remembered. */
const MAX_FAILURES = 10_000;

/** The wait after the first failure is 1 to 2 s. Each further failure doubles the wait, up to 15 to 30 s. */
const WAIT = { firstMs: 2_000, maxMs: 30_000 };

/** At most one in this many calls is a retry of a failing source, so that failing sources never use up the budget. */
const CALLS_PER_RETRY = 4;

/** This source must wait because other failing sources are retried first. */
const HELD = notAttempted('upstream_unavailable', 'upstream-error', 5_000);

interface Backoff extends Pick<Failure, 'code' | 'detail'> {
  /** Consecutive failures that the subject itself caused. */
  readonly consecutive: number;
  /** When the first of the consecutive failures was recorded. */
  readonly since: number;
  readonly until: number;
  /**
   * Whether the cause is known to be fixed. Such a subject is no longer failing, but still waits for its turn to be
   * retried.
   */
  readonly isCauseOver?: boolean;
}

/** The last failure of a subject, until a call for the subject succeeds. `retryInMs` is 0 once the backoff is over. */
export interface LastFailure extends Failure {
  /** Time since the first of the consecutive failures, in ms. */
  readonly forMs: number;
}

export interface BackoffsOptions {
  /** Returns how often a call becomes available. */
  readonly callBudget: { status(): Pick<BudgetStatus, 'windowMs' | 'capacity'> };
  /** Returns a number from 0 up to, but not including, 1. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/**
 * The backoffs of failing subjects, and the order in which failing sources are retried. Of every four calls, at most
 * one retries a failing source, either on schedule or for a reader. The list of sources is exempt from this order.
 */
export class Backoffs {
  readonly #callBudget: BackoffsOptions['callBudget'];
  readonly #random: () => number;
  readonly #backoffs = new LRUCache<string, Backoff>({ max: MAX_FAILURES });
  /**
   * When a failing source was last requested. The wait before the next failing source is requested starts at this time.
   */
  #retriedAt = -Infinity;

  constructor({ callBudget, random = Math.random }: BackoffsOptions) {
    this.#callBudget = callBudget;
    this.#random = random;
  }

  /**
   * Returns why `subject` must not be requested now: its backoff isn't over, or other failing sources are retried
   * first.
   */
  refusal(subject: string, now: number): Failure | undefined {
    const failure = this.lastFailure(subject, now);
    if (failure !== undefined && failure.retryInMs > 0) return failure;
    const isHeld = subject !== LIST_ID && this.#backoffs.has(subject) && !this.#isTurn(now);
    return isHeld ? (failure ?? HELD) : undefined;
  }

  lastFailure(subject: string, now: number): LastFailure | undefined {
    const backoff = this.#backoffs.get(subject);
    if (backoff === undefined || backoff.isCauseOver) return undefined;
    const { code, detail, since, until } = backoff;
    return { ...notAttempted(code, detail, Math.max(0, until - now)), forMs: now - since };
  }

  /** Records that a call is sent. */
  recordAttempt(subject: string, now: number): void {
    if (subject !== LIST_ID && this.#backoffs.has(subject)) this.#retriedAt = now;
  }

  /** Records a failure. If the subject didn't cause the failure, `waitMs` sets the wait. Returns the wait, in ms. */
  recordFailure(subject: string, { code, detail }: Failure, now: number, waitMs?: number): number {
    const known = this.#backoffs.peek(subject);
    const before = known?.isCauseOver ? undefined : known;
    const consecutive = (before?.consecutive ?? 0) + Number(waitMs === undefined);
    const forMs = waitMs ?? backoffMs(consecutive, this.#random);
    this.#backoffs.set(subject, { code, detail, consecutive, since: before?.since ?? now, until: now + forMs });
    return forMs;
  }

  /** Records an answer. The problem that caused the failures may be fixed for the other sources, too. */
  recordSuccess(subject: string): void {
    if (this.#backoffs.delete(subject)) this.#retriedAt = -Infinity;
  }

  /** Ends the failures with these codes, because their cause is fixed. */
  endCodes(...codes: readonly ErrorCode[]): void {
    for (const [subject, backoff] of Array.from(this.#backoffs.entries()))
      if (codes.includes(backoff.code)) this.#backoffs.set(subject, { ...backoff, isCauseOver: true });
  }

  /** Forgets the failures of all subjects. */
  clear(): void {
    this.#backoffs.clear();
  }

  #isTurn(now: number): boolean {
    const { windowMs, capacity } = this.#callBudget.status();
    return now >= this.#retriedAt + (CALLS_PER_RETRY * windowMs) / Math.max(1, capacity);
  }
}

/**
 * How long a subject is not requested after `consecutive` failures. The wait is half of a ceiling that doubles, plus a
 * random part of the other half.
 */
export function backoffMs(consecutive: number, random: () => number): number {
  return Math.round((doublingWaitMs(consecutive, WAIT) * (1 + random())) / 2);
}
