import type { Request } from 'express';
import { ipKeyGenerator, rateLimit, type RateLimitInfo, type RateLimitRequestHandler } from 'express-rate-limit';
import type { WindowStore } from '../rate/window-store.ts';
import type { RateRule } from '../rate/rate-log.ts';
import type { Caller, RequestLocals } from './locals.ts';
import { sendRefusal } from './refusal.ts';

/** Counts every call, writes the spec's three headers, and refuses what is over the limit with 429. */
export function limitRate(store: WindowStore, { limit, windowMs }: RateRule): RateLimitRequestHandler {
  return rateLimit({
    limit,
    windowMs,
    store,
    legacyHeaders: true,
    standardHeaders: false,
    // Its warnings on forwarding headers would let anyone write to the log; TRUST_PROXY rules which ones count.
    validate: false,
    keyGenerator: (req, res) => callerName((res.locals as RequestLocals).caller, req),
    handler: (req, res) => {
      res.setHeader('Retry-After', secondsUntilReset(req, res.locals as RequestLocals));
      sendRefusal(res, 'tooManyRequests');
    },
  });
}

/** A working key is counted by its id wherever it calls from; all others by client address. */
function callerName(caller: Caller, req: Request): string {
  return caller.kind === 'known' ? `key ${caller.holder.keyId}` : `address ${ipKeyGenerator(req.ip ?? '')}`;
}

function secondsUntilReset(req: Request, { requestedAtMs }: RequestLocals): number {
  const { resetTime } = (req as Request & { rateLimit: RateLimitInfo }).rateLimit;
  return Math.max(1, Math.ceil(((resetTime?.getTime() ?? 0) - requestedAtMs) / 1_000));
}
