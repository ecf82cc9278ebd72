import type { NextFunction, Request } from 'express';
import type { Logger } from 'pino';
import type { ServiceResponse } from './locals.ts';
import { sendRefusal } from './refusal.ts';

/** The last resort: a failure inside becomes a log line and the spec's 500; the client learns nothing of it. */
export function answerFailure(log: Logger) {
  // Express knows an error handler by its four parameters.
  return (error: unknown, _req: Request, res: ServiceResponse, _next: NextFunction): void => {
    // A path that cannot be decoded is the client's fault, and no news to the operator.
    if (error instanceof URIError) return sendRefusal(res, 'badRequest');
    log.error({ err: error, route: res.locals.route }, 'Cannot answer: failure inside');
    if (res.headersSent) res.destroy();
    else sendRefusal(res, 'internal');
  };
}
