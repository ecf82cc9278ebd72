import type { KeyScope } from '@pulse-card/contract';
import { kindOf, type OperationKind } from './subject.ts';

/** The time between two calls that test whether a refused key works again. */
const TRY_EVERY_MS = 30_000;

/** The state of the API key. */
export interface ApiKeyState {
  readonly state: 'untried' | 'accepted' | 'refused';
  /** Time since the first refusal, in ms. */
  readonly refusedForMs?: number;
  /** The scope that the key lacks, if the upstream returned 403. */
  readonly missingScope?: KeyScope;
}

const SCOPES: Readonly<Record<OperationKind, KeyScope>> = { sources: 'sources:read', pulse: 'pulses:read' };
const KINDS: readonly OperationKind[] = ['sources', 'pulse'];

/** Whether the upstream accepts the key. While a key is refused, one call every 30 s tests it, until it is replaced. */
export class ApiKeyStatus {
  readonly #refusedAt = new Map<OperationKind, number>();
  #status: 401 | 403 | undefined;
  #triedAt = -Infinity;
  #isAccepted = false;
  /** When an earlier process saw the key refused for the first time. */
  #refusedBefore: number | undefined;

  /** How long until a call for `subject` may be sent, or 0. */
  retryInMs(subject: string, now: number): number {
    return this.#refusedAt.has(kindOf(subject)) ? Math.max(0, this.#triedAt + TRY_EVERY_MS - now) : 0;
  }

  /** How long calls for `subject` have been refused, in ms; undefined if they aren't refused. */
  refusedForMs(subject: string, now: number): number | undefined {
    const refusedAt = this.#refusedAt.get(kindOf(subject));
    return refusedAt === undefined ? undefined : now - refusedAt;
  }

  /** Records that a call is sent. */
  recordAttempt(subject: string, now: number): void {
    if (this.#refusedAt.has(kindOf(subject))) this.#triedAt = now;
  }

  /** Records a 401, which blocks all requests, or a 403, which blocks those of one kind. */
  recordRefusal(subject: string, status: 401 | 403, now: number): void {
    this.#status = status;
    this.#triedAt = now;
    for (const blocked of status === 401 ? KINDS : [kindOf(subject)])
      if (!this.#refusedAt.has(blocked)) this.#refusedAt.set(blocked, this.#refusedBefore ?? now);
  }

  /** Records that the upstream accepted the key for this kind of call. A 403 for the other kind of call remains. */
  recordAccepted(subject: string): void {
    this.#isAccepted = true;
    this.#refusedBefore = undefined;
    if (this.#status === 401) this.#refusedAt.clear();
    else this.#refusedAt.delete(kindOf(subject));
  }

  /** Restores the time at which an earlier process saw the key refused for the first time. */
  restoreRefusal(refusedAt: number): void {
    this.#refusedBefore = refusedAt;
  }

  /** Records that the key was replaced. The new key may be tried immediately. */
  reset(): void {
    this.#triedAt = -Infinity;
  }

  status(now: number): ApiKeyState {
    const [kind, refusedAt] = [...this.#refusedAt][0] ?? [];
    if (kind === undefined || refusedAt === undefined) return { state: this.#isAccepted ? 'accepted' : 'untried' };
    const refused = { state: 'refused', refusedForMs: now - refusedAt } as const;
    return this.#status === 403 ? { ...refused, missingScope: SCOPES[kind] } : refused;
  }
}
