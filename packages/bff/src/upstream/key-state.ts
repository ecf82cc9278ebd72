import type { KeyScope } from '@pulse-card/contract';
import { type Operation, operationOf } from './target.ts';

/** The time between two calls that test whether a rejected key works again. */
const TRY_EVERY_MS = 30_000;

/** Whether the service accepts the key. */
export interface KeyStatus {
  readonly state: 'untried' | 'accepted' | 'refused';
  /** Time since the first rejection, in ms. */
  readonly refusedForMs?: number;
  /** The scope that the key lacks, if the service returned 403. */
  readonly missingScope?: KeyScope;
}

const SCOPES: Readonly<Record<Operation, KeyScope>> = { sources: 'sources:read', pulse: 'pulses:read' };
const OPERATIONS: readonly Operation[] = ['sources', 'pulse'];

interface Rejection {
  readonly status: 401 | 403;
  /** When the service first rejected the key. */
  readonly since: number;
  triedAt: number;
}

/**
 * Whether the service accepts the key for each of the two operations. While it rejects an operation, one call every 30
 * s tests it, until the key is replaced.
 */
export class KeyState {
  readonly #rejections = new Map<Operation, Rejection>();
  #isAccepted = false;
  /** When an earlier process saw the key rejected for the first time. */
  #rejectedBefore: number | undefined;

  /** How long until a call for `target` may be sent, or 0. */
  retryInMs(target: string, now: number): number {
    const triedAt = this.#rejections.get(operationOf(target))?.triedAt ?? -Infinity;
    return Math.max(0, triedAt + TRY_EVERY_MS - now);
  }

  /** How long calls for `target` have been rejected, in ms; undefined if they aren't. */
  refusedForMs(target: string, now: number): number | undefined {
    const since = this.#rejections.get(operationOf(target))?.since ?? this.#rejectedBefore;
    return since === undefined ? undefined : now - since;
  }

  /** The status that rejected calls for `target`; undefined if they aren't rejected. */
  statusOf(target: string): 401 | 403 | undefined {
    return this.#rejections.get(operationOf(target))?.status;
  }

  /** Records that a call is sent. */
  tried(target: string, now: number): void {
    const rejection = this.#rejections.get(operationOf(target));
    if (rejection) rejection.triedAt = now;
  }

  /**
   * Records a 401, which rejects both operations, or a 403, which rejects one. A 403 shows that the key itself is
   * valid, so the other operation may be tried.
   */
  rejected(target: string, status: 401 | 403, now: number): void {
    const own = operationOf(target);
    for (const operation of OPERATIONS) {
      const before = this.#rejections.get(operation);
      if (operation === own || status === 401)
        this.#rejections.set(operation, {
          status,
          since: before?.since ?? this.#rejectedBefore ?? now,
          triedAt: now,
        });
      else if (before?.status === 401) this.#rejections.delete(operation);
    }
  }

  /** Records that the service accepted the key for this operation. A 403 for the other operation stays. */
  accepted(target: string): void {
    this.#isAccepted = true;
    this.#rejectedBefore = undefined;
    this.#rejections.delete(operationOf(target));
    for (const [operation, { status }] of this.#rejections) if (status === 401) this.#rejections.delete(operation);
  }

  /** Restores when an earlier process saw the key rejected for the first time. */
  restore(rejectedAt: number): void {
    this.#rejectedBefore = rejectedAt;
  }

  /** Records that the key was replaced. The new key may be tried immediately. */
  replaced(): void {
    for (const rejection of this.#rejections.values()) rejection.triedAt = -Infinity;
  }

  /**
   * When the key was first rejected for everything, on the monotonic clock; undefined if it is accepted for something.
   */
  get rejectedSince(): number | undefined {
    const sinces = OPERATIONS.map((operation) => this.#rejections.get(operation)?.since ?? this.#rejectedBefore);
    return sinces.some((since) => since === undefined) ? undefined : Math.min(...sinces.filter((s) => s !== undefined));
  }

  status(now: number): KeyStatus {
    const [operation, rejection] = [...this.#rejections][0] ?? [];
    if (operation === undefined || rejection === undefined) return { state: this.#isAccepted ? 'accepted' : 'untried' };
    const refused = { state: 'refused', refusedForMs: now - rejection.since } as const;
    return rejection.status === 403 ? { ...refused, missingScope: SCOPES[operation] } : refused;
  }
}
