import type { AcquireResult, CallBudget, CallPermit } from '../budget/call-budget.ts';
import { PermitQueue } from '../budget/permit-queue.ts';
import type { Clock } from '../lib/clock.ts';
import type { ApiKeyStatus } from './api-key-status.ts';
import type { Backoffs } from './backoffs.ts';
import type { CallObserver } from './call-observer.ts';
import { type Failure, notAttempted, STOPPED } from './failure.ts';
import type { HostName, Hosts } from './hosts.ts';

/**
 * An awaited request may spend this fraction of its deadline waiting for a permit. The rest of the time is for the
 * call. With this fraction, a page with ten cards loads completely after a first start. The last permit arrives after
 * 2.9 of 5 s.
 */
const PERMIT_WAIT_SHARE = 3 / 4;

/**
 * A request. While the request is under way, readers may join it. `isAwaited` may then become true, and `demand` may
 * grow.
 */
export interface FetchRequest {
  readonly subject: string;
  /** Whether a reader who has no cached answer waits for this call. Such a request waits for a permit. */
  readonly isAwaited: boolean;
  /** Views per minute. Of the requests that wait for a permit, the one with the highest demand goes first. */
  readonly demand: number;
  recordSent(now: number): void;
}

/** The progress of a request: the hosts that it has tried, its deadline, and how many calls it has sent. */
export interface Attempt {
  readonly request: FetchRequest;
  readonly tried: Set<HostName>;
  readonly endsAt: number;
  /** How many calls the request has sent. */
  calls: number;
}

/** A call that has been admitted and is sent now. */
export interface Admission {
  readonly ok: true;
  readonly permit: CallPermit;
  readonly sentAt: number;
  readonly host: HostName;
  /** The host to try next if this host fails. */
  readonly other: HostName | undefined;
}

/** What blocks calls for a subject, and the failure that reports it. */
interface Refusal {
  readonly by: 'stop' | 'key-refused' | 'circuit-open' | 'backoff';
  readonly failure: Failure;
}

export interface DoorOptions {
  readonly apiKey: ApiKeyStatus;
  readonly hosts: Hosts;
  readonly backoffs: Backoffs;
  readonly callBudget: CallBudget;
  readonly clock: Clock;
  readonly observer?: CallObserver | undefined;
  /** Deadline of a request, in ms. */
  readonly timeoutMs: number;
}

/** Decides for every call whether it may be sent now. */
export class Door {
  readonly #options: DoorOptions;
  readonly #permitQueue: PermitQueue;
  #isClosed = false;

  constructor(options: DoorOptions) {
    this.#options = options;
    this.#permitQueue = new PermitQueue(options.callBudget, options.clock);
  }

  /** Decides whether a call may be sent now. Checks the key, the hosts, the backoff, and the budget, in this order. */
  async admit(attempt: Attempt): Promise<Admission | Failure> {
    const { request } = attempt;
    const isFirst = attempt.calls === 0;
    const refusal = this.#refusal(request.subject, isFirst);
    if (refusal) {
      if (refusal.by !== 'stop' && refusal.by !== 'backoff') this.#options.observer?.refused?.(refusal.by);
      return refusal.failure;
    }
    const permit = await this.#acquirePermit(attempt);
    if ('ok' in permit) return permit;
    // The conditions may have changed during the wait for the permit.
    const late = this.#refusal(request.subject, isFirst);
    const [host, other] = this.hostsFor(attempt);
    const sentAt = this.#options.clock.now();
    if (!late && host !== undefined && sentAt <= permit.expiresAt)
      return this.#send(request, { ok: true, permit, sentAt, host, other });
    this.#options.callBudget.settle(permit, { fate: 'unsent' });
    return late?.failure ?? notAttempted('upstream_unavailable', 'upstream-unavailable', 1_000);
  }

  /** Returns why no call for `subject` may be sent now; undefined if a call may be sent. */
  whyNoCall(subject: string): Failure | undefined {
    const refusal = this.#refusal(subject);
    if (refusal) return refusal.failure;
    const { left, pausedForMs, starting } = this.#options.callBudget.status();
    if (left >= 1) return undefined;
    const detail = pausedForMs > 0 ? 'paused' : starting ? 'starting' : 'budget';
    return notAttempted('upstream_rate_limited', detail, Math.max(1_000, pausedForMs));
  }

  /** Returns whether the key, the hosts, or a backoff blocks calls for `subject`, regardless of the budget. */
  isHeld(subject: string): boolean {
    return this.#refusal(subject) !== undefined;
  }

  /** The hosts that this request may call now, in order, without the hosts that have already failed. */
  hostsFor({ request, tried }: Attempt): readonly HostName[] {
    const { isAwaited } = request;
    return this.#options.hosts.order(this.#options.clock.now(), { isAwaited }).filter((host) => !tried.has(host));
  }

  /** Stops admitting calls. */
  close(): void {
    this.#isClosed = true;
    this.#permitQueue.close();
  }

  /**
   * Records that a call is sent. The next request then sees that the key was tried, the host was probed, and the turn
   * was used.
   */
  #send(request: FetchRequest, admission: Admission): Admission {
    const { apiKey, hosts, backoffs } = this.#options;
    const { host, sentAt } = admission;
    hosts.recordAttempt(host, sentAt);
    apiKey.recordAttempt(request.subject, sentAt);
    backoffs.recordAttempt(request.subject, sentAt);
    request.recordSent(sentAt);
    return admission;
  }

  /**
   * Returns what blocks calls for a subject, other than the budget. If `asksBackoff` is false, the backoff is
   * ignored, because the request has already sent a call.
   */
  #refusal(subject: string, asksBackoff = true): Refusal | undefined {
    if (this.#isClosed) return { by: 'stop', failure: STOPPED };
    const now = this.#options.clock.now();
    const keyRetryInMs = this.#options.apiKey.retryInMs(subject, now);
    if (keyRetryInMs > 0) return { by: 'key-refused', failure: notAttempted('upstream_auth', 'auth', keyRetryInMs) };
    const openForMs = this.#options.hosts.openForMs(now);
    if (openForMs > 0)
      return {
        by: 'circuit-open',
        failure: notAttempted('upstream_unavailable', 'upstream-unavailable', openForMs),
      };
    const failure = asksBackoff ? this.#options.backoffs.refusal(subject, now) : undefined;
    return failure && { by: 'backoff', failure };
  }

  /** Acquires a permit, or says why there is none. */
  async #acquirePermit(attempt: Attempt): Promise<CallPermit | Failure> {
    const result = await this.#acquire(attempt);
    if (result.kind === 'granted') return result.permit;
    if (result.kind === 'in-flight-elsewhere')
      return notAttempted('upstream_unavailable', 'elsewhere', result.retryInMs);
    this.#options.observer?.refused?.(result.reason);
    const detail = result.reason === 'starting' || result.reason === 'paused' ? result.reason : 'budget';
    return notAttempted('upstream_rate_limited', detail, result.retryInMs);
  }

  /** If a reader waits for the call, waits for a permit. Otherwise, acquires a permit only if one is available now. */
  async #acquire({ request, endsAt }: Attempt): Promise<AcquireResult> {
    if (!request.isAwaited) {
      const result = await this.#permitQueue.acquire(request.subject);
      // If a reader has joined in the meantime, the request waits for a permit.
      if (result.kind !== 'denied' || !request.isAwaited) return result;
    }
    return this.#permitQueue.waitFor(request, endsAt - (1 - PERMIT_WAIT_SHARE) * this.#options.timeoutMs);
  }
}
