import { type Allowance, type Pace, steadyPace } from '../budget/even-pace.ts';
import type { Clock } from '../clock.ts';
import { type ClockNews, ClockOffset } from './clock-offset.ts';
import { type LedgerReply, ledgerReply } from './ledger-reply.ts';
import { poolOf } from './local-share.ts';
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

/** Redis's clock may be set by this much with nobody noticing: every call counts so much longer. */
const GUARD_MS = 300;

/** Beside the shared account this share of the limit is left at the least: instances that lose Redis live on it. */
const LEAST_RESERVE = 0.1;

/** The account's keys in Redis, in the script's order. */
const KEYS = ['state', 'calls', 'open', 'strangers', 'leases', 'alive', 'shares'] as const;

/** What the script is asked. */
export type LedgerCommand = readonly ['acquire' | 'settle' | 'enter' | 'leave', ...(string | number)[]];

/** What is needed of the connection. */
export type LedgerLink = Pick<RedisLink, 'ledger' | 'forget' | 'fault'>;

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
  /** Which account the asker takes it for. @default any */
  readonly epoch?: string | undefined;
  /** Keys that the command needs beside the account's. */
  readonly more?: readonly string[];
}

/** Puts commands to the ledger's script, and learns from each reply what time it is at Redis. */
export class LedgerVoice {
  /** How calls flow while the account is shared. */
  readonly pace: Pace;
  readonly offset = new ClockOffset();
  readonly #options: LedgerVoiceOptions;
  readonly #settings: readonly number[];
  readonly #onClock: (news: ClockNews) => unknown;

  constructor(options: LedgerVoiceOptions, onClock: (news: ClockNews) => unknown) {
    const { limit, windowMs, callMs } = options;
    const reserve = Math.min(limit - 1, Math.max(options.reserve, Math.ceil(LEAST_RESERVE * limit)));
    this.#options = options;
    this.#onClock = onClock;
    this.pace = steadyPace({ limit, reserve, windowMs });
    const { callsPerMs, burst } = this.pace;
    const guarded = windowMs + Math.min(GUARD_MS, 0.05 * windowMs);
    const window = [limit, reserve, guarded, callMs, LATE_ARRIVAL_MS, SETTLE_MS];
    this.#settings = [...window, callsPerMs, burst, STRANGER_LIMIT, poolOf(reserve), LEAVE_WITHIN_MS];
  }

  /** Rejects with `RedisFailed`. */
  async say(command: LedgerCommand, { tenant, epoch = '', more = [] }: Saying): Promise<LedgerReply> {
    const { link, clock, instance } = this.#options;
    const sentAt = clock.now();
    const expected = this.offset.mostMs === undefined ? 0 : Math.ceil(sentAt + this.offset.mostMs);
    const keys = KEYS.map((name) => tenant.key(name));
    const args = [instance, epoch, expected, ...this.#settings, ...command];
    const returned = await link
      .ledger([...keys, ...more], args, { isTrial: command[0] === 'enter' })
      .catch((failure: unknown) => this.#repair(keys, failure));
    const reply = ledgerReply(returned);
    if (!reply) throw new RedisFailed('spoilt');
    this.#onClock(this.offset.heard(reply.now, sentAt, clock.now()));
    return reply;
  }

  /** What makes the script fail is no account: without it, one is begun anew, with all the care that takes. */
  async #repair(keys: readonly string[], failure: unknown): Promise<never> {
    if (failure instanceof RedisFailed && failure.fault === 'spoilt')
      await this.#options.link.forget(...keys).catch(() => {});
    throw failure;
  }
}
