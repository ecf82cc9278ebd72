import type { BudgetStatus, CallBudget, CallPermit } from '../budget/call-budget.ts';
import type { Clock } from '../clock.ts';
import {
  afterCall,
  type CallFailure,
  type CallObserver,
  type CallOptions,
  callResultOf,
  deniedFailure,
  FAILURES,
  type FetchFailure,
  type FetchSuccess,
  type HostName,
  IN_FLIGHT_ELSEWHERE,
  notAttempted,
  type PulseFound,
  type SourceRows,
  STOPPED,
  type Upstream,
  type UpstreamFailure,
  type UpstreamReply,
  type UpstreamRequest,
} from './port.ts';
import { Gate, type GateOptions, kindOf, type Refusal } from './gate.ts';
import { PermitQueue } from '../budget/permit-queue.ts';

/** Less time than this is not worth a call. */
const MIN_CALL_MS = 100;

/**
 * The share of the deadline that a user-facing request may wait for a permit; the call gets the rest. A page with ten cards
 * loads completely right after a first start: the last permit is granted after 2.9 of 5 s.
 */
const BUDGET_WAIT_SHARE = 3 / 4;

/** A request with what the budget needs to grant it. */
export interface FetchRequest {
  /** The source id, or `LIST_ID`. */
  readonly subject: string;
  /** Whether a reader with no cached answer waits for this request by now; such a request waits for a permit. */
  readonly isUserFacing: () => boolean;
  /** Views per minute by now; of the requests that wait for a permit, the one with the highest demand goes first. */
  readonly demand: () => number;
  /** The fencing token of the newest known answer. @default none */
  readonly seenFencingToken?: () => number | undefined;
  /** Called when a call is sent. */
  readonly onSent: (now: number) => void;
}

export interface UpstreamFetcherOptions {
  readonly upstream: Upstream;
  readonly callBudget: CallBudget;
  /** Whether the upstream has a second host. */
  readonly hasAltHost: boolean;
  /** Deadline of a request over both hosts, in ms. */
  readonly upstreamTimeoutMs: number;
  readonly clock: Clock;
  /** @default none */
  readonly observer?: CallObserver;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
  /** Whether a failing source waits for its turn to be retried. @default none does */
  readonly isRetryHeld?: GateOptions['isRetryHeld'];
}

/** Sends requests to the upstream: acquires a permit for each call, picks the host, and fails over within one deadline. */
export class UpstreamFetcher {
  readonly gate: Gate;
  readonly #options: UpstreamFetcherOptions;
  readonly #permitQueue: PermitQueue;
  readonly #ended = new AbortController();

  constructor(options: UpstreamFetcherOptions) {
    const { callBudget, clock, hasAltHost, upstreamTimeoutMs: callMs, random = Math.random, isRetryHeld } = options;
    this.#options = options;
    this.gate = new Gate({ hasAlt: hasAltHost, callMs, random, isRetryHeld });
    this.#permitQueue = new PermitQueue(callBudget, clock);
  }

  /** The state of the call budget. */
  get budget(): BudgetStatus {
    return this.#options.callBudget.status();
  }

  /** Deadline of a request over both hosts, in ms. */
  get timeoutMs(): number {
    return this.#options.upstreamTimeoutMs;
  }

  /** Ends all calls; none is sent any more. */
  close(): void {
    this.#ended.abort();
    this.#permitQueue.close();
  }

  /** Why no call about `subject` can be sent now: the gate refuses it, or the budget is spent. */
  refusal(subject: string): Refusal | undefined {
    const refusal = this.gate.refusal(subject, this.#options.clock.now());
    const { left, pausedForMs, starting } = this.budget;
    if (refusal || left >= 1) return refusal;
    const detail = pausedForMs > 0 ? 'paused' : starting ? 'starting' : 'budget';
    return { code: 'upstream_rate_limited', detail, retryInMs: Math.max(1_000, pausedForMs) };
  }

  /** Fetches the list; never rejects. */
  fetchSources(request: FetchRequest): Promise<FetchSuccess<SourceRows> | FetchFailure> {
    const { upstream } = this.#options;
    return this.#fetch(request, (host, options) => upstream.listSources(host, options));
  }

  /** Fetches the pulse of the source that is the subject; never rejects. */
  fetchPulse(request: FetchRequest): Promise<FetchSuccess<PulseFound> | FetchFailure> {
    const { upstream } = this.#options;
    return this.#fetch(request, (host, options) => upstream.latestPulse(host, request.subject, options));
  }

  /** Sends a request to one host, or to both in turn. */
  async #fetch<Value>(
    request: FetchRequest,
    send: (host: HostName, options: CallOptions) => Promise<UpstreamReply<Value>>,
  ): Promise<FetchSuccess<Value> | FetchFailure> {
    const { clock, observer = {} } = this.#options;
    const { signal } = this.#ended;
    const endsAt = clock.now() + this.timeoutMs;
    const tried = new Set<HostName>();
    let keyTries = 0;
    let failure: CallFailure | undefined;
    for (;;) {
      if (signal.aborted) return STOPPED;
      const refusal = this.#refusal(request, tried);
      if (refusal) {
        observer.refused?.(refusal.code === 'upstream_auth' ? 'key-refused' : 'circuit-open');
        return afterCall(failure, refusal);
      }
      const permit = await this.#acquirePermit(request, endsAt);
      if ('ok' in permit) return afterCall(failure, permit);
      if (signal.aborted) return this.#unsent(permit, STOPPED);
      const [host, other] = this.#untried(request, tried);
      const refusedMeanwhile = this.#refusal(request, tried);
      if (host === undefined || refusedMeanwhile) return afterCall(failure, this.#unsent(permit, refusedMeanwhile));
      tried.add(host);
      const leftMs = Math.max(MIN_CALL_MS, endsAt - clock.now());
      const deadlineMs = this.gate.hosts.timeoutMs(leftMs, { hasOther: other !== undefined });
      const outcome = await this.#call(request, { host, permit }, () => send(host, { deadlineMs, signal }));
      if (outcome.ok) return outcome;
      if (!outcome.attempted) return afterCall(failure, outcome);
      const mayTryOther = clock.now() + MIN_CALL_MS < endsAt && this.#untried(request, tried).length > 0;
      if (outcome.another === 'key' && ++keyTries <= 2) tried.delete(host);
      else if (outcome.another !== 'host' || !mayTryOther) return outcome;
      failure = outcome;
    }
  }

  /** Why the call must not be sent now. Its own first try is no reason against the second host. */
  #refusal({ subject }: FetchRequest, tried: ReadonlySet<HostName>): FetchFailure | undefined {
    const now = this.#options.clock.now();
    const refusal = tried.size === 0 ? this.gate.refusal(subject, now) : this.gate.outage(subject, now);
    return refusal && notAttempted(refusal.code, refusal.detail, refusal.retryInMs);
  }

  /** Acquires a permit; waits for it where the request is user-facing. */
  async #acquirePermit(
    { subject, isUserFacing, demand, seenFencingToken }: FetchRequest,
    endsAt: number,
  ): Promise<CallPermit | FetchFailure> {
    const request = { subject, seenFencingToken: seenFencingToken?.() };
    const until = endsAt - (1 - BUDGET_WAIT_SHARE) * this.timeoutMs;
    const byPlan = isUserFacing() ? undefined : await this.#permitQueue.acquire(request);
    // A reader may have joined while the permit was requested: then it is worth waiting for.
    const isFinal = byPlan && (byPlan.kind !== 'denied' || !isUserFacing());
    const result = isFinal ? byPlan : await this.#permitQueue.waitFor({ request, demand, until });
    this.#options.observer?.judged?.(result.kind);
    if (result.kind === 'granted') return result.permit;
    if (result.kind === 'in-flight-elsewhere') return { ...IN_FLIGHT_ELSEWHERE, retryInMs: result.retryInMs };
    this.#options.observer?.refused?.(result.reason);
    return deniedFailure(result.reason, result.retryInMs);
  }

  /** The hosts that a call may go to now, in order, without those that failed. */
  #untried({ isUserFacing }: FetchRequest, tried: ReadonlySet<HostName>): readonly HostName[] {
    const order = this.gate.hosts.order(this.#options.clock.now(), { isUserFacing: isUserFacing() });
    return order.filter((host) => !tried.has(host));
  }

  /** Returns the permit of a call that is not sent. */
  #unsent(permit: CallPermit, why?: FetchFailure): FetchFailure {
    this.#options.callBudget.settle(permit, { fate: 'unsent' });
    return why ?? notAttempted('upstream_unavailable', 'upstream-unavailable', 1_000);
  }

  async #call<Value>(
    { subject, onSent }: FetchRequest,
    { host, permit }: { host: HostName; permit: CallPermit },
    send: () => Promise<UpstreamReply<Value>>,
  ): Promise<FetchSuccess<Value> | CallFailure> {
    const { hosts, key } = this.gate;
    const { callBudget, clock, observer } = this.#options;
    const kind = kindOf(subject);
    const [requestedAt, requestedAtMs] = [clock.now(), clock.wallNow()];
    if (requestedAt > permit.expiresAt) return this.#unsent(permit);
    onSent(requestedAt);
    hosts.recordAttempt(host, requestedAt);
    key.recordAttempt(kind, requestedAt);
    const reply = await send();
    const now = clock.now();
    callBudget.settle(permit, callResultOf(reply));
    const { outcome } = reply;
    const observed = outcome.ok ? 'answered' : outcome.failure.kind;
    observer?.called?.({ host, kind, outcome: observed, durationMs: now - requestedAt });
    // This process stops: neither the host nor the subject failed.
    if (!outcome.ok && this.#ended.signal.aborted) return STOPPED;
    if (outcome.ok || outcome.failure.kind === 'key-refused' || outcome.failure.kind === 'rate-limited')
      if (hosts.recordSuccess(host, now)) this.gate.hostBack();
    if (!outcome.ok) return this.#failed(outcome.failure, { kind, host });
    key.recordAccepted(kind);
    const { fencingToken } = permit;
    return { ok: true, value: outcome.value, requestedAt, requestedAtMs, fencingToken, owner: reply.owner };
  }

  #failed(failure: UpstreamFailure, { kind, host }: { kind: UpstreamRequest['kind']; host: HostName }): CallFailure {
    const { hosts, key } = this.gate;
    const now = this.#options.clock.now();
    if (failure.kind === 'key-refused') {
      if (failure.otherKeyAtHand) return { ...FAILURES[failure.kind], retryInMs: 1_000, another: 'key' };
      key.recordRefusal(kind, failure.status, now);
      return { ...FAILURES[failure.kind], status: failure.status };
    }
    if (failure.kind === 'rate-limited')
      return { ...FAILURES[failure.kind], retryInMs: this.budget.pausedForMs, status: 429 };
    hosts.recordFailure(host, now);
    const status = 'status' in failure ? { status: failure.status } : {};
    const openForMs = hosts.openForMs(now);
    const allDown = openForMs > 0 ? { allHostsDown: true, retryInMs: openForMs } : {};
    return { ...FAILURES[failure.kind], ...status, ...allDown, another: 'host' };
  }
}
