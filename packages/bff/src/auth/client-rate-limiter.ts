/** Clients that are counted at once; beyond, the one counted longest is forgotten, which can only be in its favour. */
const MAX_CLIENTS = 100_000;

/** Length of a client's window. */
const CLIENT_WINDOW_MS = 60_000;

/** How a client's window stands after a request. */
export interface ClientWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAtMs: number;
  readonly isExceeded: boolean;
}

interface Count {
  used: number;
  resetsAtMs: number;
}

/** Counts requests per client in windows of a minute. It guards this machine's work; the key's budget never rests on it. */
export class ClientRateLimiter {
  readonly #limit: number;
  readonly #counts = new Map<string, Count>();

  constructor(limitPerMinute: number) {
    if (!Number.isInteger(limitPerMinute) || limitPerMinute < 1) {
      throw new RangeError(`limitPerMinute must be a whole number from 1, got ${limitPerMinute}`);
    }
    this.#limit = limitPerMinute;
  }

  /** Counts one request of `client` at `nowMs`, milliseconds since the Unix epoch. */
  count(client: string, nowMs: number): ClientWindow {
    const count = this.#countOf(client, nowMs);
    count.used += 1;
    const limit = this.#limit;
    return {
      limit,
      remaining: Math.max(0, limit - count.used),
      resetsAtMs: count.resetsAtMs,
      isExceeded: count.used > limit,
    };
  }

  #countOf(client: string, nowMs: number): Count {
    const known = this.#counts.get(client);
    // A clock set back must not lock a client out for longer than a window.
    if (known !== undefined && nowMs < known.resetsAtMs && known.resetsAtMs - nowMs <= CLIENT_WINDOW_MS) return known;
    this.#counts.delete(client);
    if (this.#counts.size >= MAX_CLIENTS) this.#forgetOldest();
    const count = { used: 0, resetsAtMs: nowMs + CLIENT_WINDOW_MS };
    this.#counts.set(client, count);
    return count;
  }

  #forgetOldest(): void {
    for (const client of this.#counts.keys()) {
      this.#counts.delete(client);
      return;
    }
  }
}
