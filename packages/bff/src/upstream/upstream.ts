import { EventEmitter } from 'node:events';
import { elapsed } from '../lib/clock.ts';
import { TargetBackoffs } from './target-backoffs.ts';
import type { CallBudget } from './call-budget.ts';
import { type Call, callService, digestOf, type Service } from './call-service.ts';
import type { Answered, CallFailure } from './classify-response.ts';
import { type Failure, failed, type FailureCode, type HostName, isOfKey, isOutage } from './failure.ts';
import { Hosts } from './hosts.ts';
import type { Key } from './key.ts';
import { type Content, LIST, type Operation, operationOf } from './target.ts';

/** The first of two hosts gets this fraction of the remaining time. */
const FIRST_HOST_SHARE = 0.6;

/** A timeout counts against a host only if its call had at least this fraction of the full deadline. */
const FAIR_SHARE = 0.5;

/** A reader's call may spend this fraction of the deadline waiting for the budget. */
const WAIT_SHARE = 0.75;

/**
 * How long other calls wait for the budget. After a quiet time, the budget allows only one call until its response has
 * arrived, and the other calls for the same page come right after it.
 */
const SHORT_WAIT_MS = 250;

/** How often a waiting call rechecks the budget, which a response may have changed. */
const CHECK_EVERY_MS = 100;

/** Once a host that was down may be tried again, targets that failed let others go first for this long. */
const FAILING_WAITS_MS = 1_000;

/** At most one in this many calls is for a failing source. */
const CALLS_PER_FAILING = 4;

/** A response from the service. */
export interface Answer {
  readonly ok: true;
  readonly value: Content;
  /** Fields that were read as null because their values are unreadable. */
  readonly unreadable?: readonly string[] | undefined;
  /** When it was requested, on the monotonic clock. */
  readonly requestedAt: number;
  /** The same in ms since the Unix epoch. */
  readonly requestedAtMs: number;
  readonly host: HostName;
  /** Identifies the key that was sent, without revealing it. */
  readonly keyName: string;
  /** A digest of the account; undefined if the response doesn't identify one, such as a 404 for a missing pulse. */
  readonly account: string | undefined;
}

export interface UpstreamOptions extends Service {
  readonly timeoutMs: number;
  readonly key: Key;
  readonly budget: CallBudget;
  /** @default Math.random */
  readonly random?: () => number;
}

/** A call that was made, for metrics. */
export interface CallFacts {
  readonly host: HostName;
  readonly kind: Operation;
  readonly outcome: 'answered' | FailureCode;
  readonly durationMs: number;
}

interface SentCall extends Call {
  readonly sentAt: number;
}

/** A fetch that is in progress. */
interface Fetch {
  readonly target: string;
  readonly isAwaited: boolean;
  readonly endsAt: number;
  readonly failedHosts: HostName[];
  usesNewConnection: boolean;
  /** Whether another call might succeed immediately: with another host, another key, or a fresh connection. */
  mayRepeat: boolean;
}

/** The client for the service. Only its `fetch()` makes calls and decides when. */
export class Upstream {
  readonly hosts: Hosts;
  readonly backoffs: TargetBackoffs;
  readonly timeoutMs: number;
  /** `refused`: a call wasn't made. Any number of routers can listen. */
  readonly events = new EventEmitter<{ called: [CallFacts]; refused: [FailureCode] }>().setMaxListeners(0);
  readonly #options: UpstreamOptions;
  readonly #closed = new AbortController();
  /** The limit that the service last reported; null if it never reported one. */
  #serviceLimit: number | null = null;
  /** The time since which the service has returned 429 for every call; undefined if it hasn't. */
  #limitedSince: number | undefined;

  constructor(options: UpstreamOptions) {
    const { altBaseUrl, budget, clock, random, timeoutMs, key } = options;
    this.#options = options;
    this.timeoutMs = timeoutMs;
    this.hosts = new Hosts({ hasAlt: altBaseUrl !== undefined, clock });
    const { windowMs, capacity } = budget.status(clock.now());
    const everyMs = (CALLS_PER_FAILING * windowMs) / Math.max(1, capacity);
    this.backoffs = new TargetBackoffs({ clock, everyMs, random });
    key.onChange(() => this.backoffs.clear());
  }

  /**
   * Requests a target unless the key, the hosts, or its backoff block it. Takes a call from the budget, calls the
   * preferred host, and if that fails, the other host. `isAwaited`: a reader is waiting and there's nothing to show
   * yet, so the call may wait for the budget. Never rejects.
   */
  async fetch(target: string, { isAwaited }: { readonly isAwaited: boolean }): Promise<Answer | Failure> {
    let noCall = this.blocks(target);
    if (!noCall) {
      this.backoffs.tried(target);
      noCall = await this.#takeCall(target, isAwaited ? WAIT_SHARE * this.timeoutMs : SHORT_WAIT_MS);
    }
    if (noCall) {
      this.events.emit('refused', noCall.code);
      return noCall;
    }
    const beganAt = this.#now();
    const endsAt = beganAt + this.timeoutMs;
    const fetch = { target, isAwaited, endsAt, failedHosts: [], usesNewConnection: false, mayRepeat: false };
    let result = await this.#call(fetch);
    while (!result.ok && (await this.#mayRepeat(fetch))) result = await this.#call(fetch);
    return result.ok ? this.#succeeded(target, result) : this.recordFailure(target, result, beganAt);
  }

  /** Why no call for `target` may be sent now; undefined if one may. */
  whyNoCall(target: string): Failure | undefined {
    const waitMs = this.#options.budget.waitMs(this.#now());
    return this.blocks(target) ?? (waitMs > 0 ? this.#outOfCalls(waitMs) : undefined);
  }

  /**
   * Why calls for `target` are blocked, apart from the budget: this process is stopping, the key is rejected, all hosts
   * are down, or the target failed recently. Undefined if calls aren't blocked.
   */
  blocks(target: string): Failure | undefined {
    if (this.#closed.signal.aborted) return failed('stopping', 1_000);
    const mayTryHost = target === LIST || this.backoffs.last(target) === undefined;
    const hostsDown = this.hosts.blocks(mayTryHost ? 0 : FAILING_WAITS_MS);
    return this.#options.key.blocks(operationOf(target)) ?? hostsDown ?? this.backoffs.blocks(target);
  }

  /**
   * Records that a call for a target, which began at `beganAt`, failed. Returns the failure with the time until the next
   * call: while all hosts are down, their wait; after an outage of this target, its backoff; otherwise, the wait of the
   * failure.
   */
  recordFailure(target: string, failure: Failure, beganAt = this.#now()): Failure {
    const ownWaitMs = isOutage(failure.code) ? undefined : failure.retryInMs;
    const waitMs = this.hosts.blocks()?.retryInMs ?? ownWaitMs;
    return { ...failure, retryInMs: this.backoffs.failed(target, failure, { beganAt, waitMs }) };
  }

  /** The state of everything that affects calls. */
  status() {
    const { budget, key } = this.#options;
    const now = this.#now();
    return {
      hosts: this.hosts.status(),
      budget: budget.status(now),
      key: key.acceptance(),
      /** How long the service has returned 429 for every call; undefined if it hasn't. */
      limitedForMs: this.#limitedSince === undefined ? undefined : now - this.#limitedSince,
      serviceLimit: this.#serviceLimit,
    };
  }

  /** Ends all calls. No more calls are sent. */
  close(): void {
    this.#closed.abort();
  }

  /**
   * Takes a call from the budget within `maxWaitMs`. Returns the reason if it can't. Checks what blocks calls only after
   * a wait, because a repeated call goes to another host or uses another key.
   */
  async #takeCall(target: string, maxWaitMs: number): Promise<Failure | undefined> {
    const { budget, clock } = this.#options;
    const latest = this.#now() + maxWaitMs;
    for (;;) {
      const now = this.#now();
      const waitMs = budget.waitMs(now) || (await budget.take(now));
      if (waitMs <= 0) return undefined;
      if (now >= latest) return this.#outOfCalls(waitMs);
      await elapsed(clock, Math.min(waitMs, latest - now, CHECK_EVERY_MS));
      const blocked = this.blocks(target);
      if (blocked) return blocked;
    }
  }

  #outOfCalls(waitMs: number): Failure {
    const { pausedForMs, starting } = this.#options.budget.status(this.#now());
    // A 200 after which no calls remain also causes a pause, but nothing has failed.
    const isLimited = pausedForMs > 0 && this.#limitedSince !== undefined;
    const ownCode = starting ? 'starting' : 'out_of_calls';
    return failed(isLimited ? 'rate_limited' : ownCode, waitMs);
  }

  /** Whether to make another call immediately. Takes it from the budget. */
  async #mayRepeat(fetch: Fetch): Promise<boolean> {
    const leftMs = fetch.endsAt - this.#now();
    if (!fetch.mayRepeat || this.#hostsFor(fetch).length === 0) return false;
    return (await this.#takeCall(fetch.target, WAIT_SHARE * leftMs)) === undefined;
  }

  #hostsFor({ isAwaited, failedHosts }: Fetch): readonly HostName[] {
    return this.hosts.order({ isAwaited }).filter((host) => !failedHosts.includes(host));
  }

  /** Makes one call to the preferred host. */
  async #call(fetch: Fetch): Promise<Answer | Failure> {
    const { key: keys, budget, clock } = this.#options;
    const { target, usesNewConnection } = fetch;
    const operation = operationOf(target);
    const [host, other] = this.#hostsFor(fetch);
    const [sentAt, requestedAtMs] = [this.#now(), clock.wallNow()];
    if (host === undefined) {
      // Another fetch has just made the only call that the hosts allow.
      budget.ended(sentAt);
      fetch.mayRepeat = false;
      return failed(this.hosts.failureCode);
    }
    const deadlineMs = (fetch.endsAt - sentAt) * (other === undefined ? 1 : FIRST_HOST_SHARE);
    const key = keys.current(operation);
    const call = { host, target, key, deadlineMs, usesNewConnection, sentAt };
    this.hosts.tried(host, sentAt + deadlineMs);
    keys.tried(operation);
    const reply = await callService(this.#options, call, this.#closed.signal);
    this.#record(call, reply);
    if (!reply.ok) return this.#failed(fetch, call, reply);
    keys.accepted(key, operation);
    const { value, unreadable } = reply;
    const account = reply.account && digestOf(reply.account);
    return { ok: true, value, unreadable, requestedAt: sentAt, requestedAtMs, host, keyName: key.name, account };
  }

  /** Records what a reply says about the limits and the list. */
  #record({ host, target, sentAt }: SentCall, reply: Answered | CallFailure): void {
    const now = this.#now();
    const outcome = reply.ok ? 'answered' : reply.code;
    const isLimited = outcome === 'rate_limited';
    const hasAnswer = reply.ok || reply.status !== undefined;
    this.#options.budget.ended(now, hasAnswer ? { ...reply, isLimited } : undefined);
    if (hasAnswer) this.#limitedSince = isLimited ? (this.#limitedSince ?? sentAt) : undefined;
    this.#serviceLimit = reply.rate?.limit ?? this.#serviceLimit;
    const isRefused = isLimited || (!reply.ok && isOfKey(reply.code));
    if (target === LIST && !isRefused) this.hosts.listEnded(host, sentAt, { isBad: !reply.ok });
    this.events.emit('called', { host, kind: operationOf(target), outcome, durationMs: now - sentAt });
  }

  /** Decides what a failed call counts against, and whether another call may succeed immediately. */
  async #failed(fetch: Fetch, call: SentCall, reply: CallFailure): Promise<Failure> {
    const { host, target, key, deadlineMs } = call;
    const operation = operationOf(target);
    const { code, status, detail, isReset = false } = reply;
    const { budget, key: keys } = this.#options;
    const more = { status, detail, host };
    fetch.mayRepeat = fetch.usesNewConnection = isReset;
    if (this.#closed.signal.aborted) return failed('stopping', 1_000);
    if (fetch.mayRepeat) return failed(code, 0, more);
    if (code === 'rate_limited' || isOfKey(code)) this.hosts.answered(host);
    if (code === 'rate_limited') return failed(code, Math.max(1_000, budget.waitMs(this.#now())), more);
    if (isOfKey(code)) {
      fetch.mayRepeat = await keys.rejected(key, operation, code === 'key_rejected' ? 401 : 403);
      return failed(code, keys.blocks(operation)?.retryInMs ?? 1_000, more);
    }
    fetch.failedHosts.push(host);
    fetch.mayRepeat = true;
    const isAboutSource = (code === 'invalid' && (status ?? 0) >= 400) || this.#hasAnsweredOthers(call);
    const isFair = code !== 'timeout' || deadlineMs >= FAIR_SHARE * this.timeoutMs;
    if (!isAboutSource && isFair) this.hosts.failed(host, { code, status, detail });
    return failed(code, 0, more);
  }

  /**
   * Whether the host has responded to other calls since this target began to fail, which means that the host isn't the
   * cause.
   */
  #hasAnsweredOthers({ host, target, sentAt }: SentCall): boolean {
    const now = this.#now();
    const { forMs = now - sentAt } = this.backoffs.last(target) ?? {};
    return this.hosts.lastAnswerAt(host) > now - forMs;
  }

  #succeeded(target: string, answer: Answer): Answer | Failure {
    const isDoubtful = answer.value === null && this.hosts.trusts404(answer.host, answer.requestedAt) === false;
    if (isDoubtful)
      return this.recordFailure(target, failed('not_found_everywhere', 0, { status: 404, host: answer.host }));
    this.hosts.answered(answer.host);
    this.backoffs.succeeded(target);
    return answer;
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
