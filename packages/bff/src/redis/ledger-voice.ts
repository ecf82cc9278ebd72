import { type Allowance, type Pace, steadyPace } from '../budget/even-pace.ts';
import type { Clock } from '../clock.ts';
import { AccountView } from './account-view.ts';
import { type LedgerReply, ledgerReply } from './ledger-reply.ts';
import { RedisFailed, type RedisLink } from './redis-link.ts';
import type { Tenant } from './tenant.ts';

/** As in the ledger of one process: what ids nobody vouches for may cost. */
const STRANGER_LIMIT = 6;

/** A call whose answer never came may still be on its way for this long. */
export const LATE_ARRIVAL_MS = 5_000;

/** A call that has not left this long after its grant must not leave at all. */
export const LEAVE_WITHIN_MS = 2_000;

/** After an empty start all instances have said by then which calls of theirs still count. */
const SETTLE_MS = 1_500;

/** Instances may know the account's time this much too late: every call counts so much longer. More than two beats. */
const GUARD_MS = 1_000;

/** A command that Redis runs this long after it was sent, because it stood still, is too late to be granted a call. */
const TOO_LATE_MS = 250;

/** Beside the shared account this share of the limit is left at the least: instances that lose Redis live on it. */
const LEAST_RESERVE = 0.1;

/** The account's keys in Redis, in the script's order. */
const KEYS = ['state', 'calls', 'open', 'strangers', 'leases', 'alive'] as const;

/** What the script is asked. */
export type LedgerCommand = readonly ['acquire' | 'settle' | 'enter' | 'leave', ...(string | number)[]];

/** What is needed of the connection. */
export type LedgerLink = Pick<RedisLink, 'ledger' | 'forget' | 'fault' | 'isListening'>;

export interface LedgerVoiceOptions extends Allowance {
  readonly link: LedgerLink;
  readonly clock: Clock;
  /** This process among all that share the account; no blanks. */
  readonly instance: string;
  /** The most that a call takes from leaving to its end, in ms. */
  readonly callMs: number;
}

/** A command's surroundings. */
interface Saying {
  readonly tenant: Tenant;
  /** Keys that the command needs beside the account's. */
  readonly more?: readonly string[];
}

/** Puts commands to the ledger's script, and learns from each reply how the account stands. */
export class LedgerVoice {
  /** How calls flow while the account is shared. */
  readonly pace: Pace;
  /** Beside the shared account, calls of each window that are left. */
  readonly reserve: number;
  readonly #options: LedgerVoiceOptions;
  readonly #settings: readonly number[];
  readonly #views = new WeakMap<Tenant, AccountView>();
  /** How far Redis's own clock was ahead of ours when it was last heard of, in ms. */
  #redisAheadMs: number | undefined;

  constructor(options: LedgerVoiceOptions) {
    const { limit, windowMs, callMs } = options;
    const reserve = Math.min(limit - 1, Math.max(options.reserve, Math.ceil(LEAST_RESERVE * limit)));
    this.#options = options;
    this.reserve = reserve;
    this.pace = steadyPace({ limit, reserve, windowMs });
    const { callsPerMs, burst } = this.pace;
    const times = [windowMs, GUARD_MS, callMs, LATE_ARRIVAL_MS, SETTLE_MS];
    this.#settings = [limit, reserve, ...times, callsPerMs, burst, STRANGER_LIMIT, LEAVE_WITHIN_MS];
  }

  /** What this instance knows of a tenant's account. */
  viewOf(tenant: Tenant): AccountView {
    const view = this.#views.get(tenant) ?? new AccountView();
    this.#views.set(tenant, view);
    return view;
  }

  /** Rejects with `RedisFailed`. */
  async say(command: LedgerCommand, { tenant, more = [] }: Saying): Promise<LedgerReply> {
    const { link, clock, instance } = this.#options;
    const [sentAt, view] = [clock.now(), this.viewOf(tenant)];
    const { epoch, leastNow, counted } = view.knownAt(sentAt);
    const lateAfter = this.#redisAheadMs === undefined ? 0 : Math.ceil(sentAt + this.#redisAheadMs) + TOO_LATE_MS;
    const keys = KEYS.map((name) => tenant.key(name));
    const args = [instance, epoch, leastNow, counted, lateAfter, ...this.#settings, ...command];
    const returned = await link
      .ledger([...keys, ...more], args, { isTrial: command[0] === 'enter' })
      .catch((failure: unknown) => this.#repair(keys, failure));
    const reply = ledgerReply(returned);
    if (!reply) throw new RedisFailed('spoilt');
    this.#redisAheadMs = reply.redisNow - sentAt;
    view.heard(reply, clock.now());
    return reply;
  }

  /** What makes the script fail is no account: without it, one is begun anew, with all the care that takes. */
  async #repair(keys: readonly string[], failure: unknown): Promise<never> {
    if (failure instanceof RedisFailed && failure.fault === 'spoilt')
      await this.#options.link.forget(...keys).catch(() => {});
    throw failure;
  }
}
