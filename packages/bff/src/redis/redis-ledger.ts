import type {
  BudgetStatus,
  CallLedger,
  CallRequest,
  CallResult,
  CallVerdict,
  Grant,
  RefusalReason,
} from '../budget/call-ledger.ts';
import { steadyPace } from '../budget/even-pace.ts';
import type { Clock } from '../clock.ts';
import type { CrewStatus } from './crew-status.ts';
import { type LedgerReply, ledgerReply, type SharedAccount } from './ledger-reply.ts';
import { LocalShare, poolOf } from './local-share.ts';
import { OwnCalls } from './own-calls.ts';
import { RedisFailed, type RedisLink } from './redis-link.ts';
import type { Tenant } from './tenant.ts';

/** As in the ledger of one process: what ids nobody vouches for may cost, and what late calls may take. */
const STRANGER_LIMIT = 6;
const LATE_ARRIVAL_MS = 5_000;
const LEAVE_WITHIN_MS = 2_000;

/** How often an instance says that it is there. */
const BEAT_MS = 500;

/** After an empty start all instances have said by then which calls of theirs still count. */
const SETTLE_MS = 1_500;

/** Redis's clock against ours may seem to move by this much; more, and it was set. */
const CLOCK_WAS_SET_MS = 1_000;

/** Beside the shared account this share of the limit is left at the least: instances that lose Redis live on it. */
const LEAST_RESERVE = 0.1;

/** What the script is asked. */
type LedgerCommand = readonly ['acquire' | 'settle' | 'enter' | 'leave', ...(string | number)[]];

export interface RedisLedgerOptions {
  readonly link: RedisLink;
  readonly clock: Clock;
  /** This process among all that share the account; no blanks. */
  readonly instance: string;
  /** Whose account it is: another one once the key is another. */
  readonly tenant: () => Tenant;
  readonly limit: number;
  readonly windowMs: number;
  readonly reserve: number;
  /** The most that a call takes from leaving to its end, in ms. */
  readonly callMs: number;
  /** When this process was started, on the clock. @default now */
  readonly startedAt?: number;
  /** @default 1500 */
  readonly settleMs?: number;
}

/** Keeps the account of the key's calls in Redis, for all instances; out of a share of its own while Redis is lost. */
export class RedisLedger implements CallLedger {
  readonly #options: RedisLedgerOptions;
  readonly #clock: Clock;
  readonly #settings: readonly (string | number)[];
  readonly #pace: { readonly callsPerMs: number; readonly burst: number };
  readonly #reserve: number;
  readonly #own = new OwnCalls();
  readonly #local: LocalShare;
  /** Whose account each call in flight was granted by; undefined where by none, but out of the own share. */
  readonly #origins = new Map<number, Tenant | undefined>();
  readonly #joined = new Set<() => void>();
  #tenant: Tenant;
  #epoch: string | undefined;
  #isJoined = false;
  #lostAt: number;
  #losses = 0;
  #account: { readonly at: number; readonly facts: SharedAccount } | undefined;
  /** Redis's clock minus ours. */
  #clockAhead: number | undefined;
  #clockWasSet = false;
  #crew = { instances: 0, leads: false };
  #lastFence = 0;
  #cancelBeat = (): void => {};
  #isClosed = false;
  #beating: Promise<void> | undefined;

  constructor(options: RedisLedgerOptions) {
    const { clock, limit, windowMs, reserve, callMs, settleMs = SETTLE_MS, startedAt = clock.now() } = options;
    this.#options = options;
    this.#clock = clock;
    this.#reserve = Math.min(limit - 1, Math.max(reserve, Math.ceil(LEAST_RESERVE * limit)));
    this.#pace = steadyPace({ limit, reserve: this.#reserve, windowMs });
    const pool = poolOf(this.#reserve);
    const { callsPerMs, burst } = this.#pace;
    const window = [limit, this.#reserve, windowMs, callMs, LATE_ARRIVAL_MS, settleMs];
    this.#settings = [...window, callsPerMs, burst, STRANGER_LIMIT, pool, LEAVE_WITHIN_MS];
    this.#local = new LocalShare({ limit, windowMs, startedAt });
    this.#lostAt = clock.now();
    this.#tenant = options.tenant();
  }

  /** Joins the others, and says again and again that it is there; resolves after the first try. */
  async open(): Promise<void> {
    await this.#beat();
    this.#beatLater();
  }

  /** Says good-bye, so that the others need not wait for it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelBeat();
    await this.#beating;
    if (this.#isJoined) await this.#say(['leave']).catch(() => {});
  }

  /** Calls `heard` each time that this instance has joined, for the first time or again. */
  onJoined(heard: () => void): void {
    this.#joined.add(heard);
  }

  async acquire(request: CallRequest): Promise<CallVerdict> {
    this.#followKey();
    if (!this.#isJoined) return this.#acquireLocally(request);
    const sentAt = this.#clock.now();
    const { subject, payer, seenFence = 0 } = request;
    try {
      const reply = await this.#say(['acquire', subject, payer, seenFence], this.#subjectKeys(subject));
      return this.#verdictIn(reply, subject, sentAt);
    } catch {
      return this.#acquireLocally(request);
    }
  }

  settle({ id, subject }: Grant, result: CallResult): void {
    const now = this.#clock.now();
    const ownAtMost = [...this.#own.counting(now)].length;
    const origin = this.#origins.get(id);
    this.#origins.delete(id);
    this.#countSettled(id, result, now, { isLocal: origin === undefined });
    this.#local.heard(result, Math.max(ownAtMost, this.#account?.facts.used ?? 0), now);
    if (origin === undefined) return;
    const { window, rateLimited } = result;
    const facts = [window?.limit ?? -1, window?.remaining ?? -1, window?.resetInMs ?? -1];
    const limited = [rateLimited ? 1 : 0, rateLimited?.retryAfterMs ?? 0];
    const command: LedgerCommand = ['settle', String(id), subject, result.fate, ...facts, ...limited];
    // Should this not be heard, the call counts for as long as it could take at the most: too long, never too short.
    void this.#say(command, [], origin).catch(() => {});
  }

  status(): BudgetStatus {
    const now = this.#clock.now();
    const { limit, reserve, windowMs } = this.#options;
    const common = { limit, reserve, windowMs };
    if (this.#isJoined && this.#account) return { ...common, ...this.#sharedStatus(this.#account, now) };
    return {
      ...common,
      used: this.#local.used(now),
      left: this.#local.left(now),
      leftAtMost: this.#local.capacity(now),
      capacity: this.#local.capacity(now),
      others: 0,
      pausedForMs: this.#local.pausedForMs(now),
      starting: false,
    };
  }

  crew(): CrewStatus {
    return {
      state: this.#isJoined ? 'joined' : 'lost',
      fault: this.#options.link.fault,
      instances: this.#crew.instances,
      leads: this.leads,
      share: this.#local.share,
      lostForMs: this.#isJoined ? 0 : this.#clock.now() - this.#lostAt,
      losses: this.#losses,
    };
  }

  /** Says whether this instance refreshes by plan: one for all, or each for itself while Redis is lost. */
  get leads(): boolean {
    return !this.#isJoined || this.#crew.leads;
  }

  get isJoined(): boolean {
    return this.#isJoined;
  }

  /** A moment of our clock on that of Redis. */
  sharedTime(at: number): number {
    return at + (this.#clockAhead ?? this.#clock.wallNow() - this.#clock.now());
  }

  /** A moment of Redis's clock on ours. */
  ownTime(sharedAt: number): number {
    return sharedAt - this.sharedTime(0);
  }

  #subjectKeys(subject: string): string[] {
    return [this.#tenant.key('answer', subject), this.#tenant.key('rest', subject)];
  }

  #verdictIn({ kind, one, two }: LedgerReply, subject: string, sentAt: number): CallVerdict {
    switch (kind) {
      case 'go':
        return { kind: 'go', grant: this.#grantOf(Number(one), subject, sentAt, this.#tenant) };
      case 'wait':
        return { kind: 'wait', retryInMs: Math.max(1, Number(one)) };
      case 'refused':
        return { kind: 'refused', reason: String(one) as RefusalReason, retryInMs: Math.max(1, Number(two)) };
      default:
        // The account is another one, or Redis's clock was set: the next beat joins anew.
        this.#lose();
        this.#beatSoon();
        return { kind: 'refused', reason: 'starting', retryInMs: BEAT_MS };
    }
  }

  #acquireLocally({ subject, payer }: CallRequest): CallVerdict {
    const now = this.#clock.now();
    const retryInMs = Math.ceil(this.#local.roomInMs(now));
    if (retryInMs > 0) return { kind: 'refused', reason: 'ledger-lost', retryInMs };
    if (payer === 'stranger') return { kind: 'refused', reason: 'ledger-lost', retryInMs: BEAT_MS };
    const fence = Math.max(this.#lastFence + 1, Math.floor(this.sharedTime(now) * 1_000));
    this.#local.granted(fence, now);
    return { kind: 'go', grant: this.#grantOf(fence, subject, now, undefined) };
  }

  #grantOf(fence: number, subject: string, sentAt: number, tenant: Tenant | undefined): Grant {
    this.#lastFence = Math.max(this.#lastFence, fence);
    this.#origins.set(fence, tenant);
    const { windowMs, callMs } = this.#options;
    const overAt = this.#clock.now() + LEAVE_WITHIN_MS + callMs;
    this.#own.counts(this.#nameOf(fence, tenant), overAt + LATE_ARRIVAL_MS + windowMs, {
      isLocal: tenant === undefined,
    });
    return { id: fence, subject, leaveBefore: sentAt + LEAVE_WITHIN_MS, fence };
  }

  /** Calls that Redis granted have its number; others carry the name of who made them. */
  #nameOf(fence: number, tenant: Tenant | undefined): string {
    return tenant === undefined ? `${this.#options.instance}.${fence}` : String(fence);
  }

  #countSettled(id: number, { fate }: CallResult, now: number, { isLocal }: { isLocal: boolean }): void {
    const name = isLocal ? `${this.#options.instance}.${id}` : String(id);
    const arrivedBy = { unsent: undefined, answered: now, lost: now + LATE_ARRIVAL_MS }[fate];
    if (isLocal) this.#local.settled(id, arrivedBy);
    if (arrivedBy === undefined) this.#own.never(name);
    else this.#own.counts(name, arrivedBy + this.#options.windowMs, { isLocal });
  }

  #sharedStatus({ at, facts }: { at: number; facts: SharedAccount }, now: number) {
    const { used, capacity, others, starting, level, heldForMs } = facts;
    const pausedForMs = Math.max(facts.pausedForMs - (now - at), this.#local.pausedForMs(now));
    const { callsPerMs, burst } = this.#pace;
    const levelNow = Math.max(0, level - Math.max(0, now - at - heldForMs) * callsPerMs);
    const paced = Math.floor(burst - levelNow + 1e-9);
    const left = pausedForMs > 0 || starting ? 0 : Math.max(0, Math.min(capacity - used, paced));
    return { used, left, leftAtMost: Math.min(capacity, burst), capacity, others, pausedForMs, starting };
  }

  /** Puts a command to the script, and takes in how things stand. Rejects with `RedisFailed`. */
  async #say(command: LedgerCommand, more: readonly string[] = [], tenant = this.#tenant): Promise<LedgerReply> {
    const [operation] = command;
    const sentAt = this.#clock.now();
    const expected = this.#clockAhead === undefined ? 0 : Math.floor(sentAt + this.#clockAhead);
    const names = ['state', 'calls', 'open', 'strangers', 'leases', 'alive', 'shares'];
    const keys = [...names.map((name) => tenant.key(name)), ...more];
    const args = [this.#options.instance, this.#epoch ?? '', expected, ...this.#settings, ...command];
    try {
      const reply = ledgerReply(await this.#options.link.ledger(keys, args, { isTrial: operation === 'enter' }));
      if (!reply) throw new RedisFailed('spoilt');
      this.#hear(reply, tenant, sentAt);
      return reply;
    } catch (failure) {
      if (this.#options.link.fault !== undefined) this.#lose();
      if (failure instanceof RedisFailed && failure.fault === 'spoilt') await this.#repair(keys);
      throw failure;
    }
  }

  #hear({ now: sharedNow, account }: LedgerReply, tenant: Tenant, sentAt: number): void {
    const now = this.#clock.now();
    // What was long under way, as where this process was stopped meanwhile, tells nothing of what time it is there.
    if (now - sentAt > CLOCK_WAS_SET_MS / 2) return;
    const ahead = sharedNow - now;
    if (this.#clockAhead !== undefined && Math.abs(ahead - this.#clockAhead) > CLOCK_WAS_SET_MS)
      this.#clockWasSet = ahead > this.#clockAhead;
    this.#clockAhead = ahead;
    if (tenant === this.#tenant) this.#account = { at: now, facts: account };
  }

  /** What makes the script fail is no account: without it, one is begun anew, with all the care that takes. */
  async #repair(keys: readonly string[]): Promise<void> {
    await this.#options.link.forget(...keys).catch(() => {});
  }

  #lose(): void {
    if (!this.#isJoined) return;
    this.#isJoined = false;
    this.#losses += 1;
    this.#lostAt = this.#clock.now();
  }

  /** Another key is another account. */
  #followKey(): void {
    const tenant = this.#options.tenant();
    if (tenant === this.#tenant) return;
    this.#tenant = tenant;
    this.#epoch = undefined;
    this.#account = undefined;
    this.#lose();
    this.#beatSoon();
  }

  #beatSoon(): void {
    this.#cancelBeat();
    if (!this.#isClosed)
      this.#cancelBeat = this.#clock.schedule(0, () => void this.#beat().finally(() => this.#beatLater()));
  }

  #beatLater(): void {
    this.#cancelBeat();
    if (this.#isClosed) return;
    this.#cancelBeat = this.#clock.schedule(BEAT_MS, () => void this.#beat().finally(() => this.#beatLater()));
  }

  #beat(): Promise<void> {
    this.#beating ??= this.#enter()
      .catch(() => {})
      .finally(() => (this.#beating = undefined));
    return this.#beating;
  }

  async #enter(): Promise<void> {
    this.#followKey();
    const now = this.#clock.now();
    const isAnew = !this.#isJoined;
    const calls = isAnew ? [...this.#own.counting(now)].flat() : [];
    const [wasSet, pausedMs] = [this.#clockWasSet ? 1 : 0, Math.ceil(this.status().pausedForMs)];
    const known = [this.#local.share, this.#lastFence, wasSet, pausedMs];
    const reply = await this.#say(['enter', ...known, ...calls]);
    if (wasSet === 1) this.#clockWasSet = false;
    const isKnown = reply.epoch === this.#epoch && !this.#clockWasSet;
    this.#epoch = reply.epoch;
    this.#local.told(Number(reply.one), this.#clock.now());
    this.#crew = { instances: Math.floor(Number(reply.two) / 2), leads: Number(reply.two) % 2 === 1 };
    if (isAnew) this.#join();
    else if (!isKnown) {
      this.#lose();
      this.#beatSoon();
    }
  }

  #join(): void {
    this.#isJoined = true;
    for (const heard of this.#joined) heard();
  }
}
