import { type Clock, repeat } from '../clock.ts';
import type { BudgetClient, BudgetScriptClient, BudgetScriptReply } from './budget-script-client.ts';
import type { KeyNamespace } from './key-namespace.ts';

/** How often an instance registers with the others. */
export const HEARTBEAT_MS = 500;

/** What an instance reports when it registers. */
export interface MembershipReport {
  readonly lastFencingToken: number;
  readonly pausedForMs: number;
  /** The calls that count, and how much longer, in ms. */
  readonly calls: Iterable<readonly [id: string, forMs: number]>;
}

export interface MembershipOptions {
  readonly client: BudgetClient;
  readonly scriptClient: BudgetScriptClient;
  readonly clock: Clock;
  /** The namespace of the key in use. */
  readonly namespace: () => KeyNamespace;
  /** Whether this instance can be the one that refreshes by plan. @default true */
  readonly canBeLeader?: boolean | undefined;
  readonly report: () => MembershipReport;
  readonly onReply: (reply: BudgetScriptReply, namespace: KeyNamespace) => void;
}

/** Whether this instance has joined the others in Redis, which of them leads, and since when Redis is lost. */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #joinListeners = new Set<() => void>();
  #namespace: KeyNamespace;
  #epoch: string | undefined;
  #isJoined = false;
  #lostAt: number;
  #losses = 0;
  #instances = 0;
  #isChosen = false;
  /** The attempt to register that is under way. */
  #registration: Promise<void> | undefined;
  #stopHeartbeat = (): void => {};
  #isClosed = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#namespace = options.namespace();
    this.#lostAt = options.clock.now();
  }

  /** Joins the others and registers with them periodically; resolves after the first attempt. */
  async open(): Promise<void> {
    const { clock } = this.#options;
    this.#stopHeartbeat = repeat(
      clock,
      HEARTBEAT_MS,
      () => this.#register(),
      () => {},
    );
    await this.#register();
  }

  /** Deregisters, so that the others need not wait for a timeout. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopHeartbeat();
    await this.#registration;
    if (this.#isJoined) await this.#options.scriptClient.run(['leave'], { namespace: this.#namespace }).catch(() => {});
  }

  /** Calls `listener` each time that this instance has joined, for the first time or again. */
  onJoined(listener: () => void): void {
    this.#joinListeners.add(listener);
  }

  get isJoined(): boolean {
    return this.#isJoined;
  }

  /** Whether this instance refreshes by plan: one for all, or each for itself while Redis is lost or none can. */
  get isLeader(): boolean {
    return !this.#isJoined || this.#isChosen;
  }

  /** The namespace that this instance has joined, or tries to join. */
  get namespace(): KeyNamespace {
    return this.#namespace;
  }

  /** How long Redis has been lost; 0 while it is not. */
  get lostForMs(): number {
    return this.#isJoined ? 0 : this.#options.clock.now() - this.#lostAt;
  }

  status() {
    return {
      state: this.#isJoined ? ('joined' as const) : ('lost' as const),
      fault: this.#isJoined ? undefined : this.#options.client.fault,
      instances: this.#instances,
      isLeader: this.isLeader,
      lostForMs: this.lostForMs,
      losses: this.#losses,
    };
  }

  /** Leaves the namespace of a key that has been replaced, and joins that of the new key. */
  followKey(): void {
    const namespace = this.#options.namespace();
    if (namespace === this.#namespace) return;
    this.#namespace = namespace;
    this.#epoch = undefined;
    this.#lose();
  }

  /** Records which account has replied: one that was reset does not know of this instance's calls yet. */
  recordEpoch(epoch: string): void {
    if (this.#isJoined && epoch !== this.#epoch) this.#lose();
  }

  /** Records that a command failed. */
  recordFailure(): void {
    if (this.#options.client.fault !== undefined) this.#lose();
  }

  /** Registers with the other instances, never twice at once. Never rejects. */
  #register(): Promise<void> {
    this.#registration ??= this.#runJoin()
      .catch(() => this.recordFailure())
      .finally(() => (this.#registration = undefined));
    return this.#registration;
  }

  /** An instance that was not joined reports which of its calls count before it takes part. */
  async #runJoin(): Promise<void> {
    this.followKey();
    const { client, scriptClient, canBeLeader = true, report, onReply } = this.#options;
    const [isNew, namespace] = [!this.#isJoined, this.#namespace];
    const { lastFencingToken, pausedForMs, calls } = report();
    const isCandidate = canBeLeader && client.isListening ? 1 : 0;
    const newCalls = isNew ? [...calls].flat() : [];
    const reply = await scriptClient.run(['join', lastFencingToken, pausedForMs, isCandidate, ...newCalls], {
      namespace,
    });
    onReply(reply, namespace);
    if (namespace !== this.#namespace) return;
    this.#instances = Math.floor(Number(reply.two) / 2);
    this.#isChosen = Number(reply.two) % 2 === 1;
    if (isNew && !this.#isJoined) this.#join(reply.epoch);
  }

  #join(epoch: string): void {
    this.#epoch = epoch;
    this.#isJoined = true;
    for (const listener of this.#joinListeners) listener();
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
}
