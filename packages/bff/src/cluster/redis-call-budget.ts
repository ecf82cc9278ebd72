import {
  type AcquireResult,
  type BudgetStatus,
  type CallBudget,
  type CallPermit,
  type CallRequest,
  type CallResult,
  LATE_ARRIVAL_MS,
  PERMIT_TTL_MS,
  type RefusalReason,
} from '../budget/call-budget.ts';
import {
  BudgetScriptClient,
  type BudgetScriptClientOptions,
  type BudgetScriptReply,
  type SharedBudgetView,
} from './budget-script-client.ts';
import { LocalCallLog, OfflineQuota } from './offline-quota.ts';
import type { KeyNamespace } from './key-namespace.ts';
import { HEARTBEAT_MS, Membership } from './membership.ts';

/** Retry soon for this long after a loss: most losses are short. */
const GRACE_MS = 5_000;

const TIMED_OUT_ONCE = { kind: 'denied', reason: 'budget-store-lost', retryInMs: 20 } as const;

export interface RedisCallBudgetOptions extends BudgetScriptClientOptions {
  /** The namespace of the key in use. */
  readonly namespace: () => KeyNamespace;
  /** When this process was started, on the clock. @default now */
  readonly startedAt?: number | undefined;
  /** Whether this instance can be the one that refreshes by plan. @default true */
  readonly canBeLeader?: boolean | undefined;
}

/** The call budget of all instances, in Redis; an offline quota while Redis is lost. */
export class RedisCallBudget implements CallBudget {
  readonly membership: Membership;
  readonly #options: RedisCallBudgetOptions;
  readonly #scriptClient: BudgetScriptClient;
  readonly #own = new LocalCallLog();
  readonly #local: OfflineQuota;
  /** The namespace that granted each call in flight; undefined for the offline quota. */
  readonly #origins = new Map<number, KeyNamespace | undefined>();
  #lastFencingToken = 0;

  constructor(options: RedisCallBudgetOptions) {
    const { clock, startedAt = clock.now() } = options;
    this.#options = options;
    this.#scriptClient = new BudgetScriptClient(options);
    this.#local = new OfflineQuota({ ...options, reserve: this.#scriptClient.reserve, startedAt });
    this.membership = new Membership({
      client: options.client,
      scriptClient: this.#scriptClient,
      clock,
      namespace: options.namespace,
      canBeLeader: options.canBeLeader,
      report: () => ({
        lastFencingToken: this.#lastFencingToken,
        pausedForMs: Math.ceil(this.status().pausedForMs),
        calls: this.#own.active(clock.now()),
      }),
      onReply: (reply, namespace) => this.#recordReply(reply, namespace),
    });
  }

  async acquire(request: CallRequest): Promise<AcquireResult> {
    this.membership.followKey();
    if (!this.membership.isJoined) return this.#acquireLocally(request);
    const [sentAt, namespace] = [this.#options.clock.now(), this.membership.namespace];
    const { subject, seenFencingToken = Number.MAX_SAFE_INTEGER } = request;
    const more = [namespace.key('answer', subject), namespace.key('backoff', subject)];
    try {
      const reply = await this.#scriptClient.run(['acquire', subject, 'known', seenFencingToken], { namespace, more });
      this.#recordReply(reply, namespace);
      return this.#resultOf(reply, { subject, sentAt, namespace });
    } catch {
      this.membership.recordFailure();
      // One timeout is not a loss: the next reply decides, so that a slow moment causes no second call.
      return this.membership.isJoined ? TIMED_OUT_ONCE : this.#acquireLocally(request);
    }
  }

  settle(permit: CallPermit, result: CallResult): void {
    const now = this.#options.clock.now();
    const namespace = this.#origins.get(permit.id);
    this.#origins.delete(permit.id);
    const maxOwnCalls = Math.max(this.#own.count(now), this.#view.used);
    this.#countSettled(permit.id, result, now, namespace);
    this.#local.recordResult(result, maxOwnCalls, now);
    if (namespace) void this.#settleShared(permit, result, namespace);
  }

  status(): BudgetStatus {
    const { clock, limit, reserve, windowMs } = this.#options;
    const now = clock.now();
    const shared = this.membership.isJoined ? this.#view.budget(this.#scriptClient.leakRate, now) : undefined;
    return { limit, reserve, windowMs, ...(shared ?? this.#local.budget(now)) };
  }

  cluster() {
    return { ...this.membership.status(), share: this.#local.share };
  }

  /** Records the fencing token of an answer: permits from now on have a higher one. */
  recordFencingToken(fencingToken: number): void {
    this.#lastFencingToken = Math.max(this.#lastFencingToken, fencingToken);
  }

  /** Converts a time of our clock to the account's time. */
  sharedTime(at: number): number {
    const { clock } = this.#options;
    return at + (this.#view.aheadMs ?? clock.wallNow() - clock.now());
  }

  /** What is known of the account of the key in use. */
  get #view(): SharedBudgetView {
    return this.#scriptClient.viewOf(this.membership.namespace);
  }

  /** Converts a time of the account to our clock. */
  ownTime(sharedAt: number): number {
    return sharedAt - this.sharedTime(0);
  }

  #resultOf(
    { kind, one, two }: BudgetScriptReply,
    { subject, sentAt, namespace }: { subject: string; sentAt: number; namespace: KeyNamespace },
  ): AcquireResult {
    switch (kind) {
      case 'granted':
        return { kind: 'granted', permit: this.#permitOf(Number(one), { subject, sentAt, namespace }) };
      case 'in-flight-elsewhere':
        return { kind: 'in-flight-elsewhere', retryInMs: Math.max(1, Number(one)) };
      case 'denied':
        return { kind: 'denied', reason: String(one) as RefusalReason, retryInMs: Math.max(1, Number(two)) };
      case 'late':
        return TIMED_OUT_ONCE;
      default:
        return { kind: 'denied', reason: 'starting', retryInMs: HEARTBEAT_MS };
    }
  }

  #acquireLocally({ subject }: CallRequest): AcquireResult {
    const now = this.#options.clock.now();
    const retryInMs = Math.ceil(this.#local.retryInMsAt(now));
    const isJustLost = this.membership.lostForMs < GRACE_MS;
    if (retryInMs > 0)
      return {
        kind: 'denied',
        reason: 'budget-store-lost',
        retryInMs: isJustLost ? Math.min(retryInMs, HEARTBEAT_MS) : retryInMs,
      };
    const fencingToken = Math.max(this.#lastFencingToken + 1, Math.floor(this.sharedTime(now) * 1_000));
    this.#local.add(fencingToken, now);
    return { kind: 'granted', permit: this.#permitOf(fencingToken, { subject, sentAt: now, namespace: undefined }) };
  }

  #permitOf(
    fencingToken: number,
    { subject, sentAt, namespace }: { subject: string; sentAt: number; namespace: KeyNamespace | undefined },
  ): CallPermit {
    const { clock, windowMs, callMs } = this.#options;
    this.#lastFencingToken = Math.max(this.#lastFencingToken, fencingToken);
    this.#origins.set(fencingToken, namespace);
    const overAt = clock.now() + PERMIT_TTL_MS + callMs + LATE_ARRIVAL_MS;
    this.#own.add(this.#nameOf(fencingToken, namespace), overAt + windowMs);
    return { id: fencingToken, subject, expiresAt: sentAt + PERMIT_TTL_MS, fencingToken };
  }

  /** The name of a call in the log; calls of the offline quota carry the instance. */
  #nameOf(fencingToken: number, namespace: KeyNamespace | undefined): string {
    return namespace === undefined ? `${this.#options.instance}.${fencingToken}` : String(fencingToken);
  }

  #countSettled(id: number, { fate }: CallResult, now: number, namespace: KeyNamespace | undefined): void {
    const name = this.#nameOf(id, namespace);
    const arrivedBy = { unsent: undefined, answered: now, lost: now + LATE_ARRIVAL_MS }[fate];
    if (namespace === undefined) this.#local.settle(id, arrivedBy);
    if (arrivedBy === undefined) this.#own.remove(name);
    else this.#own.add(name, arrivedBy + this.#options.windowMs);
  }

  /** If this is lost, the call counts for the longest time that it can take. */
  async #settleShared(
    { id, subject }: CallPermit,
    { fate, window, rateLimited }: CallResult,
    namespace: KeyNamespace,
  ): Promise<void> {
    const facts = [window?.limit ?? -1, window?.remaining ?? -1, window?.resetInMs ?? -1];
    const limited = [rateLimited ? 1 : 0, rateLimited?.retryAfterMs ?? 0];
    const command = ['settle', String(id), subject, fate, ...facts, ...limited] as const;
    try {
      this.#recordReply(await this.#scriptClient.run(command, { namespace }), namespace);
    } catch {
      this.membership.recordFailure();
    }
  }

  #recordReply({ kind, one, epoch }: BudgetScriptReply, namespace: KeyNamespace): void {
    if (namespace !== this.membership.namespace) return;
    if (kind === 'joined') this.#local.recordInstances(Number(one));
    this.membership.recordEpoch(epoch);
  }
}
