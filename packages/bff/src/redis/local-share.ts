import type { CallResult } from '../budget/call-ledger.ts';
import { EvenPace } from '../budget/even-pace.ts';
import { GrantLog } from '../budget/grant-log.ts';
import { KeyWindow } from '../budget/key-window.ts';

/** Instances that can live on the reserve while Redis is lost; where there are more, none of them makes calls then. */
export const OFFLINE_INSTANCES = 5;

/** When to ask again where room depends on answers still to come. */
const ASK_AGAIN_MS = 250;

export interface LocalShareOptions {
  readonly limit: number;
  /** Calls of each window that are left beside the shared account. */
  readonly reserve: number;
  readonly windowMs: number;
  /** When the process was started, on the clock. */
  readonly startedAt: number;
}

/** What an instance may spend by itself while it does not reach Redis: a small quota that is always the same. */
export class LocalShare {
  readonly #windowMs: number;
  readonly #log: GrantLog;
  readonly #window: KeyWindow;
  readonly #pace: EvenPace;
  /** Calls a window; all instances together spend no more than the reserve, which the shared account never touches. */
  readonly #quota: number;
  #instances = 0;

  constructor({ limit, reserve, windowMs, startedAt }: LocalShareOptions) {
    this.#windowMs = windowMs;
    this.#log = new GrantLog(windowMs);
    this.#window = new KeyWindow({ limit, windowMs });
    this.#quota = Math.floor(reserve / OFFLINE_INSTANCES);
    // Full: however often a process is killed and started anew, its calls stay as far apart as those of one that lives.
    this.#pace = new EvenPace({ callsPerMs: this.#quota / windowMs, burst: 1 }, startedAt, 'full');
  }

  /** Records how many instances there are, as far as Redis knows. */
  sawInstances(count: number): void {
    this.#instances = count;
  }

  /** Calls a window that may be made without Redis. */
  get share(): number {
    return this.#instances > OFFLINE_INSTANCES ? 0 : this.#quota;
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
    if (this.share === 0) return this.#windowMs;
    return Math.max(this.#log.roomInMs(now, this.#capacity(now)) ?? ASK_AGAIN_MS, this.#pace.roomInMs(now));
  }

  #capacity(now: number): number {
    return Math.min(this.share, this.#window.capacity(now, 0));
  }
}
