import type { Request, Response } from 'express';
import {
  type ClientRateLimitInfo,
  ipKeyGenerator,
  rateLimit,
  type RateLimitInfo,
  type RateLimitRequestHandler,
  type Store,
} from 'express-rate-limit';
import type { Clock } from '../clock.ts';
import { sendError } from './errors.ts';
import type { Caller, RequestLocals, ServiceHandler } from './request-context.ts';
import { type RateLimit, SlidingWindowLog, type WindowLog } from './sliding-window-log.ts';

/** Counts every call, sets the spec's three headers, and rejects calls over the limit with 429. */
export function rateLimiter(
  store: RateLimitStore,
  { limit, windowMs }: RateLimit,
  { nowMs }: Pick<Clock, 'nowMs'>,
): RateLimitRequestHandler {
  return rateLimit({
    limit,
    windowMs,
    store,
    legacyHeaders: true,
    standardHeaders: false,
    // Its warnings about forwarding headers would let anyone write to the log. TRUST_PROXY decides which headers count.
    validate: false,
    keyGenerator: (req, res) => callerName((res.locals as RequestLocals).caller, req),
    handler: (req, res) => sendTooMany(res, resetTimeOf(req) - nowMs()),
  });
}

/** The limit for routes that don't need a key, as a multiple of the limit for calls. */
const KEYLESS_FACTOR = 10;

/**
 * Counts the requests for each route that doesn't need a key by client IP address and rejects requests over the limit
 * with 429. The responses don't show the window, because shared caches keep charts.
 */
export function keylessLimiter({ limit, windowMs }: RateLimit, { monotonicMs }: Clock): ServiceHandler {
  const log = new SlidingWindowLog({ limit: limit * KEYLESS_FACTOR, windowMs }, monotonicMs);
  return (req, res, next) => {
    const { granted, resetInMs } = log.take(`${res.locals.route} ${ipKeyGenerator(req.ip ?? '')}`);
    if (granted) return next();
    sendTooMany(res, resetInMs);
  };
}

/** The options for a `RateLimitStore`, without its log. */
export interface RateLimitStoreOptions {
  limit: number;
  /** Unix time. */
  nowMs: () => number;
  /** Counts calls while `log` fails, so that the limit and its headers work without the database. */
  fallback: WindowLog;
  onFailure: (error: unknown) => void;
}

/** A sliding-window log as a store for express-rate-limit. */
export class RateLimitStore implements Store {
  readonly localKeys = false;
  readonly #log: WindowLog;
  readonly #options: RateLimitStoreOptions;

  constructor(log: WindowLog, options: RateLimitStoreOptions) {
    this.#log = log;
    this.#options = options;
  }

  async increment(caller: string): Promise<ClientRateLimitInfo> {
    const { granted, used, resetInMs } = await this.#take(caller);
    return {
      // The library rejects calls over the limit. A rejected call is not in the log.
      totalHits: granted ? used : this.#options.limit + 1,
      resetTime: new Date(Math.ceil(this.#options.nowMs() + resetInMs)),
    };
  }

  decrement(): never {
    throw new Error('Can’t undo a call: every call counts');
  }

  resetKey(): never {
    throw new Error('Can’t reset a window: every call counts');
  }

  async #take(caller: string) {
    try {
      return await this.#log.take(caller);
    } catch (error) {
      this.#options.onFailure(error);
      return this.#options.fallback.take(caller);
    }
  }
}

/**
 * Calls with a working key are counted by key ID, regardless of their IP address. All others are counted by client IP
 * address.
 */
function callerName(caller: Caller, req: Request): string {
  return caller.kind === 'authenticated' ? `key ${caller.key.id}` : `address ${ipKeyGenerator(req.ip ?? '')}`;
}

/** Unix time. */
function resetTimeOf(req: Request): number {
  const { resetTime } = (req as Request & { rateLimit: RateLimitInfo }).rateLimit;
  return resetTime?.getTime() ?? 0;
}

function sendTooMany(res: Response, resetInMs: number): void {
  res.setHeader('Retry-After', Math.max(1, Math.ceil(resetInMs / 1_000)));
  sendError(res, 'tooManyRequests');
}
