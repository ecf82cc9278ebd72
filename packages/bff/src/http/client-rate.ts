import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import { sendError } from './errors.ts';
import type { ClientWindow } from './rate-headers.ts';
import type { RequestContext } from './request-context.ts';

/**
 * The maximum number of clients that are counted. Beyond this number, the client whose last request is oldest is
 * forgotten.
 */
const MAX_CLIENTS = 100_000;

/** The length of each client's window. */
const CLIENT_WINDOW_MS = 60_000;

/**
 * Counts requests per client in windows of a minute. The limit protects this machine from load. The budget of calls
 * with the API key doesn't depend on this limit.
 */
export class ClientRequestCounter {
  readonly #windows = new LRUCache<string, ClientWindow>({ max: MAX_CLIENTS });

  /** Counts one request from `client` at `nowMs`, in milliseconds since the Unix epoch. */
  count(client: string, nowMs: number): ClientWindow {
    const known = this.#windows.get(client);
    // If the clock is set back, a client must not be locked out for longer than one window.
    const isOpen = known !== undefined && nowMs < known.resetsAtMs && known.resetsAtMs - nowMs <= CLIENT_WINDOW_MS;
    const { requests, resetsAtMs } = isOpen ? known : { requests: 0, resetsAtMs: nowMs + CLIENT_WINDOW_MS };
    const window = { requests: requests + 1, resetsAtMs };
    this.#windows.set(client, window);
    return window;
  }
}

/** The parts of the client limit. */
export interface ClientRateLimitOptions {
  /** Requests per minute. 0 turns the limit off. */
  readonly limit: number;
  readonly clock: Clock;
  /** Paths that don't count. */
  readonly uncounted: ReadonlySet<string>;
  /** Returns whether the peer of a connection sends requests from several clients. */
  readonly isTrustedPeer: (request: IncomingMessage) => boolean;
}

/** Limits the requests from each client. */
export class ClientRateLimit {
  readonly #options: ClientRateLimitOptions;
  readonly #counter = new ClientRequestCounter();

  constructor(options: ClientRateLimitOptions) {
    this.#options = options;
  }

  /**
   * Counts a request. If its client is over the limit, responds with 429 and returns false. Otherwise, returns true.
   */
  check(context: RequestContext): boolean {
    const { limit, clock, uncounted, isTrustedPeer } = this.#options;
    if (limit === 0 || uncounted.has(context.target.path)) return true;
    const nowMs = clock.wallNow();
    const window = this.#counter.count(context.record.client, nowMs);
    context.clientRate = { limit, window };
    if (window.requests <= limit) return true;
    // If the peer is a proxy, its connection also carries requests from other clients.
    if (!isTrustedPeer(context.request)) context.closeConnection();
    sendError(context, 'rate_limited', { retryInMs: window.resetsAtMs - nowMs });
    return false;
  }
}
