import type {
  BudgetStatus,
  CallLedger,
  CallRequest,
  CallResult,
  CallVerdict,
  Grant,
  RefusalReason,
} from '../budget/call-ledger.ts';
import { Beat } from './beat.ts';
import type { CrewStatus } from './crew-status.ts';
import type { LedgerReply } from './ledger-reply.ts';
import { LATE_ARRIVAL_MS, LEAVE_WITHIN_MS, LedgerVoice, type LedgerVoiceOptions } from './ledger-voice.ts';
import { LocalShare } from './local-share.ts';
import { OwnCalls } from './own-calls.ts';
import { type AccountAt, sharedBudget } from './shared-budget.ts';
import type { Tenant } from './tenant.ts';

/** How often an instance says that it is there. */
const BEAT_MS = 500;

/** For so long after a loss it is worth asking again soon: most losses are a moment's. */
const SOON_BACK_MS = 5_000;

const SILENT_ONCE = { kind: 'refused', reason: 'ledger-lost', retryInMs: 20 } as const;

export interface RedisLedgerOptions extends LedgerVoiceOptions {
  /** Whose account it is: another one once the key is another. */
  readonly tenant: () => Tenant;
  /** When this process was started, on the clock. @default now */
  readonly startedAt?: number;
  /** Whether this instance can be the one that refreshes by plan. @default true */
  readonly canLead?: boolean;
}

/** Keeps the account of the key's calls in Redis, for all instances; out of a share of its own while Redis is lost. */
export class RedisLedger implements CallLedger {
  readonly #options: RedisLedgerOptions;
  readonly #voice: LedgerVoice;
  readonly #beat: Beat;
  readonly #own = new OwnCalls();
  readonly #local: LocalShare;
  /** Whose account each call in flight was granted by; undefined where by none, but out of the own share. */
  readonly #origins = new Map<number, Tenant | undefined>();
  readonly #heard = new Set<() => void>();
  #tenant: Tenant;
  #epoch: string | undefined;
  #isJoined = false;
  #lostAt: number;
  #losses = 0;
  #account: AccountAt | undefined;
  #crew = { instances: 0, leads: false };
  #lastFence = 0;

  constructor(options: RedisLedgerOptions) {
    const { clock, startedAt = clock.now() } = options;
    this.#options = options;
    this.#tenant = options.tenant();
    this.#lostAt = clock.now();
    this.#voice = new LedgerVoice(options);
    this.#local = new LocalShare({ ...options, reserve: this.#voice.reserve, startedAt });
    this.#beat = new Beat(clock, BEAT_MS, () => this.#enter().catch(() => this.#loseIfGone()));
  }

  /** Joins the others, and says again and again that it is there; resolves after the first try. */
  async open(): Promise<void> {
    await this.#beat.start();
  }

  /** Says good-bye, so that the others need not wait for it. */
  async close(): Promise<void> {
    await this.#beat.stop();
    if (this.#isJoined) await this.#voice.say(['leave'], { tenant: this.#tenant }).catch(() => {});
  }

  /** Calls `heard` each time that this instance has joined, for the first time or again. */
  onJoined(heard: () => void): void {
    this.#heard.add(heard);
  }

  async acquire(request: CallRequest): Promise<CallVerdict> {
    this.#followKey();
    if (!this.#isJoined) return this.#acquireLocally(request);
    const [sentAt, tenant] = [this.#options.clock.now(), this.#tenant];
    const { subject, payer, seenFence = 0 } = request;
    const more = [tenant.key('answer', subject), tenant.key('rest', subject)];
    try {
      const reply = await this.#voice.say(['acquire', subject, payer, seenFence], { tenant, more });
      this.#hear(reply, tenant);
      return this.#verdictIn(reply, { subject, sentAt, tenant });
    } catch {
      this.#loseIfGone();
      // One silence is not a loss: the next word decides, so that a slow moment makes nobody ask twice.
      return this.#isJoined ? SILENT_ONCE : this.#acquireLocally(request);
    }
  }

  settle(grant: Grant, result: CallResult): void {
    const now = this.#options.clock.now();
    const tenant = this.#origins.get(grant.id);
    this.#origins.delete(grant.id);
    const ownAtMost = Math.max(this.#own.count(now), this.#account?.facts.used ?? 0);
    this.#countSettled(grant.id, result, now, tenant);
    this.#local.heard(result, ownAtMost, now);
    if (tenant) void this.#settleShared(grant, result, tenant);
  }

  status(): BudgetStatus {
    const { clock, limit, reserve, windowMs } = this.#options;
    const now = clock.now();
    const shared = this.#isJoined ? this.#account : undefined;
    const budget = shared ? sharedBudget(shared, this.#voice.pace, now) : this.#local.budget(now);
    return { limit, reserve, windowMs, ...budget };
  }

  crew(): CrewStatus {
    return {
      state: this.#isJoined ? 'joined' : 'lost',
      fault: this.#isJoined ? undefined : this.#options.link.fault,
      instances: this.#crew.instances,
      leads: this.leads,
      share: this.#local.share,
      lostForMs: this.#isJoined ? 0 : this.#options.clock.now() - this.#lostAt,
      losses: this.#losses,
    };
  }

  /** Says whether this instance refreshes by plan: one for all, or each for itself while Redis is lost or none can. */
  get leads(): boolean {
    return !this.#isJoined || this.#crew.leads;
  }

  get isJoined(): boolean {
    return this.#isJoined;
  }

  /** Records that an answer with this fence is there: calls granted from now on have newer answers. */
  sawFence(fence: number): void {
    this.#lastFence = Math.max(this.#lastFence, fence);
  }

  /** A moment of our clock in the account's time. */
  sharedTime(at: number): number {
    const { clock } = this.#options;
    return at + (this.#voice.viewOf(this.#tenant).aheadMs ?? clock.wallNow() - clock.now());
  }

  /** A moment of the account's time on our clock. */
  ownTime(sharedAt: number): number {
    return sharedAt - this.sharedTime(0);
  }

  #verdictIn(
    { kind, one, two }: LedgerReply,
    { subject, sentAt, tenant }: { subject: string; sentAt: number; tenant: Tenant },
  ): CallVerdict {
    switch (kind) {
      case 'go':
        return { kind: 'go', grant: this.#grantOf(Number(one), { subject, sentAt, tenant }) };
      case 'wait':
        return { kind: 'wait', retryInMs: Math.max(1, Number(one)) };
      case 'refused':
        return { kind: 'refused', reason: String(one) as RefusalReason, retryInMs: Math.max(1, Number(two)) };
      case 'late':
        return SILENT_ONCE;
      default:
        return { kind: 'refused', reason: 'starting', retryInMs: BEAT_MS };
    }
  }

  #acquireLocally({ subject, payer }: CallRequest): CallVerdict {
    const now = this.#options.clock.now();
    const roomInMs = payer === 'known' ? Math.ceil(this.#local.roomInMs(now)) : BEAT_MS;
    const isJustLost = now - this.#lostAt < SOON_BACK_MS;
    if (roomInMs > 0)
      return { kind: 'refused', reason: 'ledger-lost', retryInMs: isJustLost ? Math.min(roomInMs, BEAT_MS) : roomInMs };
    const fence = Math.max(this.#lastFence + 1, Math.floor(this.sharedTime(now) * 1_000));
    this.#local.granted(fence, now);
    return { kind: 'go', grant: this.#grantOf(fence, { subject, sentAt: now, tenant: undefined }) };
  }

  #grantOf(
    fence: number,
    { subject, sentAt, tenant }: { subject: string; sentAt: number; tenant: Tenant | undefined },
  ): Grant {
    const { clock, windowMs, callMs } = this.#options;
    this.#lastFence = Math.max(this.#lastFence, fence);
    this.#origins.set(fence, tenant);
    const overAt = clock.now() + LEAVE_WITHIN_MS + callMs + LATE_ARRIVAL_MS;
    this.#own.counts(this.#nameOf(fence, tenant), overAt + windowMs);
    return { id: fence, subject, leaveBefore: sentAt + LEAVE_WITHIN_MS, fence };
  }

  /** Calls that Redis granted have its number; others carry the name of who made them. */
  #nameOf(fence: number, tenant: Tenant | undefined): string {
    return tenant === undefined ? `${this.#options.instance}.${fence}` : String(fence);
  }

  #countSettled(id: number, { fate }: CallResult, now: number, tenant: Tenant | undefined): void {
    const name = this.#nameOf(id, tenant);
    const arrivedBy = { unsent: undefined, answered: now, lost: now + LATE_ARRIVAL_MS }[fate];
    if (tenant === undefined) this.#local.settled(id, arrivedBy);
    if (arrivedBy === undefined) this.#own.never(name);
    else this.#own.counts(name, arrivedBy + this.#options.windowMs);
  }

  /** Should this not be heard, the call counts for as long as it could take at the most: too long, never too short. */
  async #settleShared(
    { id, subject }: Grant,
    { fate, window, rateLimited }: CallResult,
    tenant: Tenant,
  ): Promise<void> {
    const facts = [window?.limit ?? -1, window?.remaining ?? -1, window?.resetInMs ?? -1];
    const limited = [rateLimited ? 1 : 0, rateLimited?.retryAfterMs ?? 0];
    const command = ['settle', String(id), subject, fate, ...facts, ...limited] as const;
    try {
      this.#hear(await this.#voice.say(command, { tenant }), tenant);
    } catch {
      this.#loseIfGone();
    }
  }

  /** Says that this instance is there; one that was not tells which of its calls count before it takes part. */
  async #enter(): Promise<void> {
    this.#followKey();
    const { clock, link, canLead = true } = this.#options;
    const [isNew, tenant] = [!this.#isJoined, this.#tenant];
    const calls = isNew ? [...this.#own.counting(clock.now())].flat() : [];
    const known = [this.#lastFence, Math.ceil(this.status().pausedForMs), canLead && link.isListening ? 1 : 0];
    const reply = await this.#voice.say(['enter', ...known, ...calls], { tenant });
    this.#hear(reply, tenant);
    if (tenant !== this.#tenant) return;
    this.#local.sawInstances(Number(reply.one));
    this.#crew = { instances: Math.floor(Number(reply.two) / 2), leads: Number(reply.two) % 2 === 1 };
    if (isNew && !this.#isJoined) this.#join(reply.epoch);
  }

  /** Records how the account stands; one that was reset does not know of our calls yet. */
  #hear({ account, epoch }: LedgerReply, tenant: Tenant): void {
    if (tenant !== this.#tenant) return;
    this.#account = { at: this.#options.clock.now(), facts: account };
    if (this.#isJoined && epoch !== this.#epoch) this.#lose();
  }

  #join(epoch: string): void {
    this.#epoch = epoch;
    this.#isJoined = true;
    for (const heard of this.#heard) heard();
  }

  #loseIfGone(): void {
    if (this.#options.link.fault !== undefined) this.#lose();
  }

  #lose(): void {
    if (this.#isJoined) {
      this.#losses += 1;
      this.#lostAt = this.#options.clock.now();
    }
    this.#isJoined = false;
    if (this.#options.link.fault === undefined) this.#beat.soon();
  }

  /** Another key is another account. */
  #followKey(): void {
    const tenant = this.#options.tenant();
    if (tenant === this.#tenant) return;
    this.#tenant = tenant;
    this.#epoch = undefined;
    this.#account = undefined;
    this.#lose();
  }
}
