import type { WindowFacts } from './call-ledger.ts';

/** No wait that the upstream asks for is shorter or longer than this (spec: a window is a minute). */
export const SHORTEST_PAUSE_MS = 1_000;
export const LONGEST_PAUSE_MS = 300_000;

/** Beyond what others were seen to use, this share of the limit is left to them, so that they can show if they need more. */
const ROOM_FOR_OTHERS = 0.1;

/** Any wait, made safe for a timer: within 1 s and 300 s. */
export function clampPause(ms: number): number {
  return Number.isFinite(ms) ? Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, ms)) : LONGEST_PAUSE_MS;
}

/**
 * What the upstream's headers tell about the key's window beyond our own count: a lower limit, and calls of others who
 * use the same key. They only ever tighten, and nothing outlives the reset of the window it was said of.
 */
export class KeyWindow {
  readonly #windowMs: number;
  #limit: number;
  readonly #configuredLimit: number;
  #others = 0;
  #othersUntil = -Infinity;
  #pausedUntil = -Infinity;
  #limitedInARow = 0;

  constructor({ limit, windowMs }: { limit: number; windowMs: number }) {
    this.#configuredLimit = limit;
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Takes in an answer's headers; `ownAtMost`: how many of our own calls the upstream can have counted by then. */
  learn({ limit, remaining, resetInMs }: WindowFacts, ownAtMost: number, now: number): void {
    if (limit !== undefined) this.#limit = Math.min(this.#configuredLimit, Math.max(1, limit));
    if (remaining === undefined) return;
    const others = Math.max(0, (limit ?? this.#configuredLimit) - remaining - ownAtMost);
    const until = now + Math.min(this.#windowMs, resetInMs ?? this.#windowMs);
    if (others >= this.others(now)) [this.#others, this.#othersUntil] = [others, until];
    if (remaining <= 0) this.#pause(resetInMs ?? this.#windowMs, now);
  }

  /** Takes in a 429. Where it says nothing, the wait doubles from a second to a minute with each that follows a wait. */
  limited(retryAfterMs: number | undefined, resetInMs: number | undefined, now: number): void {
    if (this.pausedForMs(now) === 0) this.#limitedInARow = Math.min(this.#limitedInARow + 1, 10);
    const unsaid = Math.min(60_000, SHORTEST_PAUSE_MS * 2 ** (this.#limitedInARow - 1));
    const said = Math.max(retryAfterMs ?? 0, resetInMs ?? 0);
    this.#pause(said > 0 ? said : unsaid, now);
  }

  /** Takes in any answer but a 429. */
  admitted(): void {
    this.#limitedInARow = 0;
  }

  /** True from a 429 to the next answer that is none: then calls leave one by one. */
  get isWary(): boolean {
    return this.#limitedInARow > 0;
  }

  pausedForMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** Calls of others that count in this window, at least. */
  others(now: number): number {
    return now < this.#othersUntil ? this.#others : 0;
  }

  /** Most own calls that a window takes: the limit without the reserve, or less where others need more than that. */
  capacity(now: number, reserve: number): number {
    const others = this.others(now);
    const room = others === 0 ? 0 : Math.min(reserve, Math.ceil(ROOM_FOR_OTHERS * this.#limit));
    return Math.max(0, Math.min(this.#limit - reserve, this.#limit - others - room));
  }

  #pause(ms: number, now: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now + clampPause(ms));
  }
}
