import { RATE_LIMIT_HEADERS } from '@pulse-card/contract';
import { LRUCache } from 'lru-cache';

/** The maximum number of clients that are counted. Beyond that, the one with the oldest last request is forgotten. */
const MAX_CLIENTS = 100_000;

/** Length of a client's window. */
const CLIENT_WINDOW_MS = 60_000;

/** The requests of a client in its window. */
export interface ClientWindow {
  readonly requests: number;
  readonly resetsAtMs: number;
}

/**
 * Counts requests per client in windows of a minute. It limits the load on this machine. The key's budget doesn't
 * depend on it.
 */
export class ClientRequestCounter {
  readonly #windows = new LRUCache<string, ClientWindow>({ max: MAX_CLIENTS });

  /** Counts one request of `client` at `nowMs`, in milliseconds since the Unix epoch. */
  count(client: string, nowMs: number): ClientWindow {
    const known = this.#windows.get(client);
    // If the clock is set back, no client may be locked out for longer than a window.
    const isOpen = known !== undefined && nowMs < known.resetsAtMs && known.resetsAtMs - nowMs <= CLIENT_WINDOW_MS;
    const { requests, resetsAtMs } = isOpen ? known : { requests: 0, resetsAtMs: nowMs + CLIENT_WINDOW_MS };
    const window = { requests: requests + 1, resetsAtMs };
    this.#windows.set(client, window);
    return window;
  }
}

/** How much of its limit a client has used. */
export interface ClientRate {
  readonly limit: number;
  readonly window: ClientWindow;
}

/** The headers that report how much of a client's limit is left: name, value, name, value. */
export function rateHeaders({ limit, window: { requests, resetsAtMs } }: ClientRate): readonly string[] {
  return [
    [RATE_LIMIT_HEADERS.limit, String(limit)],
    [RATE_LIMIT_HEADERS.remaining, String(Math.max(0, limit - requests))],
    [RATE_LIMIT_HEADERS.reset, String(Math.ceil(resetsAtMs / 1_000))],
  ].flat();
}
