import { KEY_HEADER, type KeyScope } from '@pulse-card/contract';
import { findValidKey } from '../keys/key-store.ts';
import type { Database } from '../sql/database.ts';
import { sendError } from './errors.ts';
import type { Caller, ServiceHandler } from './request-context.ts';

/**
 * Looks up a request's key, so that the key's calls can be counted. Doesn't reject anything, because the route does
 * that after counting.
 */
export function authenticate(db: Database): ServiceHandler {
  return async (req, res, next) => {
    try {
      res.locals.caller = await callerOf(db, req.get(KEY_HEADER), res.locals.requestedAtMs);
    } catch (error) {
      res.locals.caller = { kind: 'no-key' };
      res.locals.callerFailure = error;
    }
    next();
  };
}

/** Accepts a request whose key works and has `scope`. Rejects other requests with 401 or 403. */
export function requireScope(scope: KeyScope): ServiceHandler {
  return (_req, res, next) => {
    const { caller, callerFailure } = res.locals;
    if (callerFailure !== undefined) return next(callerFailure);
    if (caller.kind === 'no-key') return sendError(res, 'authenticationRequired');
    if (caller.kind === 'invalid-key') return sendError(res, 'invalidKey');
    if (!caller.key.scopes.has(scope)) return sendError(res, 'scopeMissing');
    next();
  };
}

async function callerOf(db: Database, text: string | undefined, nowMs: number): Promise<Caller> {
  if (text === undefined || text === '') return { kind: 'no-key' };
  const key = await findValidKey(db, text, nowMs);
  return key === undefined ? { kind: 'invalid-key' } : { kind: 'authenticated', key };
}
