import type { CallResult } from '../budget/call-ledger.ts';
import { EvenPace } from '../budget/even-pace.ts';
import { GrantLog } from '../budget/grant-log.ts';
import { KeyWindow } from '../budget/key-window.ts';

/** With this much of the pool, instances that Redis never told a share have room for a call each. */
const SHARED_OUT = 0.8;

/** What an instance may spend that was told nothing. */
const UNTOLD_SHARE = 1;

/** A share told longer ago than this may be another's by now. */
const FORGOTTEN_AFTER_MS = 3_540_000;

/** When to ask again where room depends on answers still to come. */
const ASK_AGAIN_MS = 250;

/** Of the calls that are left beside the shared account, those that are shared out among the instances. */
export function poolOf(reserve: number): number {
  return Math.floor(reserve * SHARED_OUT);
}

/** What an instance may spend out of its own share while it does not reach Redis. */
export class LocalShare {
  readonly #windowMs: number;
  readonly #log: GrantLog;
  readonly #window: KeyWindow;
  #pace: EvenPace;
  #share = UNTOLD_SHARE;
  #toldAt: number | undefined;

  constructor({ limit, windowMs, startedAt }: { limit: number; windowMs: number; startedAt: number }) {
    this.#windowMs = windowMs;
    this.#log = new GrantLog(windowMs);
    this.#window = new KeyWindow({ limit, windowMs });
    this.#pace = this.#paceOf(UNTOLD_SHARE, startedAt, 'full');
  }

  /** Takes in the share that Redis tells this instance; 0 where there are more instances than calls to share. */
  told(share: number, now: number): void {
    this.#toldAt = now;
    if (share === this.#share) return;
    this.#share = share;
    this.#pace = this.#paceOf(Math.max(1, share), now, 'empty');
  }

  /** Calls a window that may be made by this share. */
  get share(): number {
    return this.#share;
  }

  /** What Redis told; 0 before. */
  get toldShare(): number {
    return this.#toldAt === undefined ? 0 : this.#share;
  }

  granted(id: number, now: number): void {
    this.#log.granted(id);
    this.#pace.took(now);
  }

  settled(id: number, arrivedBy: number | undefined): void {
    this.#log.settled(id, arrivedBy);
  }

  /** Takes in what any answer says of the key's window; `ownAtMost` as for `KeyWindow`. */
  heard({ window, rateLimited, fate }: CallResult, ownAtMost: number, now: number): void {
    if (window) this.#window.learn(window, ownAtMost, now);
    if (rateLimited) this.#window.limited(rateLimited.retryAfterMs, window?.resetInMs, now);
    else if (fate === 'answered') this.#window.admitted(now);
  }

  /** How the share stands, in the words of any budget. */
  budget(now: number) {
    const capacity = this.#capacity(now);
    const pausedForMs = this.#window.pausedForMs(now);
    const used = this.#log.used(now);
    const left = pausedForMs > 0 ? 0 : Math.max(0, Math.min(capacity - used, this.#pace.left(now)));
    return { used, left, leftAtMost: capacity, capacity, others: 0, pausedForMs, starting: false };
  }

  /** How long until a call may leave; 0 where one may leave now. */
  roomInMs(now: number): number {
    const pausedForMs = this.#window.pausedForMs(now);
    if (pausedForMs > 0) return pausedForMs;
    if (this.#window.isWary(now) && this.#log.inFlight > 0) return ASK_AGAIN_MS;
    return Math.max(this.#log.roomInMs(now, this.#capacity(now)) ?? ASK_AGAIN_MS, this.#pace.roomInMs(now));
  }

  #capacity(now: number): number {
    const isForgotten = this.#toldAt !== undefined && now - this.#toldAt > FORGOTTEN_AFTER_MS;
    return Math.min(isForgotten ? Math.min(UNTOLD_SHARE, this.#share) : this.#share, this.#window.capacity(now, 0));
  }

  #paceOf(share: number, now: number, from: 'full' | 'empty'): EvenPace {
    return new EvenPace({ callsPerMs: share / this.#windowMs, burst: Math.ceil(share / 3) }, now, from);
  }
}
