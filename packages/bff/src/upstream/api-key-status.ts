import type { KeyScope } from '@pulse-card/contract';
import type { UpstreamRequest } from './port.ts';

/** A key that was refused is tried this often, by one call. */
const TRY_EVERY_MS = 60_000;

/** How the key stands. */
export interface ApiKeyState {
  readonly state: 'untried' | 'accepted' | 'refused';
  /** How long ago it was first refused, in ms. */
  readonly refusedForMs?: number;
  /** What it is not allowed to do, where that is all that is wrong with it. */
  readonly missingScope?: KeyScope;
}

type Kind = UpstreamRequest['kind'];

const SCOPES: Readonly<Record<Kind, KeyScope>> = { sources: 'sources:read', pulse: 'pulses:read' };
const KINDS: readonly Kind[] = ['sources', 'pulse'];

/** What is known of the key. A refusal is no outage: it is met with one call a minute, until the key is another. */
export class ApiKeyStatus {
  readonly #refusedAt = new Map<Kind, number>();
  #status: 401 | 403 | undefined;
  #triedAt = -Infinity;
  #recordAccepted = false;
  #refusedBefore: number | undefined;

  /** How long until this kind of question may be asked; 0 where it may be asked now. */
  retryInMsFor(kind: Kind, now: number): number {
    return this.#refusedAt.has(kind) ? Math.max(0, this.#triedAt + TRY_EVERY_MS - now) : 0;
  }

  /** How long this kind of question has been refused; 0 where it is not. */
  refusedForMs(kind: Kind, now: number): number {
    return now - (this.#refusedAt.get(kind) ?? now);
  }

  isRefused(kind: Kind): boolean {
    return this.#refusedAt.has(kind);
  }

  /** Records that a call leaves. */
  recordAttempt(kind: Kind, now: number): void {
    if (this.#refusedAt.has(kind)) this.#triedAt = now;
  }

  /** Records a 401, which bars every question, or a 403, which bars those of one kind. */
  recordRefusal(kind: Kind, status: 401 | 403, now: number): void {
    this.#status = status;
    this.#triedAt = now;
    for (const barred of status === 401 ? KINDS : [kind])
      if (!this.#refusedAt.has(barred)) this.#refusedAt.set(barred, this.#refusedBefore ?? now);
  }

  /** Records that the upstream took the key; a scope that is missing elsewhere stays missing. */
  recordAccepted(kind: Kind): void {
    this.#recordAccepted = true;
    this.#refusedBefore = undefined;
    if (this.#status === 401) this.#refusedAt.clear();
    else this.#refusedAt.delete(kind);
  }

  /** Records that an earlier process was refused, too: trust has been running out since then. */
  restoreRefusal(refusedAt: number): void {
    this.#refusedBefore = refusedAt;
  }

  /** Records that the key is another: it may be tried at once. */
  reset(): void {
    this.#triedAt = -Infinity;
  }

  status(now: number): ApiKeyState {
    const [kind, refusedAt] = [...this.#refusedAt][0] ?? [];
    if (kind === undefined || refusedAt === undefined) return { state: this.#recordAccepted ? 'accepted' : 'untried' };
    const recordRefusal = { state: 'refused', refusedForMs: now - refusedAt } as const;
    return this.#status === 403 ? { ...recordRefusal, missingScope: SCOPES[kind] } : recordRefusal;
  }
}
