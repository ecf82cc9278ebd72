import type { CallBudget, CallRequest, CallPermit } from '../budget/call-budget.ts';
import type { Clock } from '../clock.ts';
import type { CallOptions, CallObserver, HostName, UpstreamRequest, UpstreamFailure, UpstreamReply } from './port.ts';
import {
  afterCall,
  type CallFailure,
  callResultOf,
  deniedFailure,
  FAILURES,
  type FetchFailure,
  type FetchSuccess,
  IN_FLIGHT_ELSEWHERE,
  notAttempted,
  STOPPED,
} from './fetch-result.ts';
import type { HostFailover } from './host-failover.ts';
import type { ApiKeyStatus } from './api-key.ts';
import { PermitQueue } from '../budget/permit-queue.ts';

/** Less time than this is not worth a call. */
const MIN_CALL_MS = 100;

/**
 * The share of the deadline that a user-facing request may wait for a permit; the call gets the rest. A page with ten cards
 * loads completely right after a first start: the last permit is granted after 2.9 of 5 s.
 */
const BUDGET_WAIT_SHARE = 3 / 4;

/** A request with what the budget needs to grant it. */
export interface FetchRequest<Value> {
  readonly request: UpstreamRequest;
  /** The source id, or `LIST_ID`. */
  readonly subject: string;
  readonly bucket: CallRequest['bucket'];
  /** Whether a reader with no cached answer waits for this request by now; such a request waits for a permit. */
  readonly isUserFacing: () => boolean;
  /** Views per minute by now; of the requests that wait for a permit, the one with the highest demand goes first. */
  readonly demand: () => number;
  readonly call: (host: HostName, options: CallOptions) => Promise<UpstreamReply<Value>>;
  /** The fencing token of the newest known answer. @default none */
  readonly seenFencingToken?: () => number | undefined;
  /** Called when a call is sent. */
  readonly onSent: (now: number) => void;
}

export interface UpstreamFetcherOptions {
  readonly callBudget: CallBudget;
  readonly hosts: HostFailover;
  readonly key: ApiKeyStatus;
  readonly clock: Clock;
  readonly upstreamTimeoutMs: number;
  readonly observer: CallObserver;
  /** Called when a host answers after the circuits of all hosts were open. */
  readonly onHostBack: () => void;
  readonly signal: AbortSignal;
}

/** Sends requests to the upstream: acquires a permit for each call, picks the host, and fails over within one deadline. */
export class UpstreamFetcher {
  readonly #options: UpstreamFetcherOptions;
  readonly #permitQueue: PermitQueue;

  constructor(options: UpstreamFetcherOptions) {
    this.#options = options;
    this.#permitQueue = new PermitQueue(options.callBudget, options.clock);
    options.signal.addEventListener('abort', () => this.#permitQueue.close(), { once: true });
  }

  /** Returns whether the preferred host answered its last call. */
  isUpstreamHealthy(): boolean {
    return this.#options.hosts.isHealthy(this.#options.clock.now());
  }

  /** Returns whether the circuits of all hosts are open or half-open. */
  allHostsDown(): boolean {
    return this.#options.hosts.allHostsDown();
  }

  /** Why no call can be sent now, if so: the key is refused, all circuits are open, or the budget is spent. */
  blockedReason(kind: UpstreamRequest['kind']): FetchFailure | undefined {
    const { clock, callBudget } = this.#options;
    const circuitOpen = this.#circuitOpen(kind, clock.now());
    if (circuitOpen) return circuitOpen;
    const { left, pausedForMs, starting } = callBudget.status();
    if (left >= 1) return undefined;
    return deniedFailure(pausedForMs > 0 ? 'paused' : starting ? 'starting' : 'budget', Math.max(1_000, pausedForMs));
  }

  /** Why answers get no newer, if so: `blockedReason()`, or all hosts are open or half-open. */
  degradedReason(kind: UpstreamRequest['kind']): FetchFailure | undefined {
    return (
      this.blockedReason(kind) ??
      (this.allHostsDown() ? notAttempted('upstream_unavailable', 'upstream-unavailable', 0) : undefined)
    );
  }

  /** Sends a request to one host, or to both in turn; never rejects. */
  async fetch<Value>(fetchRequest: FetchRequest<Value>): Promise<FetchSuccess<Value> | FetchFailure> {
    const { clock, upstreamTimeoutMs, signal } = this.#options;
    const endsAt = clock.now() + upstreamTimeoutMs;
    const tried = new Set<HostName>();
    let keyTries = 0;
    let failure: CallFailure | undefined;
    for (;;) {
      if (signal.aborted) return STOPPED;
      const circuitOpen = this.#circuitOpen(fetchRequest.request.kind, clock.now());
      if (circuitOpen) return afterCall(failure, this.#reported(circuitOpen));
      const permit = await this.#acquirePermit(fetchRequest, endsAt);
      if ('ok' in permit) return afterCall(failure, permit);
      if (signal.aborted) return this.#unsent(permit, STOPPED);
      const host = this.#hostFor(fetchRequest, tried);
      const openMeanwhile = this.#circuitOpen(fetchRequest.request.kind, clock.now());
      if (host === undefined || openMeanwhile) return afterCall(failure, this.#unsent(permit, openMeanwhile));
      tried.add(host);
      const deadlineMs = this.#deadlineMs(host, tried, fetchRequest, endsAt);
      const outcome = await this.#call(fetchRequest, host, permit, deadlineMs);
      if (outcome.ok) return outcome;
      if (!outcome.attempted) return afterCall(failure, outcome);
      if (outcome.another === 'key' && ++keyTries <= 2) tried.delete(host);
      else if (outcome.another !== 'host' || !this.#mayTryOther(fetchRequest, tried, endsAt)) return outcome;
      failure = outcome;
    }
  }

  /** Why the circuit is open, if it is: the key is refused, or all hosts are open. */
  #circuitOpen(kind: UpstreamRequest['kind'], now: number): FetchFailure | undefined {
    const { key, hosts } = this.#options;
    const keyRetryInMs = key.retryInMsFor(kind, now);
    if (keyRetryInMs > 0) return notAttempted('upstream_auth', 'auth', keyRetryInMs);
    const openForMs = hosts.openForMs(now);
    return openForMs > 0 ? notAttempted('upstream_unavailable', 'upstream-unavailable', openForMs) : undefined;
  }

  #reported(circuitOpen: FetchFailure): FetchFailure {
    this.#options.observer.refused?.(circuitOpen.code === 'upstream_auth' ? 'key-refused' : 'circuit-open');
    return circuitOpen;
  }

  /** Acquires a permit; waits for it where the request is user-facing. */
  async #acquirePermit(
    { subject, bucket, isUserFacing, demand, seenFencingToken }: FetchRequest<unknown>,
    endsAt: number,
  ): Promise<CallPermit | FetchFailure> {
    const { observer, upstreamTimeoutMs } = this.#options;
    const request = { subject, bucket, seenFencingToken: seenFencingToken?.() };
    const until = endsAt - (1 - BUDGET_WAIT_SHARE) * upstreamTimeoutMs;
    const byPlan = isUserFacing() ? undefined : await this.#permitQueue.acquire(request);
    // A reader may have joined while the permit was requested: then it is worth waiting for.
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

  /** Returns the permit of a call that is not sent. */
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
    const [requestedAt, requestedAtMs] = [clock.now(), clock.wallNow()];
    if (requestedAt > permit.expiresAt) return this.#unsent(permit);
    onSent(requestedAt);
    hosts.recordAttempt(host, requestedAt);
    key.recordAttempt(request.kind, requestedAt);
    const reply = await call(host, { deadlineMs, signal });
    const now = clock.now();
    callBudget.settle(permit, callResultOf(reply));
    const { outcome } = reply;
    observer.called?.({
      host,
      kind: request.kind,
      outcome: outcome.ok ? 'answered' : outcome.failure.kind,
      durationMs: now - requestedAt,
    });
    // This process stops: neither the host nor the subject failed.
    if (!outcome.ok && signal.aborted) return STOPPED;
    if (outcome.ok || outcome.failure.kind === 'key-refused' || outcome.failure.kind === 'rate-limited')
      if (hosts.recordSuccess(host, now, now - requestedAt)) this.#options.onHostBack();
    if (outcome.ok) {
      key.recordAccepted(request.kind);
      return {
        ok: true,
        value: outcome.value,
        requestedAt,
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
      if (failure.otherKeyAtHand) return { ...FAILURES[failure.kind], retryInMs: 1_000, another: 'key' };
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
