import { KEY_HEADER } from '@pulse-card/contract';
import type { NextFunction, Request } from 'express';
import type { Database } from '../database/open-database.ts';
import { resolveKey } from '../keys/resolve-key.ts';
import type { Caller, ServiceResponse } from './locals.ts';

/**
 * Looks up who a request's key speaks for, so that its calls can be counted. Refuses nothing yet: what fails here is
 * told by the route, after the call was counted.
 */
export function identifyCaller(db: Database) {
  return async (req: Request, res: ServiceResponse, next: NextFunction): Promise<void> => {
    try {
      res.locals.caller = await callerOf(db, req.get(KEY_HEADER), res.locals.requestedAtMs);
    } catch (error) {
      res.locals.caller = { kind: 'no-key' };
      res.locals.callerFailure = error;
    }
    next();
  };
}

async function callerOf(db: Database, key: string | undefined, nowMs: number): Promise<Caller> {
  if (key === undefined || key === '') return { kind: 'no-key' };
  const holder = await resolveKey(db, key, nowMs);
  return holder === undefined ? { kind: 'bad-key' } : { kind: 'known', holder };
}
