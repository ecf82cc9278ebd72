import type { KeyScope } from '@pulse-card/contract';
import type { NextFunction, Request } from 'express';
import type { KeyHolder } from '../keys/resolve-key.ts';
import type { ServiceResponse } from './locals.ts';
import { sendRefusal } from './refusal.ts';

/** Lets a request pass whose key works and has `scope`; refuses others with 401 or 403. */
export function requireScope(scope: KeyScope) {
  return (_req: Request, res: ServiceResponse, next: NextFunction): void => {
    const { caller, callerFailure } = res.locals;
    if (callerFailure !== undefined) return next(callerFailure);
    if (caller.kind === 'no-key') return sendRefusal(res, 'authenticationRequired');
    if (caller.kind === 'bad-key') return sendRefusal(res, 'invalidKey');
    if (!caller.holder.scopes.has(scope)) return sendRefusal(res, 'scopeMissing');
    next();
  };
}

/** Who the key speaks for, on a route that `requireScope` guards. */
export function holderOf(res: ServiceResponse): KeyHolder {
  const { caller } = res.locals;
  if (caller.kind !== 'known') throw new Error('Cannot name the account: the route is not guarded');
  return caller.holder;
}
