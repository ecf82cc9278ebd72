import type { ErrorCode } from '@pulse-card/contract';
import type { CallLedger, CallRequest, CallResult, Grant, RefusalReason } from '../budget/call-ledger.ts';
import type { Clock } from '../clock.ts';
import type {
  AnswerOwner,
  AskOptions,
  HostName,
  Question,
  Upstream,
  UpstreamFailure,
  UpstreamReply,
} from '../upstream/port.ts';
import type { CacheObserver } from './call-report.ts';
import type { HostChoice } from './host-choice.ts';
import type { KeyHealth } from './key-health.ts';
import { PayQueue } from './pay-queue.ts';

/** Less time than this is not worth a call. */
const SHORTEST_CALL_MS = 100;

/**
 * A reader with nothing else to read waits for a token no longer than this share of the deadline; the rest is the call's.
 * Ten cards that are asked for right after a first start come up whole: the last of them gets its token after 2.9 of 5 s.
 */
const PAY_SHARE = 3 / 4;

/** How a question is put. */
export interface Asking<Value> {
  readonly question: Question;
  /** What the ledger and the planner call it. */
  readonly subject: string;
  readonly payer: CallRequest['payer'];
  /** Whether, by now, a reader has nothing else to read: then it is worth waiting for a token. */
  readonly readerWaits: () => boolean;
  /** How much it is wanted, at the moment: where calls are short, the most wanted goes first. */
  readonly demand: () => number;
  readonly call: (host: HostName, options: AskOptions) => Promise<UpstreamReply<Value>>;
  /** The fence of the newest answer that is known. @default none */
  readonly seenFence?: () => number | undefined;
  /** Told when a call leaves. */
  readonly onLeave: (now: number) => void;
}

/** Why nothing came. `wasAsked`: a call was made and failed; otherwise none could be made. */
export interface Failed {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly wasAsked: boolean;
  readonly retryInMs: number;
  readonly status?: number;
  /** No host can be asked any more: the fault is not that of what was asked for. */
  readonly isDark?: boolean;
  /** Another instance is asking the same, or has just been answered. */
  readonly isElsewhere?: boolean;
}

/** A call that failed, and whether another try makes sense at once: on the other host, or with the key that is new. */
interface CallFailure extends Failed {
  readonly another?: 'host' | 'key';
}

/** What came, and when it was asked for. */
export interface Came<Value> {
  readonly ok: true;
  readonly value: Value;
  readonly askedAt: number;
  readonly requestedAtMs: number;
  readonly fence: number;
  /** Whose data it is; undefined for an answer that names no account by its nature. */
  readonly owner?: AnswerOwner | undefined;
}

export interface CallerOptions {
  readonly upstream: Upstream;
  readonly ledger: CallLedger;
  readonly hosts: HostChoice;
  readonly key: KeyHealth;
  readonly clock: Clock;
  readonly upstreamTimeoutMs: number;
  readonly observer: CacheObserver;
  /** Told when a host answers again that had been left alone. */
  readonly onHostBack: () => void;
  readonly signal: AbortSignal;
}

/** Puts questions to the upstream: pays for each call, picks the host, and tries the other within one deadline. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #queue: PayQueue;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#queue = new PayQueue(options.ledger, options.clock);
    options.signal.addEventListener('abort', () => this.#queue.close(), { once: true });
  }

  /** Says whether the upstream answered when it was last asked. */
  isUpstreamWell(): boolean {
    return this.#options.hosts.isWell(this.#options.clock.now());
  }

  /** Why no call could leave now, if so: the key is refused, all hosts rest, or nothing is left to spend. */
  obstacle(kind: Question['kind']): Failed | undefined {
    const { clock, ledger } = this.#options;
    const barrier = this.#barrier(kind, clock.now());
    if (barrier) return barrier;
    const { left, pausedForMs, starting } = ledger.status();
    if (left >= 1) return undefined;
    return refusedFor(pausedForMs > 0 ? 'paused' : starting ? 'starting' : 'budget', Math.max(1_000, pausedForMs));
  }

  /** Why nothing newer is at hand: what no call can leave for, or that no host has yet won its place back. */
  trouble(kind: Question['kind']): Failed | undefined {
    const isDark = this.#options.hosts.isDark();
    return this.obstacle(kind) ?? (isDark ? couldNot('upstream_unavailable', 'upstream-unavailable', 0) : undefined);
  }

  /** Asks once, on one host or on both; never rejects. */
  async ask<Value>(asking: Asking<Value>): Promise<Came<Value> | Failed> {
    const { clock, upstreamTimeoutMs, signal } = this.#options;
    const endsAt = clock.now() + upstreamTimeoutMs;
    const tried = new Set<HostName>();
    let keyTries = 0;
    let failure: CallFailure | undefined;
    for (;;) {
      if (signal.aborted) return STOPPED;
      const barrier = this.#barrier(asking.question.kind, clock.now());
      if (barrier) return afterCall(failure, this.#toldOf(barrier));
      const granted = await this.#pay(asking, endsAt);
      if ('ok' in granted) return afterCall(failure, granted);
      if (signal.aborted) return this.#unsent(granted, STOPPED);
      const host = this.#hostFor(asking, tried);
      const late = this.#barrier(asking.question.kind, clock.now());
      if (host === undefined || late) return afterCall(failure, this.#unsent(granted, late));
      tried.add(host);
      const outcome = await this.#call(asking, host, granted, this.#deadlineMs(host, tried, asking, endsAt));
      if (outcome.ok) return outcome;
      if (!outcome.wasAsked) return afterCall(failure, outcome);
      if (outcome.another === 'key' && ++keyTries <= 2) tried.delete(host);
      else if (outcome.another !== 'host' || !this.#mayTryOther(asking, tried, endsAt)) return outcome;
      failure = outcome;
    }
  }

  /** Why nothing may be asked now, if so: the key is refused, or all hosts rest. */
  #barrier(kind: Question['kind'], now: number): Failed | undefined {
    const { key, hosts } = this.#options;
    const barredForMs = key.barredForMs(kind, now);
    if (barredForMs > 0) return couldNot('upstream_auth', 'auth', barredForMs);
    const restsForMs = hosts.restsForMs(now);
    return restsForMs > 0 ? couldNot('upstream_unavailable', 'upstream-unavailable', restsForMs) : undefined;
  }

  #toldOf(barrier: Failed): Failed {
    this.#options.observer.refused?.(barrier.code === 'upstream_auth' ? 'key-refused' : 'host-resting');
    return barrier;
  }

  /** Gets leave for a call; waits for it where a reader has nothing else. */
  async #pay(
    { subject, payer, readerWaits, demand, seenFence }: Asking<unknown>,
    endsAt: number,
  ): Promise<Grant | Failed> {
    const { observer, upstreamTimeoutMs } = this.#options;
    const request = { subject, payer, seenFence: seenFence?.() };
    const until = endsAt - (1 - PAY_SHARE) * upstreamTimeoutMs;
    const byPlan = readerWaits() ? undefined : await this.#queue.ask(request);
    // A reader may have come while the ledger was asked: what the plan would do without is worth waiting for now.
    const isFinal = byPlan && (byPlan.kind !== 'refused' || !readerWaits());
    const verdict = isFinal ? byPlan : await this.#queue.waitFor({ request, demand, until });
    observer.judged?.(verdict.kind);
    if (verdict.kind === 'go') return verdict.grant;
    if (verdict.kind === 'wait') return { ...ELSEWHERE, retryInMs: verdict.retryInMs };
    observer.refused?.(verdict.reason);
    return refusedFor(verdict.reason, verdict.retryInMs);
  }

  #hostFor({ subject, readerWaits }: Asking<unknown>, tried: ReadonlySet<HostName>): HostName | undefined {
    const { hosts, clock } = this.#options;
    return hosts.order(clock.now(), { readerWaits: readerWaits(), subject }).find((host) => !tried.has(host));
  }

  #mayTryOther(asking: Asking<unknown>, tried: ReadonlySet<HostName>, endsAt: number): boolean {
    return this.#options.clock.now() + SHORTEST_CALL_MS < endsAt && this.#hostFor(asking, tried) !== undefined;
  }

  #deadlineMs(host: HostName, tried: ReadonlySet<HostName>, asking: Asking<unknown>, endsAt: number): number {
    const { hosts, clock } = this.#options;
    const leftMs = Math.max(SHORTEST_CALL_MS, endsAt - clock.now());
    return this.#hostFor(asking, tried) === undefined ? leftMs : hosts.patienceMs(host, leftMs, clock.now());
  }

  /** Gives a call back that makes no sense any more. */
  #unsent(grant: Grant, why?: Failed): Failed {
    this.#options.ledger.settle(grant, { fate: 'unsent' });
    return why ?? couldNot('upstream_unavailable', 'upstream-unavailable', 1_000);
  }

  async #call<Value>(
    asking: Asking<Value>,
    host: HostName,
    grant: Grant,
    deadlineMs: number,
  ): Promise<Came<Value> | CallFailure> {
    const { clock, ledger, hosts, key, observer, signal } = this.#options;
    const { question, call, onLeave } = asking;
    const [askedAt, requestedAtMs] = [clock.now(), clock.wallNow()];
    if (askedAt > grant.leaveBefore) return this.#unsent(grant);
    onLeave(askedAt);
    hosts.asked(host, askedAt);
    key.asked(question.kind, askedAt);
    const reply = await call(host, { deadlineMs, signal });
    const now = clock.now();
    ledger.settle(grant, resultOf(reply));
    const { outcome } = reply;
    observer.called?.({ host, kind: question.kind, outcome: nameOf(outcome), durationMs: now - askedAt });
    // Aborted by our own stop: neither the host's fault nor the subject's.
    if (!outcome.ok && signal.aborted) return STOPPED;
    if (outcome.ok || outcome.failure.kind === 'key-refused' || outcome.failure.kind === 'rate-limited')
      if (hosts.answered(host, now, now - askedAt)) this.#options.onHostBack();
    if (outcome.ok) {
      key.accepted(question.kind);
      return { ok: true, value: outcome.value, askedAt, requestedAtMs, fence: grant.fence, owner: reply.owner };
    }
    return this.#failed(asking, host, outcome.failure, now);
  }

  #failed({ question, subject }: Asking<unknown>, host: HostName, failure: UpstreamFailure, now: number): CallFailure {
    const { hosts, key } = this.#options;
    if (failure.kind === 'key-refused') {
      if (failure.otherKeyAtHand) return { ...FAILURES[failure.kind], another: 'key' };
      key.refused(question.kind, failure.status, now);
      return { ...FAILURES[failure.kind], status: failure.status };
    }
    if (failure.kind === 'rate-limited') {
      const { pausedForMs } = this.#options.ledger.status();
      return { ...FAILURES[failure.kind], retryInMs: pausedForMs, status: 429 };
    }
    hosts.failed(host, { subject, kind: failure.kind }, now);
    const status = 'status' in failure ? { status: failure.status } : {};
    const restsForMs = hosts.restsForMs(now);
    const dark = restsForMs > 0 ? { isDark: true, retryInMs: restsForMs } : {};
    return { ...FAILURES[failure.kind], ...status, ...dark, another: 'host' };
  }
}

/**
 * What is reported where no second call could be made: the failure of the first. A key that was replaced meanwhile says
 * nothing of the new one; what another instance is asking is worth waiting for.
 */
function afterCall(failure: CallFailure | undefined, noCall: Failed): Failed {
  if (!failure || noCall.isElsewhere) return noCall;
  return failure.another === 'key' ? { ...noCall, wasAsked: true } : failure;
}

/** The public word for each failure; what the upstream itself said is not part of it. */
const FAILURES: Readonly<Record<UpstreamFailure['kind'], Failed>> = {
  'key-refused': failedBy('upstream_auth', 'auth', 60_000),
  'rate-limited': failedBy('upstream_rate_limited', 'rate-limited', 5_000),
  unreachable: failedBy('upstream_unavailable', 'upstream-unavailable', 5_000),
  'timed-out': failedBy('upstream_unavailable', 'upstream-timeout', 5_000),
  'server-error': failedBy('upstream_unavailable', 'upstream-error', 5_000),
  'intermediary-error': failedBy('upstream_unavailable', 'upstream-error', 5_000),
  invalid: failedBy('upstream_invalid', 'upstream-invalid', 5_000),
};

function failedBy(code: ErrorCode, detail: string, retryInMs: number): Failed {
  return { ok: false, code, detail, retryInMs, wasAsked: true };
}

function couldNot(code: ErrorCode, detail: string, retryInMs: number): Failed {
  return { ok: false, code, detail, retryInMs, wasAsked: false };
}

/** This process is stopping: nothing is asked any more. */
const STOPPED = couldNot('upstream_unavailable', 'stopping', 1_000);

const ELSEWHERE = { ...couldNot('upstream_unavailable', 'elsewhere', 0), isElsewhere: true } as const;

function refusedFor(reason: RefusalReason, retryInMs: number): Failed {
  const detail = reason === 'starting' || reason === 'paused' ? reason : 'budget';
  return couldNot('upstream_rate_limited', detail, retryInMs);
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
