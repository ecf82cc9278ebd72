import type { BudgetStatus, CallBudget, CallResult } from '../budget/call-budget.ts';
import type { Answer, AnswerOwner } from './answer.ts';
import { ApiKeyStatus } from './api-key-status.ts';
import { Backoffs, type BackoffsOptions, type LastFailure } from './backoffs.ts';
import type { CallObserver } from './call-observer.ts';
import { type Admission, type Attempt, Door, type FetchRequest } from './door.ts';
import { CALL_FAILURES, type Failure, STOPPED } from './failure.ts';
import { type CallReply, HostClient, type HostClientOptions, type UpstreamSettings } from './host-client.ts';
import { type HostName, Hosts } from './hosts.ts';
import type { CallFailure, Reply } from './classify-response.ts';
import { type Content, kindOf, operationOn } from './subject.ts';

/** If less time than this is left, no call is made. */
const MIN_CALL_MS = 100;

/** The first of two hosts gets this fraction of the remaining time. */
const FIRST_HOST_SHARE = 0.6;

/**
 * A timeout counts as a failure of the host only if the call had at least this fraction of the deadline. If the wait
 * for the permit left less time, even a host that answers at its usual speed can be too slow.
 */
const MIN_FAIR_SHARE = 0.5;

/** How many times a request is retried because the key was replaced in the meantime. */
const MAX_KEY_RETRIES = 2;

/**
 * If a call fails while all hosts are down, its subject waits this much longer than the hosts. The next probe is then
 * about a different subject.
 */
const OTHERS_PROBE_FIRST_MS = 1_000;

export interface UpstreamOptions extends HostClientOptions, Pick<BackoffsOptions, 'random'> {
  readonly callBudget: CallBudget;
  readonly observer?: CallObserver | undefined;
}

/** An answer, or the reason why there is none. */
type FetchResult = ({ readonly ok: true; readonly owner: AnswerOwner } & Answer<Content>) | Failure;

/**
 * A failed call. `retry`: the other host or the new key, with which the call can be retried immediately. Undefined if a
 * retry doesn't make sense.
 */
interface FailedCall extends Failure {
  readonly retry?: 'host' | 'key';
}

/**
 * The client of the service. Makes the calls that are allowed. If a host fails, the second host is tried within the
 * same deadline.
 */
export class Upstream {
  readonly hosts: Hosts;
  readonly apiKey = new ApiKeyStatus();
  readonly backoffs: Backoffs;
  readonly #options: UpstreamOptions;
  readonly #client: HostClient;
  readonly #door: Door;

  constructor(settings: UpstreamSettings, options: UpstreamOptions) {
    const { callBudget, clock, random, observer } = options;
    this.#options = options;
    this.#client = new HostClient(settings, options);
    this.hosts = new Hosts({ hasAlt: this.#client.hasAlt, callMs: this.timeoutMs });
    this.backoffs = new Backoffs({ callBudget, random });
    const { apiKey, backoffs, hosts, timeoutMs } = this;
    this.#door = new Door({ apiKey, hosts, backoffs, callBudget, clock, observer, timeoutMs });
  }

  /** Deadline of a request to one host, or to both hosts together, in ms. */
  get timeoutMs(): number {
    return this.#client.timeoutMs;
  }

  /** The state of the call budget. */
  get budget(): BudgetStatus {
    return this.#options.callBudget.status();
  }

  /** Ends all calls. No more calls are sent. */
  close(): void {
    this.#client.close();
    this.#door.close();
  }

  /** Returns why no call for `subject` may be sent now; undefined if a call may be sent. */
  whyNoCall(subject: string): Failure | undefined {
    return this.#door.whyNoCall(subject);
  }

  /** Returns whether calls for `subject` are blocked, regardless of the budget. */
  isHeld(subject: string): boolean {
    return this.#door.isHeld(subject);
  }

  /**
   * The last failure of a subject, until a call for the subject succeeds. The failure's backoff may already be over.
   */
  lastFailure(subject: string): LastFailure | undefined {
    return this.backoffs.lastFailure(subject, this.#options.clock.now());
  }

  /**
   * Requests the latest answer for a subject from one host, or from both in turn. Records the outcome. Never rejects.
   */
  async fetch(request: FetchRequest): Promise<FetchResult> {
    const result = await this.#tryHosts(request);
    if (result.ok) this.backoffs.recordSuccess(request.subject);
    return result.ok || !result.attempted ? result : this.recordFailure(request.subject, result);
  }

  /** Records that a call for a subject failed. Returns the failure, with the wait until the next call. */
  recordFailure(subject: string, failure: Failure): Failure {
    const now = this.#options.clock.now();
    const downForMs = this.hosts.openForMs(now);
    const isOwn = failure.code !== 'upstream_auth' && failure.code !== 'upstream_rate_limited' && downForMs === 0;
    const waitMs = downForMs > 0 ? downForMs + OTHERS_PROBE_FIRST_MS : failure.retryInMs;
    const retryInMs = this.backoffs.recordFailure(subject, failure, now, isOwn ? undefined : waitMs);
    return { ...failure, retryInMs };
  }

  /** Records that the key was replaced. The new key may be tried immediately. */
  keyReplaced(): void {
    this.apiKey.reset();
    this.backoffs.endCodes('upstream_auth');
  }

  async #tryHosts(request: FetchRequest): Promise<FetchResult> {
    const endsAt = this.#options.clock.now() + this.timeoutMs;
    const attempt: Attempt = { request, tried: new Set<HostName>(), endsAt, calls: 0 };
    let keyRetries = 0;
    let failure: FailedCall | undefined;
    for (;;) {
      const admission = await this.#door.admit(attempt);
      if (!admission.ok) return afterCall(failure, admission);
      const result = await this.#send(admission, attempt);
      if (result.ok || !result.attempted) return result.ok ? result : afterCall(failure, result);
      const mayTryOther =
        this.#options.clock.now() + MIN_CALL_MS < attempt.endsAt && this.#door.hostsFor(attempt).length > 0;
      const mayTryKey = result.retry === 'key' && keyRetries++ < MAX_KEY_RETRIES;
      if (!mayTryKey && (result.retry !== 'host' || !mayTryOther)) return result;
      failure = result;
    }
  }

  /** Makes an admitted call, and records the result for the key, the host, and the budget. */
  async #send(
    { permit, sentAt: requestedAt, host, other }: Admission,
    attempt: Attempt,
  ): Promise<Extract<FetchResult, { ok: true }> | FailedCall> {
    const { subject } = permit;
    const requestedAtMs = this.#options.clock.wallNow();
    const leftMs = Math.max(MIN_CALL_MS, attempt.endsAt - requestedAt);
    const deadlineMs = other === undefined ? leftMs : leftMs * FIRST_HOST_SHARE;
    const reply = await this.#client.call(host, operationOn(subject), deadlineMs);
    const isHurried = attempt.calls === 0 && leftMs < this.timeoutMs * MIN_FAIR_SHARE;
    attempt.calls += 1;
    const { outcome, rate, owner, hasOtherKey } = reply;
    if (!hasOtherKey) attempt.tried.add(host);
    this.#options.callBudget.settle(permit, callResultOf(outcome.ok ? undefined : outcome.failure, rate));
    this.#report(reply, subject, requestedAt);
    // The call was aborted because this process is stopping. Neither the host nor the subject has failed.
    if (!outcome.ok && this.#client.isClosed) return STOPPED;
    if (!outcome.ok) return this.#failed(subject, outcome.failure, { ...reply, isHurried });
    this.#recordHostAnswer(host);
    this.apiKey.recordAccepted(subject);
    return { ok: true, value: outcome.value, requestedAt, requestedAtMs, fencingToken: permit.fencingToken, owner };
  }

  #report({ host, outcome }: CallReply<unknown>, subject: string, requestedAt: number): void {
    const observed = outcome.ok ? 'answered' : outcome.failure.kind;
    const durationMs = this.#options.clock.now() - requestedAt;
    this.#options.observer?.called?.({ host, kind: kindOf(subject), outcome: observed, durationMs });
  }

  #failed(
    subject: string,
    failure: CallFailure,
    { host, hasOtherKey, isHurried }: CallReply<unknown> & { readonly isHurried: boolean },
  ): FailedCall {
    const now = this.#options.clock.now();
    const reported = CALL_FAILURES[failure.kind];
    if (failure.kind === 'key-refused') {
      this.#recordHostAnswer(host);
      if (hasOtherKey) return { ...reported, retryInMs: 1_000, retry: 'key' };
      this.apiKey.recordRefusal(subject, failure.status, now);
      return { ...reported, status: failure.status };
    }
    if (failure.kind === 'rate-limited') {
      this.#recordHostAnswer(host);
      return { ...reported, retryInMs: this.budget.pausedForMs, status: 429 };
    }
    if (failure.kind !== 'timed-out' || !isHurried) this.hosts.recordFailure(host, now, failure);
    const retryInMs = this.hosts.openForMs(now) || reported.retryInMs;
    return { ...reported, ...('status' in failure && { status: failure.status }), retryInMs, retry: 'host' };
  }

  /**
   * Records an answer from a host. If all hosts were down, subjects that failed in the meantime may be retried
   * immediately.
   */
  #recordHostAnswer(host: HostName): void {
    if (this.hosts.recordAnswer(host, this.#options.clock.now()))
      this.backoffs.endCodes('upstream_unavailable', 'upstream_invalid');
  }
}

/**
 * Returns the failure to report if no second call could be made. In most cases, the first call's failure is returned.
 * There are two exceptions: the first call's key has been replaced since, or another instance has a call in flight.
 */
function afterCall(failure: FailedCall | undefined, noCall: Failure): Failure {
  if (!failure || noCall.detail === 'elsewhere') return noCall;
  return failure.retry === 'key' ? { ...noCall, attempted: true } : failure;
}

/**
 * Returns what the result of a call means for the budget. The rate-limit headers of a 401 or 403 are ignored, because
 * the upstream counts such calls separately.
 */
function callResultOf(failure: CallFailure | undefined, rate: Reply<unknown>['rate']): CallResult {
  switch (failure?.kind) {
    case 'unreachable':
    case 'timed-out':
      return { fate: 'lost' };
    case 'key-refused':
      return { fate: 'answered' };
    case 'rate-limited':
      return { fate: 'answered', window: rate, rateLimited: { retryAfterMs: failure.retryAfterMs } };
    default:
      return { fate: 'answered', window: rate };
  }
}
