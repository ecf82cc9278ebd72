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
import { repeat } from '../clock.ts';
import {
  type BudgetAt,
  BudgetScriptClient,
  type BudgetScriptClientOptions,
  type BudgetScriptReply,
  sharedBudget,
} from './budget-script-client.ts';
import { LocalCallLog, OfflineQuota } from './offline-quota.ts';
import type { KeyNamespace } from './key-namespace.ts';

/** How often an instance says that it is there. */
const HEARTBEAT_MS = 500;

/** For so long after a loss it is worth asking again soon: most losses are a moment's. */
const GRACE_MS = 5_000;

const TIMED_OUT_ONCE = { kind: 'denied', reason: 'budget-store-lost', retryInMs: 20 } as const;

export interface RedisCallBudgetOptions extends BudgetScriptClientOptions {
  /** Whose account it is: another one once the key is another. */
  readonly namespace: () => KeyNamespace;
  /** When this process was started, on the clock. @default now */
  readonly startedAt?: number;
  /** Whether this instance can be the one that refreshes by plan. @default true */
  readonly canBeLeader?: boolean;
}

/** Keeps the account of the key's calls in Redis, for all instances; out of a share of its own while Redis is lost. */
export class RedisCallBudget implements CallBudget {
  readonly #options: RedisCallBudgetOptions;
  readonly #scriptClient: BudgetScriptClient;
  readonly #own = new LocalCallLog();
  readonly #local: OfflineQuota;
  /** Whose account each call in flight was granted by; undefined where by none, but out of the own share. */
  readonly #origins = new Map<number, KeyNamespace | undefined>();
  readonly #listener = new Set<() => void>();
  #namespace: KeyNamespace;
  #epoch: string | undefined;
  #isJoined = false;
  #lostAt: number;
  #losses = 0;
  #account: BudgetAt | undefined;
  #cluster = { instances: 0, isLeader: false };
  #lastFencingToken = 0;
  /** The attempt to register that is under way. */
  #registration: Promise<void> | undefined;
  #stopHeartbeat = (): void => {};
  #isClosed = false;

  constructor(options: RedisCallBudgetOptions) {
    const { clock, startedAt = clock.now() } = options;
    this.#options = options;
    this.#namespace = options.namespace();
    this.#lostAt = clock.now();
    this.#scriptClient = new BudgetScriptClient(options);
    this.#local = new OfflineQuota({ ...options, reserve: this.#scriptClient.reserve, startedAt });
  }

  /** Joins the others and registers with them periodically; resolves after the first attempt. */
  async open(): Promise<void> {
    await this.#register();
    this.#stopHeartbeat = repeat(
      this.#options.clock,
      HEARTBEAT_MS,
      () => this.#register(),
      () => {},
    );
  }

  /** Deregisters, so that the others need not wait for it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopHeartbeat();
    await this.#registration;
    if (this.#isJoined) await this.#scriptClient.run(['leave'], { namespace: this.#namespace }).catch(() => {});
  }

  /** Calls `heard` each time that this instance has joined, for the first time or again. */
  onJoined(listener: () => void): void {
    this.#listener.add(listener);
  }

  async acquire(request: CallRequest): Promise<AcquireResult> {
    this.#followKey();
    if (!this.#isJoined) return this.#acquireLocally(request);
    const [sentAt, namespace] = [this.#options.clock.now(), this.#namespace];
    const { subject, bucket, seenFencingToken = 0 } = request;
    const more = [namespace.key('answer', subject), namespace.key('backoff', subject)];
    try {
      const reply = await this.#scriptClient.run(['acquire', subject, bucket, seenFencingToken], { namespace, more });
      this.#recordReply(reply, namespace);
      return this.#resultOf(reply, { subject, sentAt, namespace });
    } catch {
      this.#loseIfDisconnected();
      // one timeout is not a loss: the next word decides, so that a slow moment makes nobody ask twice.
      return this.#isJoined ? TIMED_OUT_ONCE : this.#acquireLocally(request);
    }
  }

  settle(permit: CallPermit, result: CallResult): void {
    const now = this.#options.clock.now();
    const namespace = this.#origins.get(permit.id);
    this.#origins.delete(permit.id);
    const maxOwnCalls = Math.max(this.#own.count(now), this.#account?.facts.used ?? 0);
    this.#countSettled(permit.id, result, now, namespace);
    this.#local.recordResult(result, maxOwnCalls, now);
    if (namespace) void this.#settleShared(permit, result, namespace);
  }

  status(): BudgetStatus {
    const { clock, limit, reserve, windowMs } = this.#options;
    const now = clock.now();
    const shared = this.#isJoined ? this.#account : undefined;
    const budget = shared ? sharedBudget(shared, this.#scriptClient.leakRate, now) : this.#local.budget(now);
    return { limit, reserve, windowMs, ...budget };
  }

  cluster() {
    return {
      state: this.#isJoined ? ('joined' as const) : ('lost' as const),
      fault: this.#isJoined ? undefined : this.#options.client.fault,
      instances: this.#cluster.instances,
      isLeader: this.isLeader,
      share: this.#local.share,
      lostForMs: this.#isJoined ? 0 : this.#options.clock.now() - this.#lostAt,
      losses: this.#losses,
    };
  }

  /** Returns whether this instance refreshes by plan: one for all, or each for itself while Redis is lost or none can. */
  get isLeader(): boolean {
    return !this.#isJoined || this.#cluster.isLeader;
  }

  get isJoined(): boolean {
    return this.#isJoined;
  }

  /** Records that an answer with this fencing token is there: calls granted from now on have newer answers. */
  recordFencingToken(fencingToken: number): void {
    this.#lastFencingToken = Math.max(this.#lastFencingToken, fencingToken);
  }

  /** A moment of our clock in the account's time. */
  sharedTime(at: number): number {
    const { clock } = this.#options;
    return at + (this.#scriptClient.viewOf(this.#namespace).aheadMs ?? clock.wallNow() - clock.now());
  }

  /** A moment of the account's time on our clock. */
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

  #acquireLocally({ subject, bucket }: CallRequest): AcquireResult {
    const now = this.#options.clock.now();
    const retryInMs = bucket === 'known' ? Math.ceil(this.#local.retryInMsAt(now)) : HEARTBEAT_MS;
    const isJustLost = now - this.#lostAt < GRACE_MS;
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

  /** Calls that Redis granted have its number; others carry the name of who made them. */
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

  /** Should this not be heard, the call counts for as long as it could take at the most: too long, never too short. */
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
      this.#loseIfDisconnected();
    }
  }

  /** Registers with the other instances, never twice at once. Never rejects. */
  #register(): Promise<void> {
    this.#registration ??= this.#runJoin()
      .catch(() => this.#loseIfDisconnected())
      .finally(() => (this.#registration = undefined));
    return this.#registration;
  }

  /** An instance that was not joined reports which of its calls count before it takes part. */
  async #runJoin(): Promise<void> {
    this.#followKey();
    const { clock, client, canBeLeader = true } = this.#options;
    const [isNew, namespace] = [!this.#isJoined, this.#namespace];
    const calls = isNew ? [...this.#own.active(clock.now())].flat() : [];
    const known = [
      this.#lastFencingToken,
      Math.ceil(this.status().pausedForMs),
      canBeLeader && client.isListening ? 1 : 0,
    ];
    const reply = await this.#scriptClient.run(['join', ...known, ...calls], { namespace });
    this.#recordReply(reply, namespace);
    if (namespace !== this.#namespace) return;
    this.#local.recordInstances(Number(reply.one));
    this.#cluster = { instances: Math.floor(Number(reply.two) / 2), isLeader: Number(reply.two) % 2 === 1 };
    if (isNew && !this.#isJoined) this.#join(reply.epoch);
  }

  /** Records how the account stands; one that was reset does not know of our calls yet. */
  #recordReply({ account, epoch }: BudgetScriptReply, namespace: KeyNamespace): void {
    if (namespace !== this.#namespace) return;
    this.#account = { at: this.#options.clock.now(), facts: account };
    if (this.#isJoined && epoch !== this.#epoch) this.#lose();
  }

  #join(epoch: string): void {
    this.#epoch = epoch;
    this.#isJoined = true;
    for (const listener of this.#listener) listener();
  }

  #loseIfDisconnected(): void {
    if (this.#options.client.fault !== undefined) this.#lose();
  }

  #lose(): void {
    if (this.#isJoined) {
      this.#losses += 1;
      this.#lostAt = this.#options.clock.now();
    }
    this.#isJoined = false;
    if (this.#options.client.fault === undefined) void this.#registerSoon();
  }

  /** Registers without waiting for the next heartbeat; after the attempt that is under way, if one is. */
  async #registerSoon(): Promise<void> {
    await this.#registration;
    if (!this.#isClosed) await this.#register();
  }

  /** Another key is another account. */
  #followKey(): void {
    const namespace = this.#options.namespace();
    if (namespace === this.#namespace) return;
    this.#namespace = namespace;
    this.#epoch = undefined;
    this.#account = undefined;
    this.#lose();
  }
}
