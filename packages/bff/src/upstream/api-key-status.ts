import type { KeyScope } from '@pulse-card/contract';
import type { UpstreamRequest } from './port.ts';

/** How often one call tries a refused key. */
const TRY_EVERY_MS = 60_000;

/** The state of the key. */
export interface ApiKeyState {
  readonly state: 'untried' | 'accepted' | 'refused';
  /** Time since the first refusal, in ms. */
  readonly refusedForMs?: number;
  /** The scope that the key lacks, where the upstream answers 403. */
  readonly missingScope?: KeyScope;
}

type Kind = UpstreamRequest['kind'];

const SCOPES: Readonly<Record<Kind, KeyScope>> = { sources: 'sources:read', pulse: 'pulses:read' };
const KINDS: readonly Kind[] = ['sources', 'pulse'];

/** Whether the upstream accepts the key. A refused key is tried by one call a minute until it is replaced. */
export class ApiKeyStatus {
  readonly #refusedAt = new Map<Kind, number>();
  #status: 401 | 403 | undefined;
  #triedAt = -Infinity;
  #isAccepted = false;
  #refusedBefore: number | undefined;

  /** How long until a request of this kind may be sent, or 0. */
  retryInMsFor(kind: Kind, now: number): number {
    return this.#refusedAt.has(kind) ? Math.max(0, this.#triedAt + TRY_EVERY_MS - now) : 0;
  }

  /** How long requests of this kind have been refused, or 0. */
  refusedForMs(kind: Kind, now: number): number {
    return now - (this.#refusedAt.get(kind) ?? now);
  }

  isRefused(kind: Kind): boolean {
    return this.#refusedAt.has(kind);
  }

  /** Records that a call is sent. */
  recordAttempt(kind: Kind, now: number): void {
    if (this.#refusedAt.has(kind)) this.#triedAt = now;
  }

  /** Records a 401, which blocks all requests, or a 403, which blocks those of one kind. */
  recordRefusal(kind: Kind, status: 401 | 403, now: number): void {
    this.#status = status;
    this.#triedAt = now;
    for (const blocked of status === 401 ? KINDS : [kind])
      if (!this.#refusedAt.has(blocked)) this.#refusedAt.set(blocked, this.#refusedBefore ?? now);
  }

  /** Records that the upstream accepted the key for this kind; a 403 for the other kind stands. */
  recordAccepted(kind: Kind): void {
    this.#isAccepted = true;
    this.#refusedBefore = undefined;
    if (this.#status === 401) this.#refusedAt.clear();
    else this.#refusedAt.delete(kind);
  }

  /** Restores the time of the first refusal, which an earlier process saw. */
  restoreRefusal(refusedAt: number): void {
    this.#refusedBefore = refusedAt;
  }

  /** Records that the key was replaced: it may be tried at once. */
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
