import type { ErrorCode } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import type { BudgetStatus } from '../budget/call-budget.ts';
import { doublingWaitMs } from '../lib/clock.ts';
import { type Failure, notAttempted } from './failure.ts';
import { LIST_ID } from './subject.ts';

/** The maximum number of failing subjects that are remembered at a time. */
const MAX_FAILURES = 10_000;

/** The wait after the first failure is 1 to 2 s; each further failure doubles it, up to 15 to 30 s. */
const WAIT = { firstMs: 2_000, maxMs: 30_000 };

/** At most one call in this many is a retry of a failing source, so that failing sources never use up the budget. */
const CALLS_PER_RETRY = 4;

/** It is not this source's turn: other failing sources are retried first. */
const HELD = notAttempted('upstream_unavailable', 'upstream-error', 5_000);

interface Backoff extends Pick<Failure, 'code' | 'detail'> {
  /** Consecutive failures that the subject itself caused. */
  readonly consecutive: number;
  /** When the first failure in a row was recorded. */
  readonly since: number;
  readonly until: number;
  /** The cause is known to be over. The subject is retried in its turn, but no longer counts as failing. */
  readonly isOver?: boolean;
}

/** The last failure of a subject that no success has ended yet. `retryInMs` is 0 once its backoff is over. */
export interface LastFailure extends Failure {
  /** Time since the first failure in a row, in ms. */
  readonly forMs: number;
}

export interface BackoffsOptions {
  /** Returns how often a call becomes available. */
  readonly callBudget: { status(): Pick<BudgetStatus, 'windowMs' | 'capacity'> };
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/**
 * The backoffs of failing subjects, and the turns of failing sources. One failing source is retried per four calls,
 * either on schedule or for a reader. The list doesn't wait for a turn.
 */
export class Backoffs {
  readonly #callBudget: BackoffsOptions['callBudget'];
  readonly #random: () => number;
  readonly #backoffs = new LRUCache<string, Backoff>({ max: MAX_FAILURES });
  /** When a failing source was last requested. The wait for the next one's turn starts then. */
  #retriedAt = -Infinity;

  constructor({ callBudget, random = Math.random }: BackoffsOptions) {
    this.#callBudget = callBudget;
    this.#random = random;
  }

  /** Returns why `subject` must not be requested now: its backoff isn't over, or it isn't its turn. */
  refusal(subject: string, now: number): Failure | undefined {
    const failure = this.lastFailure(subject, now);
    if (failure !== undefined && failure.retryInMs > 0) return failure;
    const isHeld = subject !== LIST_ID && this.#backoffs.has(subject) && !this.#isTurn(now);
    return isHeld ? (failure ?? HELD) : undefined;
  }

  lastFailure(subject: string, now: number): LastFailure | undefined {
    const backoff = this.#backoffs.get(subject);
    if (backoff === undefined || backoff.isOver) return undefined;
    const { code, detail, since, until } = backoff;
    return { ...notAttempted(code, detail, Math.max(0, until - now)), forMs: now - since };
  }

  /** Records that a call is sent. */
  recordAttempt(subject: string, now: number): void {
    if (subject !== LIST_ID && this.#backoffs.has(subject)) this.#retriedAt = now;
  }

  /** Records a failure. `waitMs`: a wait that has a cause other than the subject. Returns the wait, in ms. */
  recordFailure(subject: string, { code, detail }: Failure, now: number, waitMs?: number): number {
    const known = this.#backoffs.peek(subject);
    const before = known?.isOver ? undefined : known;
    const consecutive = (before?.consecutive ?? 0) + Number(waitMs === undefined);
    const forMs = waitMs ?? backoffMs(consecutive, this.#random);
    this.#backoffs.set(subject, { code, detail, consecutive, since: before?.since ?? now, until: now + forMs });
    return forMs;
  }

  /** Records an answer: the cause of the failures may be over for the other sources, too. */
  recordSuccess(subject: string): void {
    if (this.#backoffs.delete(subject)) this.#retriedAt = -Infinity;
  }

  /** Ends the failures with these codes, because their cause is over. */
  endCodes(...codes: readonly ErrorCode[]): void {
    for (const [subject, backoff] of Array.from(this.#backoffs.entries()))
      if (codes.includes(backoff.code)) this.#backoffs.set(subject, { ...backoff, isOver: true });
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

/** How long a subject is not requested after `consecutive` failures: half of a ceiling that doubles, plus a random share of the other half. */
export function backoffMs(consecutive: number, random: () => number): number {
  return Math.round((doublingWaitMs(consecutive, WAIT) * (1 + random())) / 2);
}
