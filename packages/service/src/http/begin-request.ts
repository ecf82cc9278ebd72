import type { NextFunction, Request } from 'express';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { ServiceResponse } from './locals.ts';

/** Notes when a request came in, sets what every answer carries, and logs its end: route, status, time, key id. */
export function beginRequest(clock: Clock, log: Logger) {
  return (req: Request, res: ServiceResponse, next: NextFunction): void => {
    const startedMs = clock.elapsedMs();
    res.locals.requestedAtMs = clock.nowMs();
    res.locals.route = 'unmatched';
    res.locals.caller = { kind: 'no-key' };
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Cache-Control', 'no-store');
    res.once('close', () => log.info(recordOf(req, res, clock.elapsedMs() - startedMs), 'answered'));
    next();
  };
}

/** Built field by field: paths, queries and headers may hold what must not be in a log. */
function recordOf(req: Request, res: ServiceResponse, tookMs: number) {
  const { caller, route } = res.locals;
  return {
    method: req.method,
    route,
    status: res.writableEnded ? res.statusCode : 'aborted',
    tookMs: Math.round(tookMs),
    ...(caller.kind === 'known' ? { keyId: caller.holder.keyId } : {}),
  };
}
