import { createHmac } from 'node:crypto';
import { type ErrorCode, isSourceId, pulsePath, ROUTES } from '@pulse-card/contract';
import { isPlainHttp, isPrivateHost, type Resolve } from '../lib/ip-address.ts';
import type { BudgetStatus, CallBudget, CallPermit, CallResult, RefusalReason } from '../budget/call-budget.ts';
import { PermitQueue } from '../budget/permit-queue.ts';
import type { Clock } from '../lib/clock.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import {
  type Failure,
  Gate,
  type GateOptions,
  type HostName,
  kindOf,
  notAttempted,
  type OperationKind,
} from './gate.ts';
import type { KeyRing } from './key-ring.ts';
import type { ApiKey } from '../lib/api-key.ts';
import {
  type Account,
  type CallFailure,
  type Content,
  failed,
  type Operation,
  operationOn,
  readReply,
  type Reply,
  type UnreachableLayer,
} from './response.ts';

/** Less time than this is not worth a call. */
const MIN_CALL_MS = 100;

/**
 * The share of the deadline that a user-facing request may wait for a permit; the call gets the rest. A page with ten cards
 * loads completely right after a first start: the last permit is granted after 2.9 of 5 s.
 */
const PERMIT_WAIT_SHARE = 3 / 4;

/** The share of the remaining time that the first of two hosts gets. */
const FIRST_HOST_SHARE = 0.6;

/** How often one request is retried because its key was replaced meanwhile. */
const MAX_KEY_RETRIES = 2;

/** The account and the key that an answer belongs to. */
export interface AnswerOwner {
  /** A digest of the account's id; undefined if the answer names none. */
  readonly account: string | undefined;
  /** Names the key that was sent without revealing it. */
  readonly keyName: string;
}

/** An answer of the upstream: its value, the time of its request, its rank, and its owner. */
export interface Answer<Value> {
  readonly value: Value;
  /** On the monotonic clock. */
  readonly requestedAt: number;
  /** Milliseconds since the Unix epoch. */
  readonly requestedAtMs: number;
  /** An answer never replaces one with a higher token about the same subject. 0 for an answer that a restart brought back. */
  readonly fencingToken: number;
  /** Undefined for an absence, which names no account. */
  readonly owner?: AnswerOwner | undefined;
}

/** A request, as the budget and the hosts see it. */
export interface FetchRequest {
  /** Whether a reader with no cached answer waits for this request by now; such a request waits for a permit. */
  readonly isUserFacing: () => boolean;
  /** Views per minute by now; of the requests that wait for a permit, the one with the highest demand goes first. */
  readonly demand: () => number;
  /** The fencing token of the newest known answer. @default none */
  readonly seenFencingToken?: () => number | undefined;
  /** Called when a call is sent. */
  readonly onSent: (now: number) => void;
}

/** A call and its outcome. */
export interface CallReport {
  readonly host: HostName;
  readonly kind: OperationKind;
  readonly outcome: 'answered' | CallFailure['kind'];
  readonly durationMs: number;
}

/** Receives the calls and the refusals of calls, for metrics. Must not throw. */
export interface CallObserver {
  called?(report: CallReport): void;
  /** A call could not leave. */
  refused?(reason: RefusalReason | 'circuit-open' | 'key-refused'): void;
}

/** The part of the configuration that is about the upstream. */
export interface UpstreamSettings {
  readonly baseUrl: string;
  readonly altBaseUrl?: string | undefined;
  /** Deadline of a request over both hosts, in ms: connect, headers and body. */
  readonly upstreamTimeoutMs: number;
}

export interface UpstreamOptions extends Pick<GateOptions, 'random' | 'planner'> {
  readonly key: Pick<KeyRing, 'accepted' | 'refused'> & { current(): ApiKey };
  readonly callBudget: CallBudget;
  readonly clock: Clock;
  readonly observer?: CallObserver | undefined;
  /** @default the resolver of the system */
  readonly resolve?: Resolve | undefined;
  /** @default the global fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The result of one call to one host. */
export interface CallReply<Value> extends Reply<Value> {
  readonly host: HostName;
  readonly owner?: AnswerOwner | undefined;
  /** The upstream refuses the key, and it has been replaced meanwhile: the call may be retried immediately. */
  readonly hasOtherKey: boolean;
}

/** An answer, or why there is none. */
type FetchResult = ({ readonly ok: true } & Answer<Content>) | Failure;

/** A failed call. `retry`: an immediate retry makes sense, on the other host or with the new key. */
interface FailedCall extends Failure {
  readonly retry?: 'host' | 'key';
}

/**
 * The service, over HTTP: acquires a permit for each call, picks the host, and fails over within one deadline. Follows no
 * redirect and validates every body.
 */
export class Upstream {
  readonly gate: Gate;
  /** Deadline of a request over both hosts, in ms. */
  readonly timeoutMs: number;
  readonly #options: UpstreamOptions;
  readonly #bases: Readonly<Record<HostName, URL | undefined>>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #permitQueue: PermitQueue;
  readonly #closed = new AbortController();

  constructor(settings: UpstreamSettings, options: UpstreamOptions) {
    const { baseUrl, altBaseUrl, upstreamTimeoutMs: callMs } = settings;
    const { callBudget, clock, random, planner, fetch = globalThis.fetch } = options;
    this.#options = options;
    this.#bases = {
      main: new URL(baseUrl),
      alt: altBaseUrl === undefined ? undefined : new URL(altBaseUrl),
    };
    this.timeoutMs = callMs;
    this.#fetch = fetch;
    this.gate = new Gate({ hasAlt: altBaseUrl !== undefined, callMs, random, planner });
    this.#permitQueue = new PermitQueue(callBudget, clock);
  }

  /** The state of the call budget. */
  get budget(): BudgetStatus {
    return this.#options.callBudget.status();
  }

  /** Ends all calls; none is sent any more. */
  close(): void {
    this.#closed.abort();
    this.#permitQueue.close();
  }

  /** Why no call about `subject` can be sent now: the gate refuses it, or the budget is spent. */
  refusal(subject: string): Failure | undefined {
    const refusal = this.gate.refusal(subject, this.#options.clock.now());
    const { left, pausedForMs, starting } = this.budget;
    if (refusal || left >= 1) return refusal;
    const detail = pausedForMs > 0 ? 'paused' : starting ? 'starting' : 'budget';
    return notAttempted('upstream_rate_limited', detail, Math.max(1_000, pausedForMs));
  }

  /** Requests the latest about a source, or the list for `LIST_ID`, from one host, or from both in turn. Never rejects. */
  async fetch(subject: string, request: FetchRequest): Promise<FetchResult> {
    const { clock, observer } = this.#options;
    const endsAt = clock.now() + this.timeoutMs;
    const tried = new Set<HostName>();
    let keyRetries = 0;
    let failure: FailedCall | undefined;
    for (;;) {
      const refusal = this.#refusal(subject, tried);
      if (refusal) {
        if (refusal !== STOPPED) observer?.refused?.(refusal.code === 'upstream_auth' ? 'key-refused' : 'circuit-open');
        return afterCall(failure, refusal);
      }
      const permit = await this.#acquirePermit(subject, request, endsAt);
      if ('ok' in permit) return afterCall(failure, permit);
      const result = await this.#send(permit, request, { tried, endsAt });
      if (result.ok) return result;
      if (!result.attempted) return afterCall(failure, result);
      const mayTryOther = clock.now() + MIN_CALL_MS < endsAt && this.#untried(request, tried).length > 0;
      const mayTryKey = result.retry === 'key' && keyRetries++ < MAX_KEY_RETRIES;
      if (!mayTryKey && (result.retry !== 'host' || !mayTryOther)) return result;
      failure = result;
    }
  }

  /** Makes one call to one host, past gate and budget: for commands that an operator runs. Never rejects. */
  async call<Value>(
    host: HostName,
    operation: Operation<Value>,
    deadlineMs = this.timeoutMs,
  ): Promise<CallReply<Value>> {
    const used = this.#options.key.current();
    const reply = await this.#exchange(host, operation, used, deadlineMs);
    const { outcome, account } = reply;
    if (outcome.ok) this.#options.key.accepted(used);
    const isRefused = !outcome.ok && outcome.failure.kind === 'key-refused';
    const hasOtherKey = isRefused && (await this.#options.key.refused(used));
    // An absence names no account.
    const isOwned = outcome.ok && outcome.value !== operation.absence;
    const owner = isOwned ? { account: account && digestOf(account), keyName: used.name } : undefined;
    return { ...reply, host, owner, hasOtherKey };
  }

  async #exchange<Value>(
    host: HostName,
    operation: Operation<Value>,
    key: ApiKey,
    deadlineMs: number,
  ): Promise<Reply<Value>> {
    const base = this.#bases[host];
    if (base === undefined) return { outcome: failed({ kind: 'unreachable' }) };
    const deadline = new AbortController();
    const cancel = this.#options.clock.schedule(Math.ceil(deadlineMs), () => deadline.abort());
    try {
      const url = upstreamUrl(base, operation.subject);
      if (isPlainHttp(url) && !(await isPrivateHost(url.hostname, this.#options.resolve)))
        return { outcome: failed({ kind: 'unreachable', layer: 'plain HTTP' }) };
      const response = await this.#fetch(url, {
        redirect: 'manual',
        headers: { accept: 'application/json', 'user-agent': 'pulse-bff', ...key.header() },
        signal: AbortSignal.any([deadline.signal, this.#closed.signal]),
      });
      return await readReply(response, operation);
    } catch (error) {
      // The error may quote the request, so only the layer that failed is kept.
      if (deadline.signal.aborted) return { outcome: failed({ kind: 'timed-out' }) };
      return { outcome: failed({ kind: 'unreachable', layer: failedLayer(error) }) };
    } finally {
      cancel();
    }
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Why the call must not be sent now. The backoff after the request's own first try does not block the second host. */
  #refusal(subject: string, tried: ReadonlySet<HostName>): Failure | undefined {
    if (this.#isClosed) return STOPPED;
    const now = this.#options.clock.now();
    return tried.size === 0 ? this.gate.refusal(subject, now) : this.gate.outage(subject, now);
  }

  /** Acquires a permit; waits for it if the request is user-facing. */
  async #acquirePermit(
    subject: string,
    { isUserFacing, demand, seenFencingToken }: FetchRequest,
    endsAt: number,
  ): Promise<CallPermit | Failure> {
    const request = { subject, seenFencingToken: seenFencingToken?.() };
    const until = endsAt - (1 - PERMIT_WAIT_SHARE) * this.timeoutMs;
    const byPlan = isUserFacing() ? undefined : await this.#permitQueue.acquire(request);
    // A reader may have joined while the permit was requested: then it is worth waiting for.
    const isFinal = byPlan && (byPlan.kind !== 'denied' || !isUserFacing());
    const result = isFinal ? byPlan : await this.#permitQueue.waitFor({ request, demand, until });
    if (result.kind === 'granted') return result.permit;
    if (result.kind === 'in-flight-elsewhere')
      return notAttempted('upstream_unavailable', IN_FLIGHT_ELSEWHERE, result.retryInMs);
    this.#options.observer?.refused?.(result.reason);
    const detail = result.reason === 'starting' || result.reason === 'paused' ? result.reason : 'budget';
    return notAttempted('upstream_rate_limited', detail, result.retryInMs);
  }

  /** The hosts that a call may go to now, in order, without those that failed. */
  #untried({ isUserFacing }: FetchRequest, tried: ReadonlySet<HostName>): readonly HostName[] {
    const order = this.gate.hosts.order(this.#options.clock.now(), { isUserFacing: isUserFacing() });
    return order.filter((host) => !tried.has(host));
  }

  /** Makes the call that `permit` allows, and records what it shows about the key, the host and the budget. */
  async #send(
    permit: CallPermit,
    request: FetchRequest,
    { tried, endsAt }: { readonly tried: Set<HostName>; readonly endsAt: number },
  ): Promise<Extract<FetchResult, { ok: true }> | FailedCall> {
    const { hosts, key } = this.gate;
    const { callBudget, clock, observer } = this.#options;
    const { subject } = permit;
    const kind = kindOf(subject);
    const [requestedAt, requestedAtMs] = [clock.now(), clock.wallNow()];
    const [host, other] = this.#untried(request, tried);
    const refusal = this.#refusal(subject, tried);
    if (refusal || host === undefined || requestedAt > permit.expiresAt) {
      callBudget.settle(permit, { fate: 'unsent' });
      return refusal ?? notAttempted('upstream_unavailable', 'upstream-unavailable', 1_000);
    }
    request.onSent(requestedAt);
    hosts.recordAttempt(host, requestedAt);
    key.recordAttempt(kind, requestedAt);
    const leftMs = Math.max(MIN_CALL_MS, endsAt - requestedAt);
    const deadlineMs = other === undefined ? leftMs : leftMs * FIRST_HOST_SHARE;
    const { outcome, rate, owner, hasOtherKey } = await this.call(host, operationOn(subject), deadlineMs);
    const now = clock.now();
    if (!hasOtherKey) tried.add(host);
    callBudget.settle(permit, callResultOf(outcome.ok ? undefined : outcome.failure, rate));
    const observed = outcome.ok ? 'answered' : outcome.failure.kind;
    observer?.called?.({ host, kind, outcome: observed, durationMs: now - requestedAt });
    // The call was aborted because this process stops: neither the host nor the subject failed.
    if (!outcome.ok && this.#isClosed) return STOPPED;
    if (observed === 'answered' || observed === 'key-refused' || observed === 'rate-limited')
      this.gate.recordHostAnswer(host, now);
    if (!outcome.ok) return this.#failed(outcome.failure, { subject, host, hasOtherKey });
    key.recordAccepted(kind);
    return { ok: true, value: outcome.value, requestedAt, requestedAtMs, fencingToken: permit.fencingToken, owner };
  }

  #failed(
    failure: CallFailure,
    { subject, host, hasOtherKey }: { subject: string; host: HostName; hasOtherKey: boolean },
  ): FailedCall {
    const { hosts, key } = this.gate;
    const now = this.#options.clock.now();
    const reported = FAILURES[failure.kind];
    if (failure.kind === 'key-refused') {
      if (hasOtherKey) return { ...reported, retryInMs: 1_000, retry: 'key' };
      key.recordRefusal(kindOf(subject), failure.status, now);
      return { ...reported, status: failure.status };
    }
    if (failure.kind === 'rate-limited') return { ...reported, retryInMs: this.budget.pausedForMs, status: 429 };
    this.gate.recordHostFailure(host, subject, now, failure);
    const retryInMs = hosts.openForMs(now) || reported.retryInMs;
    return { ...reported, ...('status' in failure && { status: failure.status }), retryInMs, retry: 'host' };
  }
}

/** The `detail` of a failure while another instance has a call on the subject in flight, or has just received its answer. */
export const IN_FLIGHT_ELSEWHERE = 'elsewhere';

/** The answer was to a replaced key, or does not say whether the new key belongs to the same account. */
export const KEY_CHANGED = attempted('upstream_unavailable', 'key-changed', 1_000);

/** This process stops: no more calls are sent. */
const STOPPED = notAttempted('upstream_unavailable', 'stopping', 1_000);

/** The public code of each failure; holds no text of the upstream. */
const FAILURES: Readonly<Record<CallFailure['kind'], Failure>> = {
  'key-refused': attempted('upstream_auth', 'auth', 30_000),
  'rate-limited': attempted('upstream_rate_limited', 'rate-limited', 5_000),
  unreachable: attempted('upstream_unavailable', 'upstream-unavailable', 5_000),
  'timed-out': attempted('upstream_unavailable', 'upstream-timeout', 5_000),
  'server-error': attempted('upstream_unavailable', 'upstream-error', 5_000),
  'intermediary-error': attempted('upstream_unavailable', 'upstream-error', 5_000),
  invalid: attempted('upstream_invalid', 'upstream-invalid', 5_000),
};

function attempted(code: ErrorCode, detail: string, retryInMs: number): Failure {
  return { ...notAttempted(code, detail, retryInMs), attempted: true };
}

/**
 * The URL that answers `subject`, a source id or `LIST_ID`, at `base`, which may have a path. Throws unless the result is
 * exactly the base plus the route, so that no id leads elsewhere.
 */
export function upstreamUrl(base: URL, subject: string): URL {
  const path = base.pathname.replace(/\/+$/, '') + routeOf(subject);
  const url = new URL(base.origin + path);
  if (url.origin !== base.origin || url.pathname !== path || url.search !== '' || url.hash !== '')
    throw new Error('Cannot build an upstream address: it would lead elsewhere');
  return url;
}

function routeOf(subject: string): string {
  if (subject === LIST_ID) return ROUTES.sources;
  if (!isSourceId(subject)) throw new Error('Cannot build an upstream address: not a source id');
  return pulsePath(subject);
}

/**
 * The failure to report if no second call could be made: that of the first call, unless its key has been replaced since,
 * or another instance has a call in flight, which is worth waiting for.
 */
function afterCall(failure: FailedCall | undefined, noCall: Failure): Failure {
  if (!failure || noCall.detail === IN_FLIGHT_ELSEWHERE) return noCall;
  return failure.retry === 'key' ? { ...noCall, attempted: true } : failure;
}

/** The result of a call for the budget. Rate-limit headers of a 401 or 403 are ignored: the upstream counts such calls apart. */
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

/** Separates this digest from others of the same text; not a secret. */
const PURPOSE = 'pulse-card account 1';

/** A digest of an account's id, which never leaves the process as it is. */
function digestOf({ id }: Account): string {
  return createHmac('sha256', PURPOSE).update(id).digest('base64url');
}

/** Which layer a call failed in, by the code of the error of a look-up, or of the cause of one of `fetch`. */
function failedLayer(error: unknown): UnreachableLayer {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return 'DNS';
  return /TLS|SSL|CERT|SIGNATURE|EPROTO/.test(code) ? 'TLS' : 'connection';
}
