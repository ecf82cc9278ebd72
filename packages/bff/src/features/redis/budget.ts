import {
  type AcquireResult,
  type BudgetStatus,
  type CallBudget,
  type CallPermit,
  type CallResult,
  earlierCallsShowForMs,
  LATE_ARRIVAL_MS,
  PERMIT_TTL_MS,
  POLL_MS,
  type RefusalReason,
} from '../../budget/call-budget.ts';
import { LocalCallBudget, type LocalCallBudgetOptions } from '../../budget/local-call-budget.ts';
import { FORMAT, type RedisClient } from './client.ts';

/** The number of instances that can share the reserve while Redis is lost. */
const INSTANCES_IN_RESERVE = 6;

/**
 * At most this share of a window's calls may be sent at the same time. It is enough for at least the list and a page of
 * cards.
 */
const BURST_SHARE = 1 / 3;
const MIN_BURST = 12;

/** A single timeout isn't a loss. The next reply decides. */
const TIMED_OUT_ONCE = { kind: 'denied', reason: 'budget-store-lost', retryInMs: 20 } as const;

export interface RedisCallBudgetOptions extends LocalCallBudgetOptions {
  readonly client: Pick<RedisClient, 'send' | 'fault'>;
  /** The prefix of the names under which Redis stores the values of the current key. */
  readonly namespace: () => string;
  /**
   * The fencing token of the newest answer that this instance has. Undefined if the instance can't use another
   * instance's answer. @default undefined
   */
  readonly seenFencingToken?: (subject: string) => number | undefined;
}

/** A reply from the script. The fields of the reply are in the script's order. */
type Reply = readonly [
  kind: 'looked' | 'settled' | 'granted' | 'in-flight-elsewhere' | RefusalReason,
  number: number,
  used: number,
  left: number,
  capacity: number,
  others: number,
  pausedForMs: number,
  startingForMs: number,
  /** The highest fencing token so far. */
  lastToken: number,
];

/**
 * The call budget of all instances, in Redis. While Redis is lost, or doesn't know yet how many calls were made, each
 * instance may use a sixth of the reserve. The shared ledger never uses the reserve.
 */
export class RedisCallBudget implements CallBudget {
  readonly #options: RedisCallBudgetOptions;
  /** How many calls may be sent at the same time. */
  readonly #burst: number;
  readonly #settings: readonly number[];
  /** Undefined if the reserve is too small. */
  readonly #local: LocalCallBudget | undefined;
  /** How many calls per window this instance may make without Redis. */
  readonly share: number;
  /** The namespace in which the shared ledger granted each permit. */
  readonly #grantedIn = new WeakMap<CallPermit, string>();
  #lastToken = 0;
  /**
   * Until this time, there may be calls that Redis doesn't know about: this instance's earlier calls, or calls that
   * others made without Redis.
   */
  #earlierUntil: number;
  #last: { readonly namespace: string; readonly reply: Reply } | undefined;

  constructor(options: RedisCallBudgetOptions) {
    const { limit, reserve, windowMs, callMs } = options;
    const calls = limit - reserve;
    const burst = Math.min(calls, Math.max(MIN_BURST, Math.ceil(calls * BURST_SHARE)));
    this.#options = options;
    this.#earlierUntil = options.clock.now() + earlierCallsShowForMs(windowMs);
    this.#burst = burst;
    const times = [windowMs, PERMIT_TTL_MS + callMs, LATE_ARRIVAL_MS];
    this.#settings = [limit, reserve, ...times, calls / windowMs, burst, POLL_MS];
    this.share = Math.floor(reserve / INSTANCES_IN_RESERVE);
    const pace = { callsPerMs: this.share / windowMs, burst: 1 };
    if (this.share > 0) this.#local = new LocalCallBudget({ ...options, reserve: limit - this.share, pace });
  }

  /** Reads the state of the shared ledger, even if Redis is considered lost. Never rejects. */
  async look(): Promise<void> {
    await this.#run(this.#options.namespace(), [], ['look'], true).catch(() => this.#noteEarlierCalls());
  }

  async acquire(subject: string): Promise<AcquireResult> {
    const { client, clock, namespace: namespaceNow, seenFencingToken } = this.#options;
    if (client.fault !== undefined) return this.#acquireLocally(subject);
    const [sentAt, namespace] = [clock.now(), namespaceNow()];
    const keys = ['lease', 'answer', 'failure'].map((name) => `${namespace}:${FORMAT}:${name}:${subject}`);
    try {
      const [kind, number] = await this.#run(namespace, keys, ['acquire', seenFencingToken?.(subject) ?? -1]);
      if (kind === 'granted') {
        const permit = { id: number, subject, expiresAt: sentAt + PERMIT_TTL_MS, fencingToken: number };
        this.#grantedIn.set(permit, namespace);
        return { kind, permit };
      }
      if (kind === 'in-flight-elsewhere') return { kind, retryInMs: number };
      if (kind === 'starting') return this.#acquireLocally(subject, { reason: kind, retryInMs: number });
      return { kind: 'denied', reason: kind as RefusalReason, retryInMs: number };
    } catch {
      return this.#options.client.fault === undefined ? TIMED_OUT_ONCE : this.#acquireLocally(subject);
    }
  }

  settle(permit: CallPermit, result: CallResult): void {
    // The local budget also reads the headers of all calls. A pause therefore continues if Redis is lost.
    this.#local?.settle(permit, result);
    const namespace = this.#grantedIn.get(permit);
    if (namespace === undefined) return;
    const { fate, window, rateLimited } = result;
    const headers = [window?.limit, window?.remaining, window?.resetInMs].map((value) => wholeOr(value, -1));
    const limited = [rateLimited ? 1 : 0, wholeOr(rateLimited?.retryAfterMs, 0)];
    const args = ['settle', String(permit.id), fate, ...headers, ...limited];
    // If this command gets lost, Redis counts the call for the longest time that a call can take.
    void this.#run(namespace, [`${namespace}:${FORMAT}:lease:${permit.subject}`], args).catch(() => {});
  }

  status(): BudgetStatus {
    const { limit, reserve, windowMs } = this.#options;
    const nothing = {
      used: 0,
      left: 0,
      maxLeft: 0,
      capacity: 0,
      others: 0,
      earlier: 0,
      pausedForMs: 0,
      starting: true,
    };
    const own = { ...nothing, ...this.#local?.status(), starting: this.#options.client.fault === undefined };
    const status = { ...own, ...this.#shared(), limit, reserve, windowMs };
    const unexplained = status.others + status.earlier;
    const isEarlier = this.#noteEarlierCalls();
    return { ...status, others: isEarlier ? 0 : unexplained, earlier: isEarlier ? unexplained : 0 };
  }

  /** Returns whether there may be recent calls that the shared ledger doesn't know about. */
  #noteEarlierCalls(): boolean {
    const { clock, windowMs } = this.#options;
    const now = clock.now();
    if (this.#isUnshared()) this.#earlierUntil = now + earlierCallsShowForMs(windowMs);
    return now < this.#earlierUntil;
  }

  /** Returns whether Redis is lost, or hasn't granted any calls for this key yet. */
  #isUnshared(): boolean {
    const { client, namespace } = this.#options;
    return client.fault !== undefined || this.#last?.namespace !== namespace() || this.#last.reply[7] > 0;
  }

  /** The state of the shared ledger, according to the last reply; undefined while the ledger grants no calls. */
  #shared(): Omit<BudgetStatus, 'limit' | 'reserve' | 'windowMs'> | undefined {
    if (this.#last === undefined || this.#isUnshared()) return undefined;
    const [, , used, left, capacity, others, pausedForMs] = this.#last.reply;
    const maxLeft = Math.min(capacity, this.#burst);
    // Redis reports the effect of a 429 only in its next reply. The local budget already knows the effect.
    const pause = Math.max(pausedForMs, this.#local?.status().pausedForMs ?? 0);
    return { used, left, maxLeft, capacity, others, earlier: 0, pausedForMs: pause, starting: false };
  }

  async #acquireLocally(
    subject: string,
    shared: { reason: RefusalReason; retryInMs: number } = { reason: 'budget-store-lost', retryInMs: 1_000 },
  ): Promise<AcquireResult> {
    this.#noteEarlierCalls();
    const acquired = (await this.#local?.acquire(subject)) ?? { kind: 'denied', retryInMs: this.#options.windowMs };
    if (acquired.kind === 'granted') {
      // This token is higher than all tokens so far, but lower than all tokens that Redis will grant once it is back.
      this.#lastToken = Math.max(this.#lastToken, this.#options.seenFencingToken?.(subject) ?? 0) + 1;
      return { kind: 'granted', permit: { ...acquired.permit, fencingToken: this.#lastToken } };
    }
    return { kind: 'denied', reason: shared.reason, retryInMs: Math.min(shared.retryInMs, acquired.retryInMs) };
  }

  async #run(namespace: string, keys: readonly string[], args: readonly (string | number)[], isTrial = false) {
    const all = [...['state', 'calls'].map((name) => `${namespace}:${FORMAT}:${name}`), ...keys];
    const reply = await this.#options.client.send(
      (redis) => redis.pulseBudget(all.length, ...all, ...this.#settings, ...args) as Promise<Reply>,
      { isTrial },
    );
    this.#last = { namespace, reply };
    this.#noteEarlierCalls();
    this.#lastToken = Math.max(this.#lastToken, reply[8]);
    return reply;
  }
}

function wholeOr(value: number | undefined, missing: number): number {
  return value === undefined || Number.isNaN(value) ? missing : Math.max(0, Math.ceil(value));
}
