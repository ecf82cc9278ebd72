import type { WindowFacts } from './call-ledger.ts';

/** No pause is shorter or longer than this; and none is longer than a window. */
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;

/** Beyond what others were seen to use, this share of the limit is left to them, so that they can show if they need more. */
const ROOM_FOR_OTHERS = 0.1;

/**
 * What the upstream's headers say of the key's window beyond our own count: a lower limit, and calls of others who use
 * the same key. They only ever tighten, for one window at most, and never below one call a window.
 */
export class KeyWindow {
  readonly #windowMs: number;
  readonly #configuredLimit: number;
  #reportedLimit: number | undefined;
  #reportedUntil = -Infinity;
  #others = 0;
  #othersUntil = -Infinity;
  #pausedUntil = -Infinity;
  #limitedInARow = 0;

  constructor({ limit, windowMs }: { limit: number; windowMs: number }) {
    this.#configuredLimit = limit;
    this.#windowMs = windowMs;
  }

  /** Takes in an answer's headers; `ownAtMost`: how many of our own calls the upstream can have counted by then. */
  learn({ limit, remaining, resetInMs }: WindowFacts, ownAtMost: number, now: number): void {
    if (limit !== undefined) [this.#reportedLimit, this.#reportedUntil] = [limit, now + this.#windowMs];
    if (remaining === undefined) return;
    const others = Math.max(0, (limit ?? this.#configuredLimit) - remaining - ownAtMost);
    // Not only until the reset: a sliding window resets with its oldest call, and the others still count.
    if (others >= this.others(now)) [this.#others, this.#othersUntil] = [others, now + this.#windowMs];
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
  admitted(now: number): void {
    this.#limitedInARow = 0;
    if (now >= this.#reportedUntil) this.#reportedLimit = undefined;
  }

  /**
   * True from a 429 to the next answer that is none, and from the end of a lower limit to the next answer, which says
   * whether it still holds: then calls leave one by one.
   */
  isWary(now: number): boolean {
    const hasLapsed = (this.#reportedLimit ?? Infinity) < this.#configuredLimit && now >= this.#reportedUntil;
    return this.#limitedInARow > 0 || hasLapsed;
  }

  pausedForMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** Calls of others that count in this window, at least. */
  others(now: number): number {
    return now < this.#othersUntil ? this.#others : 0;
  }

  /** Most own calls that a window takes: the limit without the reserve, or less where others need more; one at least. */
  capacity(now: number, reserve: number): number {
    const [limit, others] = [this.#limit(now), this.others(now)];
    const room = others === 0 ? 0 : Math.min(reserve, Math.ceil(ROOM_FOR_OTHERS * limit));
    return Math.max(1, Math.min(limit - reserve, limit - others - room));
  }

  #limit(now: number): number {
    const reported = now < this.#reportedUntil ? this.#reportedLimit : undefined;
    return Math.min(this.#configuredLimit, reported ?? Infinity);
  }

  #pause(ms: number, now: number): void {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, this.#windowMs, Math.max(SHORTEST_PAUSE_MS, ms));
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs);
  }
}
