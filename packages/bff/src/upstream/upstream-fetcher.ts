import type { ErrorCode } from '@pulse-card/contract';
import type { CallBudget, CallRequest, CallResult, CallPermit, RefusalReason } from '../budget/call-budget.ts';
import type { Clock } from '../clock.ts';
import type {
  AnswerOwner,
  AskOptions,
  CallObserver,
  HostName,
  UpstreamRequest,
  UpstreamFailure,
  UpstreamReply,
} from './port.ts';
import type { HostFailover } from './host-failover.ts';
import type { ApiKeyStatus } from './api-key-status.ts';
import { PermitQueue } from '../budget/permit-queue.ts';

/** Less time than this is not worth a call. */
const MIN_CALL_MS = 100;

/**
 * A reader with nothing else to read waits for a token no longer than this share of the deadline; the rest is the call's.
 * Ten cards that are asked for right after a first start come up whole: the last of them gets its token after 2.9 of 5 s.
 */
const BUDGET_WAIT_SHARE = 3 / 4;

/** How a request is put. */
export interface FetchRequest<Value> {
  readonly request: UpstreamRequest;
  /** What the call budget and the planner call it. */
  readonly subject: string;
  readonly bucket: CallRequest['bucket'];
  /** Whether, by now, a reader has nothing else to read: then it is worth waiting for a token. */
  readonly isUserFacing: () => boolean;
  /** How much it is wanted, at the moment: where calls are short, the most wanted goes first. */
  readonly demand: () => number;
  readonly call: (host: HostName, options: AskOptions) => Promise<UpstreamReply<Value>>;
  /** The fencing token of the newest answer that is known. @default none */
  readonly seenFencingToken?: () => number | undefined;
  /** Told when a call leaves. */
  readonly onSent: (now: number) => void;
}

/** Why nothing came. `attempted`: a call was made and failed; otherwise none could be made. */
export interface FetchFailure {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly attempted: boolean;
  readonly retryInMs: number;
  readonly status?: number;
  /** No host can be asked any more: the fault is not that of what was asked for. */
  readonly allHostsDown?: boolean;
  /** Another instance is asking the same, or has just been answered. */
  readonly inFlightElsewhere?: boolean;
}

/** A call that failed, and whether another try makes sense at once: on the other host, or with the key that is new. */
interface CallFailure extends FetchFailure {
  readonly another?: 'host' | 'key';
}

/** When a call was sent, and how its answer ranks. */
export interface RequestInfo {
  /** On the monotonic clock. */
  readonly askedAt: number;
  /** Milliseconds since the Unix epoch. */
  readonly requestedAtMs: number;
  /** The answer of a call with a lower token never replaces that of a call with a higher one. */
  readonly fencingToken: number;
}

/** An answer of the upstream. */
export interface FetchSuccess<Value> extends RequestInfo {
  readonly ok: true;
  readonly value: Value;
  /** Whose data it is; undefined for an answer that names no account by its nature. */
  readonly owner?: AnswerOwner | undefined;
}

export interface UpstreamFetcherOptions {
  readonly callBudget: CallBudget;
  readonly hosts: HostFailover;
  readonly key: ApiKeyStatus;
  readonly clock: Clock;
  readonly upstreamTimeoutMs: number;
  readonly observer: CallObserver;
  /** Told when a host answers again that had been left alone. */
  readonly onHostBack: () => void;
  readonly signal: AbortSignal;
}

/** Puts questions to the upstream: pays for each call, picks the host, and tries the other within one deadline. */
export class UpstreamFetcher {
  readonly #options: UpstreamFetcherOptions;
  readonly #permitQueue: PermitQueue;

  constructor(options: UpstreamFetcherOptions) {
    this.#options = options;
    this.#permitQueue = new PermitQueue(options.callBudget, options.clock);
    options.signal.addEventListener('abort', () => this.#permitQueue.close(), { once: true });
  }

  /** Returns whether the upstream answered when it was last asked. */
  isUpstreamHealthy(): boolean {
    return this.#options.hosts.isHealthy(this.#options.clock.now());
  }

  /** Why no call could leave now, if so: the key is refused, all hosts rest, or nothing is left to spend. */
  blockedReason(kind: UpstreamRequest['kind']): FetchFailure | undefined {
    const { clock, callBudget } = this.#options;
    const circuitOpen = this.#circuitOpen(kind, clock.now());
    if (circuitOpen) return circuitOpen;
    const { left, pausedForMs, starting } = callBudget.status();
    if (left >= 1) return undefined;
    return deniedFailure(pausedForMs > 0 ? 'paused' : starting ? 'starting' : 'budget', Math.max(1_000, pausedForMs));
  }

  /** Why nothing newer is at hand: what no call can leave for, or that no host has yet won its place back. */
  degradedReason(kind: UpstreamRequest['kind']): FetchFailure | undefined {
    const allHostsDown = this.#options.hosts.allHostsDown();
    return (
      this.blockedReason(kind) ??
      (allHostsDown ? notAttempted('upstream_unavailable', 'upstream-unavailable', 0) : undefined)
    );
  }

  /** Asks once, on one host or on both; never rejects. */
  async fetch<Value>(fetchRequest: FetchRequest<Value>): Promise<FetchSuccess<Value> | FetchFailure> {
    const { clock, upstreamTimeoutMs, signal } = this.#options;
    const endsAt = clock.now() + upstreamTimeoutMs;
    const tried = new Set<HostName>();
    let keyTries = 0;
    let failure: CallFailure | undefined;
    for (;;) {
      if (signal.aborted) return STOPPED;
      const circuitOpen = this.#circuitOpen(fetchRequest.request.kind, clock.now());
      if (circuitOpen) return afterCall(failure, this.#toFailure(circuitOpen));
      const granted = await this.#acquirePermit(fetchRequest, endsAt);
      if ('ok' in granted) return afterCall(failure, granted);
      if (signal.aborted) return this.#unsent(granted, STOPPED);
      const host = this.#hostFor(fetchRequest, tried);
      const late = this.#circuitOpen(fetchRequest.request.kind, clock.now());
      if (host === undefined || late) return afterCall(failure, this.#unsent(granted, late));
      tried.add(host);
      const outcome = await this.#call(
        fetchRequest,
        host,
        granted,
        this.#deadlineMs(host, tried, fetchRequest, endsAt),
      );
      if (outcome.ok) return outcome;
      if (!outcome.attempted) return afterCall(failure, outcome);
      if (outcome.another === 'key' && ++keyTries <= 2) tried.delete(host);
      else if (outcome.another !== 'host' || !this.#mayTryOther(fetchRequest, tried, endsAt)) return outcome;
      failure = outcome;
    }
  }

  /** Why nothing may be asked now, if so: the key is refused, or all hosts rest. */
  #circuitOpen(kind: UpstreamRequest['kind'], now: number): FetchFailure | undefined {
    const { key, hosts } = this.#options;
    const retryInMsFor = key.retryInMsFor(kind, now);
    if (retryInMsFor > 0) return notAttempted('upstream_auth', 'auth', retryInMsFor);
    const openForMs = hosts.openForMs(now);
    return openForMs > 0 ? notAttempted('upstream_unavailable', 'upstream-unavailable', openForMs) : undefined;
  }

  #toFailure(circuitOpen: FetchFailure): FetchFailure {
    this.#options.observer.refused?.(circuitOpen.code === 'upstream_auth' ? 'key-refused' : 'circuit-open');
    return circuitOpen;
  }

  /** Gets leave for a call; waits for it where a reader has nothing else. */
  async #acquirePermit(
    { subject, bucket, isUserFacing, demand, seenFencingToken }: FetchRequest<unknown>,
    endsAt: number,
  ): Promise<CallPermit | FetchFailure> {
    const { observer, upstreamTimeoutMs } = this.#options;
    const request = { subject, bucket, seenFencingToken: seenFencingToken?.() };
    const until = endsAt - (1 - BUDGET_WAIT_SHARE) * upstreamTimeoutMs;
    const byPlan = isUserFacing() ? undefined : await this.#permitQueue.acquire(request);
    // A reader may have come while the call budget was asked: what the plan would do without is worth waiting for now.
    const isFinal = byPlan && (byPlan.kind !== 'denied' || !isUserFacing());
    const result = isFinal ? byPlan : await this.#permitQueue.waitFor({ request, demand, until });
    observer.judged?.(result.kind);
    if (result.kind === 'granted') return result.permit;
    if (result.kind === 'in-flight-elsewhere') return { ...IN_FLIGHT_ELSEWHERE, retryInMs: result.retryInMs };
    observer.refused?.(result.reason);
    return deniedFailure(result.reason, result.retryInMs);
  }

  #hostFor({ subject, isUserFacing }: FetchRequest<unknown>, tried: ReadonlySet<HostName>): HostName | undefined {
    const { hosts, clock } = this.#options;
    return hosts.order(clock.now(), { isUserFacing: isUserFacing(), subject }).find((host) => !tried.has(host));
  }

  #mayTryOther(fetchRequest: FetchRequest<unknown>, tried: ReadonlySet<HostName>, endsAt: number): boolean {
    return this.#options.clock.now() + MIN_CALL_MS < endsAt && this.#hostFor(fetchRequest, tried) !== undefined;
  }

  #deadlineMs(
    host: HostName,
    tried: ReadonlySet<HostName>,
    fetchRequest: FetchRequest<unknown>,
    endsAt: number,
  ): number {
    const { hosts, clock } = this.#options;
    const leftMs = Math.max(MIN_CALL_MS, endsAt - clock.now());
    return this.#hostFor(fetchRequest, tried) === undefined ? leftMs : hosts.timeoutMs(host, leftMs, clock.now());
  }

  /** Gives a call back that makes no sense any more. */
  #unsent(permit: CallPermit, why?: FetchFailure): FetchFailure {
    this.#options.callBudget.settle(permit, { fate: 'unsent' });
    return why ?? notAttempted('upstream_unavailable', 'upstream-unavailable', 1_000);
  }

  async #call<Value>(
    fetchRequest: FetchRequest<Value>,
    host: HostName,
    permit: CallPermit,
    deadlineMs: number,
  ): Promise<FetchSuccess<Value> | CallFailure> {
    const { clock, callBudget, hosts, key, observer, signal } = this.#options;
    const { request, call, onSent } = fetchRequest;
    const [askedAt, requestedAtMs] = [clock.now(), clock.wallNow()];
    if (askedAt > permit.expiresAt) return this.#unsent(permit);
    onSent(askedAt);
    hosts.recordAttempt(host, askedAt);
    key.recordAttempt(request.kind, askedAt);
    const reply = await call(host, { deadlineMs, signal });
    const now = clock.now();
    callBudget.settle(permit, resultOf(reply));
    const { outcome } = reply;
    observer.called?.({ host, kind: request.kind, outcome: nameOf(outcome), durationMs: now - askedAt });
    // Aborted by our own stop: neither the host's fault nor the subject's.
    if (!outcome.ok && signal.aborted) return STOPPED;
    if (outcome.ok || outcome.failure.kind === 'key-refused' || outcome.failure.kind === 'rate-limited')
      if (hosts.recordSuccess(host, now, now - askedAt)) this.#options.onHostBack();
    if (outcome.ok) {
      key.recordAccepted(request.kind);
      return {
        ok: true,
        value: outcome.value,
        askedAt,
        requestedAtMs,
        fencingToken: permit.fencingToken,
        owner: reply.owner,
      };
    }
    return this.#failed(fetchRequest, host, outcome.failure, now);
  }

  #failed(
    { request, subject }: FetchRequest<unknown>,
    host: HostName,
    failure: UpstreamFailure,
    now: number,
  ): CallFailure {
    const { hosts, key } = this.#options;
    if (failure.kind === 'key-refused') {
      if (failure.otherKeyAtHand) return { ...FAILURES[failure.kind], another: 'key' };
      key.recordRefusal(request.kind, failure.status, now);
      return { ...FAILURES[failure.kind], status: failure.status };
    }
    if (failure.kind === 'rate-limited') {
      const { pausedForMs } = this.#options.callBudget.status();
      return { ...FAILURES[failure.kind], retryInMs: pausedForMs, status: 429 };
    }
    hosts.recordFailure(host, { subject, kind: failure.kind }, now);
    const status = 'status' in failure ? { status: failure.status } : {};
    const openForMs = hosts.openForMs(now);
    const allDown = openForMs > 0 ? { allHostsDown: true, retryInMs: openForMs } : {};
    return { ...FAILURES[failure.kind], ...status, ...allDown, another: 'host' };
  }
}

/**
 * What is reported where no second call could be made: the failure of the first. A key that was replaced meanwhile says
 * nothing of the new one; what another instance is asking is worth waiting for.
 */
function afterCall(failure: CallFailure | undefined, noCall: FetchFailure): FetchFailure {
  if (!failure || noCall.inFlightElsewhere) return noCall;
  return failure.another === 'key' ? { ...noCall, attempted: true } : failure;
}

/** The public word for each failure; what the upstream itself said is not part of it. */
const FAILURES: Readonly<Record<UpstreamFailure['kind'], FetchFailure>> = {
  'key-refused': upstreamFailure('upstream_auth', 'auth', 60_000),
  'rate-limited': upstreamFailure('upstream_rate_limited', 'rate-limited', 5_000),
  unreachable: upstreamFailure('upstream_unavailable', 'upstream-unavailable', 5_000),
  'timed-out': upstreamFailure('upstream_unavailable', 'upstream-timeout', 5_000),
  'server-error': upstreamFailure('upstream_unavailable', 'upstream-error', 5_000),
  'intermediary-error': upstreamFailure('upstream_unavailable', 'upstream-error', 5_000),
  invalid: upstreamFailure('upstream_invalid', 'upstream-invalid', 5_000),
};

function upstreamFailure(code: ErrorCode, detail: string, retryInMs: number): FetchFailure {
  return { ok: false, code, detail, retryInMs, attempted: true };
}

function notAttempted(code: ErrorCode, detail: string, retryInMs: number): FetchFailure {
  return { ok: false, code, detail, retryInMs, attempted: false };
}

/** This process is stopping: nothing is asked any more. */
const STOPPED = notAttempted('upstream_unavailable', 'stopping', 1_000);

const IN_FLIGHT_ELSEWHERE = {
  ...notAttempted('upstream_unavailable', 'elsewhere', 0),
  inFlightElsewhere: true,
} as const;

function deniedFailure(reason: RefusalReason, retryInMs: number): FetchFailure {
  const detail = reason === 'starting' || reason === 'paused' ? reason : 'budget';
  return notAttempted('upstream_rate_limited', detail, retryInMs);
}

/** A refused key says nothing of its window: the upstream counts such calls elsewhere. */
function resultOf({ outcome, rate }: UpstreamReply<unknown>): CallResult {
  if (outcome.ok) return { fate: 'answered', window: rate };
  switch (outcome.failure.kind) {
    case 'unreachable':
    case 'timed-out':
      return { fate: 'lost' };
    case 'key-refused':
      return { fate: 'answered' };
    case 'rate-limited':
      return { fate: 'answered', window: rate, rateLimited: { retryAfterMs: outcome.failure.retryAfterMs } };
    default:
      return { fate: 'answered', window: rate };
  }
}

function nameOf(outcome: UpstreamReply<unknown>['outcome']): 'answered' | UpstreamFailure['kind'] {
  return outcome.ok ? 'answered' : outcome.failure.kind;
}
