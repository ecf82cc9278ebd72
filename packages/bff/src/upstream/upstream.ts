import type { ApiKey } from '../lib/api-key.ts';
import type { Clock } from '../lib/clock.ts';
import type { Outgoing } from '../lib/outgoing.ts';
import { Backoffs, type LastFailure } from './backoffs.ts';
import type { BudgetStatus, CallBudget } from './budget.ts';
import type { Answered, CallFailure } from './classify-response.ts';
import { type Failure, failed, type FailureCode, type HostName, OUTAGES } from './failure.ts';
import { Hosts, type HostStatus } from './hosts.ts';
import { KeyState, type KeyStatus } from './key-state.ts';
import type { Key } from './key.ts';
import { digestOf, ServiceClient } from './service-client.ts';
import { type Content, LIST, type Operation, operationOf } from './target.ts';

/** If less time than this is left, no further call is made. */
const MIN_CALL_MS = 100;

/** The first of two hosts gets this part of the time that is left. */
const FIRST_HOST_SHARE = 0.6;

/** A timeout counts against a host only if its call had at least this part of the full deadline. */
const FAIR_SHARE = 0.5;

/** A reader's call may spend this part of the deadline waiting for the budget. */
const WAIT_SHARE = 0.75;

/** How often a call is repeated because the key was replaced in the meantime. */
const MAX_KEY_TRIES = 2;

/**
 * While all hosts are down, a failing target waits this much longer than they do, so that another one tries them first.
 */
const OTHERS_FIRST_MS = 1_000;

/** Of this many calls, one may be for a failing source. */
const CALLS_PER_FAILING = 4;

/** A response from the service. */
export interface Answer {
  readonly ok: true;
  readonly value: Content;
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

/** Receives each call and each call that wasn't allowed, for metrics. */
export interface CallObserver {
  called?(call: {
    readonly host: HostName;
    readonly kind: Operation;
    readonly outcome: 'answered' | FailureCode;
    readonly durationMs: number;
  }): void;
  refused?(code: FailureCode): void;
}

/** The state of the upstream. */
export interface UpstreamStatus {
  readonly hosts: readonly HostStatus[];
  readonly budget: BudgetStatus;
  readonly key: KeyStatus;
  /** How long the service has returned 429 for every call; undefined if it doesn't. */
  readonly limitedForMs: number | undefined;
  /** The limit that the service named last; null if it named none. */
  readonly serviceLimit: number | null;
}

export interface UpstreamOptions {
  readonly baseUrl: string;
  readonly altBaseUrl?: string | undefined;
  readonly timeoutMs: number;
  readonly key: Key;
  readonly budget: CallBudget;
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  /** Lists the response fields that couldn't be parsed. */
  readonly onUnreadable?: (target: string, fields: readonly string[]) => void;
  /** @default Math.random */
  readonly random?: () => number;
}

/** A fetch: what it asks for, until when, and what it has tried. */
interface Attempt {
  readonly target: string;
  readonly isAwaited: boolean;
  readonly endsAt: number;
  readonly tried: Set<HostName>;
  keyTries: number;
  isFresh: boolean;
}

/** The end of one call. `retry`: with what another call may succeed immediately. */
type Ended = Answer | (Failure & { readonly retry?: 'connection' | 'key' | 'host' | undefined });

/** The client of the service. Only its `fetch()` makes calls and decides when. */
export class Upstream {
  readonly keyState = new KeyState();
  readonly backoffs: Backoffs;
  readonly timeoutMs: number;
  readonly #options: UpstreamOptions;
  readonly #client: ServiceClient;
  readonly #hosts: Hosts;
  readonly #observers = new Set<CallObserver>();
  readonly #sleepers = new Set<() => void>();
  /** The outcome of the latest call for the list on each host, and when it was sent. */
  readonly #lists = new Map<HostName, { readonly isBad: boolean; readonly at: number }>();
  #callsInFlight = 0;
  #limitedSince: number | undefined;
  #serviceLimit: number | null = null;

  constructor(options: UpstreamOptions) {
    const { budget, clock, random, timeoutMs } = options;
    this.#options = options;
    this.timeoutMs = timeoutMs;
    this.#client = new ServiceClient(options, options);
    this.#hosts = new Hosts({ hasAlt: this.#client.hasAlt });
    const { windowMs, capacity } = budget.status(clock.now());
    const turnMs = (CALLS_PER_FAILING * windowMs) / Math.max(1, capacity);
    this.backoffs = new Backoffs({ turnMs, ...(random && { random }) });
    options.key.onChange(() => this.#keyReplaced());
  }

  /**
   * Requests a target: waits for its backoff, the key, the hosts, and the budget, calls the host that is next, and if
   * that fails, the other host. `isAwaited`: a reader is waiting without any response to show, so the call may wait for
   * the budget. Never rejects.
   */
  async fetch(target: string, { isAwaited }: { readonly isAwaited: boolean }): Promise<Answer | Failure> {
    const startedAt = this.#now();
    const noCall = await this.#takeCall(startedAt + (isAwaited ? WAIT_SHARE * this.timeoutMs : 0), target);
    if (noCall) return noCall;
    const endsAt = this.#now() + this.timeoutMs;
    const attempt: Attempt = { target, isAwaited, endsAt, tried: new Set(), keyTries: 0, isFresh: false };
    let ended = await this.#call(attempt);
    while (!ended.ok && (await this.#mayTryAgain(attempt, ended.retry))) ended = await this.#call(attempt);
    return ended.ok ? this.#succeeded(target, ended) : this.recordFailure(target, withoutRetry(ended));
  }

  /** Why no call for `target` may be sent now; undefined if one may. */
  mayCall(target: string): Failure | undefined {
    const now = this.#now();
    const waitMs = this.#options.budget.waitMs(now);
    return this.#blocks(target) ?? (waitMs > 0 ? this.#outOfCalls(waitMs) : undefined);
  }

  /** Why calls for `target` are blocked, apart from the budget; undefined if they aren't. */
  blocks(target: string): Failure | undefined {
    return this.#blocks(target);
  }

  /** The last failure of a target, until a call for it succeeds. */
  lastFailure(target: string): LastFailure | undefined {
    return this.backoffs.last(target, this.#now());
  }

  /** Records that a call for a target failed. Returns the failure with the time until the next call. */
  recordFailure(target: string, failure: Failure): Failure {
    const now = this.#now();
    const downForMs = this.#hosts.downForMs(now);
    const isOwn = downForMs === 0 && OUTAGES.has(failure.code);
    const waitMs = downForMs > 0 ? downForMs + OTHERS_FIRST_MS : failure.retryInMs;
    return { ...failure, retryInMs: this.backoffs.failed(target, failure, now, isOwn ? undefined : waitMs) };
  }

  /**
   * Whether a 404 that was requested at `requestedAt` means that a source has no pulse. It doesn't if the host responds
   * to the list with a 404 or with nothing usable, because then it probably returns 404 for everything.
   */
  trustsAbsence({ host, requestedAt }: Answer): boolean | 'unknown' {
    const list = this.#lists.get(host);
    if (list === undefined) return 'unknown';
    if (list.isBad) return false;
    return list.at >= requestedAt ? true : 'unknown';
  }

  get isHealthy(): boolean {
    return this.#hosts.isHealthy(this.#now());
  }

  get areAllHostsDown(): boolean {
    return this.#hosts.areAllDown;
  }

  get callsInFlight(): number {
    return this.#callsInFlight;
  }

  /** Calls `observer` for each call. The returned function unsubscribes. */
  observe(observer: CallObserver): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  status(): UpstreamStatus {
    const now = this.#now();
    return {
      hosts: this.#hosts.status(now),
      budget: this.#options.budget.status(now),
      key: this.keyState.status(now),
      limitedForMs: this.#limitedSince === undefined ? undefined : now - this.#limitedSince,
      serviceLimit: this.#serviceLimit,
    };
  }

  /** Ends all calls. No more are sent. */
  close(): void {
    this.#client.close();
    this.#wake();
  }

  /**
   * What blocks a call: this process is stopping, the target failed lately, the key is rejected, or all hosts are down.
   */
  #blocks(target: string): Failure | undefined {
    const now = this.#now();
    if (this.#client.isClosed) return failed('stopping', 1_000);
    const keyMs = this.keyState.retryInMs(target, now);
    if (keyMs > 0) return failed(this.keyState.statusOf(target) === 401 ? 'key_rejected' : 'scope_missing', keyMs);
    const downMs = this.#hosts.downForMs(now);
    if (downMs > 0) return this.lastFailure(target) ?? failed(this.#downCode(now), downMs);
    return this.backoffs.blocks(target, now);
  }

  /** Takes a call from the budget by `latest`. Returns why there is none; undefined if a call may be sent now. */
  async #takeCall(latest: number, target?: string): Promise<Failure | undefined> {
    for (;;) {
      const blocked = target === undefined ? this.#stopping() : this.#blocks(target);
      if (blocked) return this.#refuse(blocked);
      const now = this.#now();
      const waitMs = await this.#options.budget.take(now);
      if (waitMs <= 0) return undefined;
      if (now >= latest) return this.#refuse(this.#outOfCalls(waitMs));
      await this.#sleep(Math.min(waitMs, latest - now));
    }
  }

  #stopping(): Failure | undefined {
    return this.#client.isClosed ? failed('stopping', 1_000) : undefined;
  }

  #refuse(failure: Failure): Failure {
    for (const observer of this.#observers) observer.refused?.(failure.code);
    return failure;
  }

  #outOfCalls(waitMs: number): Failure {
    const { pausedForMs, starting } = this.#options.budget.status(this.#now());
    const code = pausedForMs > 0 ? 'rate_limited' : starting ? 'starting' : 'out_of_calls';
    return failed(code, Math.max(1_000, waitMs));
  }

  #downCode(now: number): FailureCode {
    return this.#hosts.status(now).find(({ failure }) => failure !== null)?.failure?.code ?? 'connection';
  }

  /** Whether another call may be made immediately, because it uses another host, another key, or a fresh connection. */
  async #mayTryAgain(attempt: Attempt, retry: 'connection' | 'key' | 'host' | undefined): Promise<boolean> {
    const leftMs = attempt.endsAt - this.#now();
    if (retry === undefined || leftMs < MIN_CALL_MS) return false;
    if (retry === 'key' && attempt.keyTries++ >= MAX_KEY_TRIES) return false;
    attempt.isFresh = retry === 'connection';
    if (this.#hostsFor(attempt).length === 0) return false;
    return (await this.#takeCall(this.#now() + WAIT_SHARE * leftMs)) === undefined;
  }

  #hostsFor({ isAwaited, tried }: Attempt): readonly HostName[] {
    return this.#hosts.order(this.#now(), { isAwaited }).filter((host) => !tried.has(host));
  }

  /** Makes one call to the host that is next. Records what it reveals about the key, the host, and the budget. */
  async #call(attempt: Attempt): Promise<Ended> {
    const { target } = attempt;
    const [host, other] = this.#hostsFor(attempt);
    if (host === undefined) {
      // Another fetch has just taken the only attempt that the hosts allow.
      this.#options.budget.ended(this.#now());
      this.#wake();
      return failed(this.#downCode(this.#now()), MIN_CALL_MS);
    }
    const key = this.#options.key.current(operationOf(target));
    const [requestedAt, requestedAtMs] = [this.#now(), this.#options.clock.wallNow()];
    const leftMs = attempt.endsAt - requestedAt;
    const deadlineMs = other === undefined ? leftMs : leftMs * FIRST_HOST_SHARE;
    this.#sent(host, target, requestedAt, deadlineMs);
    const reply = await this.#client.call({ host, target, key, deadlineMs, isFresh: attempt.isFresh });
    this.#ended(host, target, requestedAt, reply);
    if (reply.ok) {
      this.#options.key.accepted(key, operationOf(target));
      const account = reply.account && digestOf(reply.account);
      return { ok: true, value: reply.value, requestedAt, requestedAtMs, host, keyName: key.name, account };
    }
    if (this.#client.isClosed) return failed('stopping', 1_000);
    if ('isReset' in reply && !attempt.isFresh)
      return { ...failed('connection', MIN_CALL_MS, { host }), retry: 'connection' };
    if (reply.code === 'key_rejected' || reply.code === 'scope_missing')
      return this.#rejected(target, key, host, reply.code);
    attempt.tried.add(host);
    return this.#unanswered(reply, host, target, { isFair: deadlineMs >= FAIR_SHARE * this.timeoutMs });
  }

  #sent(host: HostName, target: string, now: number, deadlineMs: number): void {
    this.#callsInFlight += 1;
    this.#hosts.tried(host, now + deadlineMs);
    this.keyState.tried(target, now);
    this.backoffs.tried(target, now);
  }

  #ended(host: HostName, target: string, sentAt: number, reply: Answered | CallFailure): void {
    const now = this.#now();
    this.#callsInFlight -= 1;
    const hasAnswer = reply.ok || reply.status !== undefined;
    const isLimited = !reply.ok && reply.code === 'rate_limited';
    const retryAfterMs = reply.ok ? undefined : reply.retryAfterMs;
    if (hasAnswer) this.#limitedSince = isLimited ? (this.#limitedSince ?? sentAt) : undefined;
    if (hasAnswer) this.#serviceLimit = reply.rate?.limit ?? this.#serviceLimit;
    this.#options.budget.ended(now, hasAnswer ? { rate: reply.rate, isLimited, retryAfterMs } : undefined);
    this.#wake();
    const outcome = reply.ok ? 'answered' : reply.code;
    for (const observer of this.#observers)
      observer.called?.({ host, kind: operationOf(target), outcome, durationMs: now - sentAt });
    const saysNothing = isLimited || outcome === 'key_rejected' || outcome === 'scope_missing';
    if (target === LIST && !saysNothing) this.#lists.set(host, { isBad: !reply.ok, at: sentAt });
    if (reply.ok && reply.unreadable?.length) this.#options.onUnreadable?.(target, reply.unreadable);
  }

  async #rejected(target: string, key: ApiKey, host: HostName, code: 'key_rejected' | 'scope_missing'): Promise<Ended> {
    const status = code === 'key_rejected' ? 401 : 403;
    this.#hostAnswered(host);
    const hasOtherKey = await this.#options.key.rejected(key, operationOf(target), status);
    if (hasOtherKey) return { ...failed(code, 1_000, { status, host }), retry: 'key' };
    this.keyState.rejected(target, status, this.#now());
    return failed(code, this.keyState.retryInMs(target, this.#now()), { status, host });
  }

  /** A 429 means that the host is up. Any other failure counts against the host. */
  #unanswered(
    { code, status, detail }: CallFailure,
    host: HostName,
    target: string,
    { isFair }: { readonly isFair: boolean },
  ): Ended {
    const more = { status, detail, host };
    if (code === 'rate_limited') {
      this.#hostAnswered(host);
      return failed(code, Math.max(1_000, this.#options.budget.waitMs(this.#now())), more);
    }
    const isAboutSource = code === 'invalid' && (status ?? 0) >= 400;
    if (!isAboutSource && (code !== 'timeout' || isFair))
      this.#hosts.failed(host, this.#now(), { code, status, detail });
    return { ...failed(code, this.#hosts.downForMs(this.#now()) || 5_000, more), retry: 'host' };
  }

  #succeeded(target: string, answer: Answer): Answer | Failure {
    const isDoubtful = answer.value === null && this.trustsAbsence(answer) === false;
    if (isDoubtful)
      return this.recordFailure(target, failed('not_found_everywhere', 5_000, { status: 404, host: answer.host }));
    this.#hostAnswered(answer.host);
    this.keyState.accepted(target);
    this.backoffs.succeeded(target);
    return answer;
  }

  /** If all hosts were down, targets that failed in the meantime may be tried immediately. */
  #hostAnswered(host: HostName): void {
    if (this.#hosts.answered(host, this.#now())) this.backoffs.over(OUTAGES);
  }

  #keyReplaced(): void {
    this.keyState.replaced();
    this.backoffs.over(new Set<FailureCode>(['key_rejected', 'scope_missing']));
  }

  /** Resolves after `ms`, or as soon as the budget may have changed. */
  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#sleepers.delete(wake);
        resolve();
      };
      const cancel = this.#options.clock.schedule(ms, wake);
      this.#sleepers.add(wake);
    });
  }

  #wake(): void {
    for (const wake of this.#sleepers) wake();
  }

  #now(): number {
    return this.#options.clock.now();
  }
}

function withoutRetry({ retry: _retry, ...failure }: Exclude<Ended, Answer>): Failure {
  return failure;
}
