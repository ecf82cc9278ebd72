import type { KeyScope } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { FetchFailure, UpstreamRequest } from './port.ts';
import { Hosts } from './hosts.ts';

/** Subjects with a failure that are remembered at a time. */
const MAX_FAILURES = 10_000;

/** The wait after the first failure is 1 to 2 s; each further failure doubles it, up to 15 to 30 s. */
const INITIAL_CEILING_MS = 2_000;
const MAX_CEILING_MS = 30_000;

/** Other failing sources are retried first. */
const HELD = { code: 'upstream_unavailable', detail: 'upstream-error', retryInMs: 5_000 } as const;

/** Why a call may not leave, or did not succeed. `detail` is a token of `Cache-Status`. */
export type Refusal = Pick<FetchFailure, 'code' | 'detail' | 'retryInMs'>;

interface Backoff extends Omit<Refusal, 'retryInMs'> {
  /** Failures in a row of the subject itself. */
  readonly consecutive: number;
  readonly until: number;
}

export interface GateOptions {
  /** Whether the upstream has a second host. */
  readonly hasAlt: boolean;
  /** The deadline of a call, in ms. */
  readonly callMs: number;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** Whether a failing source waits for its turn to be retried. @default none does */
  readonly isRetryHeld?: ((subject: string, now: number) => boolean) | undefined;
}

/** The kind of request that answers a subject: a source id, or `LIST_ID`. */
export function kindOf(subject: string): UpstreamRequest['kind'] {
  return subject === LIST_ID ? 'sources' : 'pulse';
}

/** Decides whether a call may leave now, by the key, the hosts, and the last failure of its subject. The budget comes after. */
export class Gate {
  readonly key = new ApiKeyStatus();
  readonly hosts: Hosts;
  readonly #random: () => number;
  readonly #isRetryHeld: (subject: string, now: number) => boolean;
  readonly #backoffs = new LRUCache<string, Backoff>({ max: MAX_FAILURES });

  constructor({ hasAlt, callMs, random, isRetryHeld = () => false }: GateOptions) {
    this.hosts = new Hosts({ hasAlt, callMs });
    this.#random = random;
    this.#isRetryHeld = isRetryHeld;
  }

  /** Why no call about `subject` may leave at `now`; undefined where one may, once it has its permit. */
  refusal(subject: string, now: number): Refusal | undefined {
    return this.outage(subject, now) ?? this.backoff(subject, now);
  }

  /** Why no call of the subject's kind may leave at `now`, whatever became of the subject: the key is refused, or all hosts are open. */
  outage(subject: string, now: number): Refusal | undefined {
    const keyRetryInMs = this.key.retryInMsFor(kindOf(subject), now);
    if (keyRetryInMs > 0) return { code: 'upstream_auth', detail: 'auth', retryInMs: keyRetryInMs };
    const openForMs = this.hosts.openForMs(now);
    if (openForMs === 0) return undefined;
    return { code: 'upstream_unavailable', detail: 'upstream-unavailable', retryInMs: openForMs };
  }

  /** Why no call about `subject` may leave at `now` after its last failure: its backoff, or the turn of other failing sources. */
  backoff(subject: string, now: number): Refusal | undefined {
    const failure = this.lastFailure(subject, now);
    if (failure && failure.retryInMs > 0) return failure;
    return this.#isRetryHeld(subject, now) ? (failure ?? HELD) : undefined;
  }

  /** The failure that no success has ended yet; its backoff may be over. */
  lastFailure(subject: string, now: number): Refusal | undefined {
    const backoff = this.#backoffs.get(subject);
    return backoff && { code: backoff.code, detail: backoff.detail, retryInMs: Math.max(0, backoff.until - now) };
  }

  /** Records that a call about the subject failed; returns for how long none is made, in ms. */
  recordFailure(subject: string, failure: FetchFailure, now: number): number {
    const isOwn = !failure.allHostsDown && failure.code !== 'upstream_auth' && failure.code !== 'upstream_rate_limited';
    const consecutive = (this.#backoffs.peek(subject)?.consecutive ?? 0) + Number(isOwn);
    const waitMs = isOwn ? backoffMs(consecutive, this.#random) : failure.retryInMs;
    this.#backoffs.set(subject, { code: failure.code, detail: failure.detail, consecutive, until: now + waitMs });
    return waitMs;
  }

  /** Records a failure that another instance saw, and its backoff. */
  hold(subject: string, { code, detail, retryInMs }: Refusal, now: number): void {
    const consecutive = this.#backoffs.peek(subject)?.consecutive ?? 0;
    this.#backoffs.set(subject, { code, detail, consecutive, until: now + retryInMs });
  }

  recordSuccess(subject: string): void {
    this.#backoffs.delete(subject);
  }

  /** Records that a host answers after all were down: what they failed at may be tried at once. */
  hostBack(): void {
    this.#clearCodes('upstream_unavailable', 'upstream_invalid');
  }

  /** Records that the key was replaced: it may be tried at once. */
  keyReplaced(): void {
    this.key.reset();
    this.#clearCodes('upstream_auth');
  }

  /** Forgets the failures of all subjects. */
  clear(): void {
    this.#backoffs.clear();
  }

  #clearCodes(...codes: readonly Refusal['code'][]): void {
    for (const [subject, { code }] of this.#backoffs.entries())
      if (codes.includes(code)) this.#backoffs.delete(subject);
  }
}

/** How long a subject is not requested after `consecutive` failures: half of a ceiling, and a draw of the rest. */
export function backoffMs(consecutive: number, random: () => number): number {
  const ceilingMs = Math.min(MAX_CEILING_MS, INITIAL_CEILING_MS * 2 ** Math.min(consecutive - 1, 16));
  return Math.round((ceilingMs * (1 + random())) / 2);
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

/** Whether the upstream accepts the key. A refused key is tried by one call every 30 s until it is replaced. */
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
