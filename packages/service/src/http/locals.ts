import type { NextFunction, Request, Response } from 'express';
import type { KeyHolder } from '../keys/resolve-key.ts';

/** Who sent a request, as far as its key tells. */
export type Caller = { kind: 'no-key' } | { kind: 'bad-key' } | { kind: 'known'; holder: KeyHolder };

/** What the request's middleware leaves for its route. */
export interface RequestLocals {
  /** When the request came in, Unix time in milliseconds. */
  requestedAtMs: number;
  /** The route's pattern, for the log. */
  route: string;
  caller: Caller;
  /** Why the key could not be looked up. */
  callerFailure: unknown;
}

/** A response with its locals typed. */
export type ServiceResponse = Response<unknown, RequestLocals>;

/** A handler that sees typed locals. */
export type ServiceHandler = (req: Request, res: ServiceResponse, next: NextFunction) => void | Promise<void>;
