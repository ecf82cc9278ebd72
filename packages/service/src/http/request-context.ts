import type { Meta } from '@pulse-card/contract';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { ValidKey } from '../keys/key-store.ts';

/** A request's sender, as identified by its key. */
export type Caller = { kind: 'no-key' } | { kind: 'invalid-key' } | { kind: 'authenticated'; key: ValidKey };

/** The data that middleware passes to the route. */
export interface RequestLocals {
  /** When the request arrived, as Unix time in milliseconds. */
  requestedAtMs: number;
  /** The route's pattern, for the log. */
  route: string;
  caller: Caller;
  /** Why the key couldn't be looked up. */
  callerFailure: unknown;
}

/** A response with typed locals. */
export type ServiceResponse = Response<unknown, RequestLocals>;

/** A handler with typed locals. */
export type ServiceHandler = (req: Request, res: ServiceResponse, next: NextFunction) => void | Promise<void>;

/**
 * Starts a request's context and sets the headers of every response. When the request ends, logs its method, route,
 * status, duration, and key ID.
 */
export function requestContext(clock: Clock, log: Logger): ServiceHandler {
  return (req, res, next) => {
    const startedMs = clock.monotonicMs();
    res.locals.requestedAtMs = clock.nowMs();
    res.locals.route = 'unmatched';
    res.locals.caller = { kind: 'no-key' };
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Cache-Control', 'no-store');
    res.once('close', () => log.info(recordOf(req, res, clock.monotonicMs() - startedMs), 'answered'));
    next();
  };
}

/** Records the matched route's pattern. */
export function matchedRoute(pattern: string): ServiceHandler {
  return (_req, res, next) => {
    res.locals.route = pattern;
    next();
  };
}

/** The request's key, on a route that `requireScope()` guards. */
export function keyOf({ locals: { caller } }: ServiceResponse): ValidKey {
  if (caller.kind !== 'authenticated') throw new Error('Can’t determine the account: the route has no guard');
  return caller.key;
}

/** The account and time in every successful data response (spec, "Response envelope meta"). */
export function metaOf(res: ServiceResponse): Meta {
  const { id, email } = keyOf(res).account;
  return { account: { id, email }, requestedAt: new Date(res.locals.requestedAtMs).toISOString() };
}

/** Built field by field, because paths, queries, and headers may contain data that must not be in a log. */
function recordOf(req: Request, res: ServiceResponse, tookMs: number) {
  const { caller, route } = res.locals;
  return {
    method: req.method,
    route,
    status: res.writableEnded ? res.statusCode : 'aborted',
    tookMs: Math.round(tookMs),
    ...(caller.kind === 'authenticated' ? { keyId: caller.key.id } : {}),
  };
}
