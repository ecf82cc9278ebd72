import type { ErrorCode, KeyScope } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';
import { doublingWaitMs } from '../lib/clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import type { CallFailure } from './response.ts';

/** Why there is no answer, or why no call may leave. */
export interface Failure {
  readonly ok: false;
  readonly code: ErrorCode;
  /** A token for `Cache-Status`. */
  readonly detail: string;
  readonly retryInMs: number;
  /** A call was made and failed; otherwise none was made. */
  readonly attempted: boolean;
  /** The status that the upstream answered with. */
  readonly status?: number;
}

/** A failure without a call. */
export function notAttempted(code: ErrorCode, detail: string, retryInMs: number): Failure {
  return { ok: false, code, detail, retryInMs, attempted: false };
}

/** The two operations of the service that the BFF calls; each needs a different scope. */
export type OperationKind = 'sources' | 'pulse';

/** The operation that answers a subject: a source id, or `LIST_ID`. */
export function kindOf(subject: string): OperationKind {
  return subject === LIST_ID ? 'sources' : 'pulse';
}

/** Subjects with a failure that are remembered at a time. */
const MAX_FAILURES = 10_000;

/** The wait after the first failure is 1 to 2 s; each further failure doubles it, up to 15 to 30 s. */
const BACKOFF = { firstMs: 2_000, maxMs: 30_000 };

/** Other failing sources are retried first. */
const HELD = notAttempted('upstream_unavailable', 'upstream-error', 5_000);

interface Backoff extends Pick<Failure, 'code' | 'detail'> {
  /** Failures in a row of the subject itself. */
  readonly consecutive: number;
  /** When the first failure in a row was recorded. */
  readonly since: number;
  readonly until: number;
}

export interface GateOptions {
  /** Whether the upstream has a second host. */
  readonly hasAlt: boolean;
  /** The deadline of a call, in ms. */
  readonly callMs: number;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: (() => number) | undefined;
  /** Lets failing sources take turns. @default each may be retried after its own backoff */
  readonly planner?: Pick<RefreshPlanner, 'isRetryHeld'> | undefined;
}

/** Decides whether a call may leave now, by the key, the hosts, and the last failure of its subject. The budget comes after. */
export class Gate {
  readonly key = new ApiKeyStatus();
  readonly hosts: Hosts;
  readonly #random: () => number;
  readonly #planner: GateOptions['planner'];
  readonly #backoffs = new LRUCache<string, Backoff>({ max: MAX_FAILURES });
  #isListNext = true;

  constructor({ hasAlt, callMs, random = Math.random, planner }: GateOptions) {
    this.hosts = new Hosts({ hasAlt, callMs });
    this.#random = random;
    this.#planner = planner;
  }

  /** Whether the next trial call to hosts that are all down is about the list. */
  get isListNext(): boolean {
    return this.#isListNext;
  }

  /** Why no call about `subject` may leave at `now`; undefined if one may, once it has its permit. */
  refusal(subject: string, now: number): Failure | undefined {
    return this.outage(subject, now) ?? this.backoff(subject, now);
  }

  /** The part of `refusal()` that does not depend on the subject's own failures: the key is refused, or all hosts are down. */
  outage(subject: string, now: number): Failure | undefined {
    const keyRetryInMs = this.key.retryInMsFor(kindOf(subject), now);
    if (keyRetryInMs > 0) return notAttempted('upstream_auth', 'auth', keyRetryInMs);
    const isListAwaited = this.#isListNext && subject !== LIST_ID && this.hosts.allHostsDown();
    const retryInMs = this.hosts.openForMs(now) || (isListAwaited ? TRIAL_MS : 0);
    return retryInMs > 0 ? notAttempted('upstream_unavailable', 'upstream-unavailable', retryInMs) : undefined;
  }

  /** The other part: the backoff after the subject's last failure, or the turn of other failing sources. */
  backoff(subject: string, now: number): Failure | undefined {
    const failure = this.lastFailure(subject, now);
    if (failure && failure.retryInMs > 0) return failure;
    if (subject === LIST_ID && this.hosts.allHostsDown()) return undefined;
    return this.#planner?.isRetryHeld(subject, now) ? (failure ?? HELD) : undefined;
  }

  /** The failure that no success has ended yet; its backoff may be over. */
  lastFailure(subject: string, now: number): Failure | undefined {
    const backoff = this.#backoffs.get(subject);
    return backoff && notAttempted(backoff.code, backoff.detail, Math.max(0, backoff.until - now));
  }

  /** The time since the first of the subject's failures in a row, or 0. */
  failingForMs(subject: string, now: number): number {
    return now - (this.#backoffs.peek(subject)?.since ?? now);
  }

  /** Records that a call about the subject failed; returns the wait before the next one, in ms. */
  recordFailure(subject: string, { code, detail, retryInMs }: Failure, now: number): number {
    const isOwn = code !== 'upstream_auth' && code !== 'upstream_rate_limited' && this.hosts.openForMs(now) === 0;
    const before = this.#backoffs.peek(subject);
    const consecutive = (before?.consecutive ?? 0) + Number(isOwn);
    const waitMs = isOwn ? backoffMs(consecutive, this.#random) : retryInMs;
    this.#backoffs.set(subject, { code, detail, consecutive, since: before?.since ?? now, until: now + waitMs });
    return waitMs;
  }

  /** Takes over a failure of another instance, and its backoff. */
  hold(subject: string, { code, detail, retryInMs, status }: Failure, now: number): void {
    const { consecutive = 0, since = now } = this.#backoffs.peek(subject) ?? {};
    this.#backoffs.set(subject, { code, detail, consecutive, since, until: now + retryInMs });
    const isRefusal = code === 'upstream_auth' && (status === 401 || status === 403);
    if (isRefusal && this.key.refusedForMs(kindOf(subject), now) === undefined)
      this.key.recordRefusal(kindOf(subject), status, now);
  }

  recordSuccess(subject: string): void {
    this.#backoffs.delete(subject);
  }

  /** Records an answer of a host. If all hosts were down, subjects that failed meanwhile may be retried immediately. */
  recordHostAnswer(host: HostName, now: number): void {
    this.#isListNext = true;
    if (this.hosts.recordSuccess(host, now)) this.#clearCodes('upstream_unavailable', 'upstream_invalid');
  }

  /**
   * Records that a host failed a call about the subject. While all hosts are down, trials take turns: one about the list, then one
   * about anything, whose failure is followed by the list. So neither a source nor a list that fails permanently keeps a
   * host down.
   */
  recordHostFailure(host: HostName, subject: string, now: number, failure?: CallFailure): void {
    const isTrial = this.hosts.allHostsDown();
    this.#isListNext = !isTrial || subject !== LIST_ID;
    const openMs = isTrial && subject !== LIST_ID ? 0 : OPEN_MS;
    this.hosts.recordFailure(host, now, { openMs, failure });
  }

  /** Records that the key was replaced: it may be tried immediately. */
  keyReplaced(): void {
    this.key.reset();
    this.#clearCodes('upstream_auth');
  }

  /** Forgets the failures of all subjects. */
  clear(): void {
    this.#backoffs.clear();
  }

  #clearCodes(...codes: readonly ErrorCode[]): void {
    for (const [subject, { code }] of this.#backoffs.entries())
      if (codes.includes(code)) this.#backoffs.delete(subject);
  }
}

/** How long a subject is not requested after `consecutive` failures: half of a ceiling that doubles, plus a random share of the other half. */
export function backoffMs(consecutive: number, random: () => number): number {
  return Math.round((doublingWaitMs(consecutive, BACKOFF) * (1 + random())) / 2);
}

/** How often one call tries a refused key. */
const TRY_EVERY_MS = 30_000;

/** The state of the key. */
export interface ApiKeyState {
  readonly state: 'untried' | 'accepted' | 'refused';
  /** Time since the first refusal, in ms. */
  readonly refusedForMs?: number;
  /** The scope that the key lacks, if the upstream answers 403. */
  readonly missingScope?: KeyScope;
}

const SCOPES: Readonly<Record<OperationKind, KeyScope>> = { sources: 'sources:read', pulse: 'pulses:read' };
const KINDS: readonly OperationKind[] = ['sources', 'pulse'];

/** Whether the upstream accepts the key. A refused key is tried by one call every 30 s until it is replaced. */
export class ApiKeyStatus {
  readonly #refusedAt = new Map<OperationKind, number>();
  #status: 401 | 403 | undefined;
  #triedAt = -Infinity;
  #isAccepted = false;
  #refusedBefore: number | undefined;

  /** How long until a request of this kind may be sent, or 0. */
  retryInMsFor(kind: OperationKind, now: number): number {
    return this.#refusedAt.has(kind) ? Math.max(0, this.#triedAt + TRY_EVERY_MS - now) : 0;
  }

  /** How long requests of this kind have been refused, in ms; undefined while they are not. */
  refusedForMs(kind: OperationKind, now: number): number | undefined {
    const refusedAt = this.#refusedAt.get(kind);
    return refusedAt === undefined ? undefined : now - refusedAt;
  }

  /** Records that a call is sent. */
  recordAttempt(kind: OperationKind, now: number): void {
    if (this.#refusedAt.has(kind)) this.#triedAt = now;
  }

  /** Records a 401, which blocks all requests, or a 403, which blocks those of one kind. */
  recordRefusal(kind: OperationKind, status: 401 | 403, now: number): void {
    this.#status = status;
    this.#triedAt = now;
    for (const blocked of status === 401 ? KINDS : [kind])
      if (!this.#refusedAt.has(blocked)) this.#refusedAt.set(blocked, this.#refusedBefore ?? now);
  }

  /** Records that the upstream accepted the key for this kind; a 403 for the other kind stands. */
  recordAccepted(kind: OperationKind): void {
    this.#isAccepted = true;
    this.#refusedBefore = undefined;
    if (this.#status === 401) this.#refusedAt.clear();
    else this.#refusedAt.delete(kind);
  }

  /** Restores the time of the first refusal, which an earlier process saw. */
  restoreRefusal(refusedAt: number): void {
    this.#refusedBefore = refusedAt;
  }

  /** Records that the key was replaced: it may be tried immediately. */
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

/** The two hosts of the service (spec, first page). */
export type HostName = 'main' | 'alt';

/** Failures in a row that open the circuit of a host; one is enough if the other host answered its last call. */
const FAILURES_TO_OPEN = 3;

/** How long a circuit stays open before a trial call. */
const OPEN_MS = 15_000;

/** How long the trial call about the list may take to begin and end; other calls wait for it. */
const TRIAL_MS = 1_000;

/** The state of a host. */
export interface HostStatus {
  readonly host: HostName;
  readonly state: 'closed' | 'degraded' | 'open' | 'half-open';
  readonly preferred: boolean;
  readonly consecutiveFailures: number;
  readonly lastAnswerAt: number | undefined;
  /** How long until a trial call may be sent, or 0. */
  readonly openForMs: number;
  /** What the last call failed with; null if it was answered. */
  readonly failure: CallFailure | null;
}

interface Host {
  readonly name: HostName;
  failures: number;
  /** Set while the circuit is open or half-open. */
  openUntil: number | undefined;
  /** A trial call is under way. */
  isOnTrial: boolean;
  lastAnswerAt: number | undefined;
  failure: CallFailure | null;
}

/**
 * Circuit breaker and failover for the two hosts: calls go to the main host while its circuit is closed. An open circuit lets
 * one trial call through at a time.
 */
export class Hosts {
  readonly #hosts: readonly Host[];
  readonly #callMs: number;

  /** `callMs`: the deadline of a call; no second trial call is sent to a half-open host sooner. */
  constructor({ hasAlt, callMs }: { readonly hasAlt: boolean; readonly callMs: number }) {
    this.#callMs = callMs;
    const names: HostName[] = hasAlt ? ['main', 'alt'] : ['main'];
    this.#hosts = names.map((name) => ({
      name,
      failures: 0,
      openUntil: undefined,
      isOnTrial: false,
      lastAnswerAt: undefined,
      failure: null,
    }));
  }

  /** The hosts that a call may go to now, in order. A half-open host is last for readers and first for planned calls. */
  order(now: number, { isUserFacing }: { isUserFacing: boolean }): readonly HostName[] {
    const closed = this.#hosts.filter(({ openUntil }) => openUntil === undefined);
    const halfOpen = this.#hosts.filter(({ openUntil }) => openUntil !== undefined && openUntil <= now);
    const order = isUserFacing ? [...closed, ...halfOpen] : [...halfOpen, ...closed];
    return order.map(({ name }) => name);
  }

  /** How long until a call may go to any host, or 0. */
  openForMs(now: number): number {
    return Math.max(0, Math.min(...this.#hosts.map(({ openUntil }) => (openUntil ?? now) - now)));
  }

  /** Returns whether every host is open or half-open. */
  allHostsDown(): boolean {
    return this.#hosts.every(({ openUntil }) => openUntil !== undefined);
  }

  /** Returns whether the host that a user-facing call would go to answered its last call. */
  isHealthy(now: number): boolean {
    const [first] = this.order(now, { isUserFacing: true });
    return first !== undefined && this.#host(first).failures === 0;
  }

  /** Records that a call to the host is sent; a half-open host gets no other call meanwhile. */
  recordAttempt(name: HostName, now: number): void {
    const host = this.#host(name);
    host.isOnTrial = host.openUntil !== undefined;
    if (host.isOnTrial) host.openUntil = now + this.#callMs;
  }

  /** Records an answer of any status; returns whether all hosts were down before. */
  recordSuccess(name: HostName, now: number): boolean {
    const wereAllDown = this.allHostsDown();
    const isWell = { failures: 0, openUntil: undefined, isOnTrial: false, lastAnswerAt: now, failure: null };
    Object.assign(this.#host(name), isWell);
    return wereAllDown;
  }

  /**
   * Records that the host could not be reached, was too slow, or answered with a failure of the host. An open circuit stays open for
   * `openMs` after a trial call, and no shorter than before after a call that was under way when it opened.
   */
  recordFailure(
    name: HostName,
    now: number,
    { openMs = OPEN_MS, failure }: { readonly openMs?: number; readonly failure?: CallFailure | undefined } = {},
  ): void {
    const host = this.#host(name);
    host.failures += 1;
    host.failure = failure ?? null;
    const isEnough = host.failures >= FAILURES_TO_OPEN || this.#hosts.some((other) => other !== host && isWell(other));
    if (host.openUntil === undefined && !isEnough) return;
    host.openUntil = host.isOnTrial ? now + openMs : Math.max(host.openUntil ?? 0, now + openMs);
    host.isOnTrial = false;
  }

  status(now: number): readonly HostStatus[] {
    const preferred = this.#hosts.find(({ openUntil }) => openUntil === undefined)?.name ?? 'main';
    return this.#hosts.map((host) => ({
      host: host.name,
      state: stateOf(host, now),
      preferred: host.name === preferred,
      consecutiveFailures: host.failures,
      lastAnswerAt: host.lastAnswerAt,
      openForMs: Math.max(0, (host.openUntil ?? now) - now),
      failure: host.failure,
    }));
  }

  #host(name: HostName): Host {
    const host = this.#hosts.find((candidate) => candidate.name === name);
    if (!host) throw new RangeError(`Cannot choose a host: there is no "${name}"`);
    return host;
  }
}

function isWell({ openUntil, failures }: Host): boolean {
  return openUntil === undefined && failures === 0;
}

function stateOf({ openUntil, failures }: Host, now: number): HostStatus['state'] {
  if (openUntil !== undefined) return openUntil > now ? 'open' : 'half-open';
  return failures > 0 ? 'degraded' : 'closed';
}
