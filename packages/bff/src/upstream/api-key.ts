import { hkdfSync } from 'node:crypto';
import { KEY_HEADER, type KeyScope } from '@pulse-card/contract';
import { Secret } from '../secret.ts';
import type { UpstreamRequest } from './port.ts';

/** One line of visible ASCII, as a header value requires. */
const KEY_PATTERN = /^[\x21-\x7e]{8,256}$/;

/** Names a key without revealing it; only who has the key can compute the name. */
export function keyNameOf(key: { derive(purpose: string): Buffer }): string {
  return key.derive('pulse-card key name 1').toString('base64url').slice(0, 22);
}

/** An API key of the upstream. */
export class ApiKey extends Secret {
  #name: string | undefined;

  /** Parses `text`, which may end in a line break; undefined where it is no key. */
  static from(text: string): ApiKey | undefined {
    const value = text.replace(/\r?\n$/, '');
    return KEY_PATTERN.test(value) ? new ApiKey(value) : undefined;
  }

  /** The request header that carries the key. */
  header(): Record<string, string> {
    return { [KEY_HEADER]: this.reveal() };
  }

  /** Derives a secret of 32 bytes, which does not reveal the key (RFC 5869). */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.reveal(), '', purpose, 32));
  }

  /** Names the key without revealing it; equal for equal keys in all processes. */
  get name(): string {
    this.#name ??= keyNameOf(this);
    return this.#name;
  }

  equals(other: ApiKey): boolean {
    return this.reveal() === other.reveal();
  }
}

/** How often one call tries a refused key. */
const TRY_EVERY_MS = 30_000;

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

  /** How long requests of this kind have been refused, in ms; undefined while they are not. */
  refusedForMs(kind: Kind, now: number): number | undefined {
    const refusedAt = this.#refusedAt.get(kind);
    return refusedAt === undefined ? undefined : now - refusedAt;
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
