import { type ErrorBody, KEY_HEADER, SPEC_ERRORS } from '@pulse-card/contract';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { ServiceResponse } from './request-context.ts';

/** Every error from the service, with its status and message. The spec defines three of the messages. */
export const ERRORS = {
  authenticationRequired: { status: 401, error: SPEC_ERRORS.authenticationRequired },
  invalidKey: { status: 401, error: SPEC_ERRORS.invalidKey },
  scopeMissing: { status: 403, error: 'API key lacks the required scope' },
  noPulse: { status: 404, error: SPEC_ERRORS.noPulse },
  notFound: { status: 404, error: 'Not found' },
  methodNotAllowed: { status: 405, error: 'Method not allowed' },
  badRequest: { status: 400, error: 'Bad request' },
  tooManyRequests: { status: 429, error: 'Rate limit exceeded' },
  internal: { status: 500, error: 'Internal server error' },
  databaseUnreachable: { status: 503, error: 'Database unreachable' },
} as const;

/** Every 401 specifies the header that it requires (RFC 9110, 15.5.2). No scheme is registered for keys in a header. */
export const CHALLENGE = `ApiKey header="${KEY_HEADER}"`;

/** Responds with an error in the spec's format (spec, "Errors"). */
export function sendError(res: Response, name: keyof typeof ERRORS): void {
  const { status, error } = ERRORS[name];
  const body: ErrorBody = { success: false, error };
  if (status === 401) res.setHeader('WWW-Authenticate', CHALLENGE);
  res.status(status).json(body);
}

/** Responds to a request for a known path that doesn't support the method. */
export function methodNotAllowed(_req: Request, res: Response): void {
  res.setHeader('Allow', 'GET, HEAD');
  sendError(res, 'methodNotAllowed');
}

/** Responds to an unknown path. */
export function notFound(_req: Request, res: Response): void {
  sendError(res, 'notFound');
}

/**
 * Rejects HTTP/1.1 requests without a `Host` header, and requests with two, which caches may read differently (RFC
 * 9112, 3.2).
 */
export function checkHost(req: Request, res: Response, next: NextFunction): void {
  // `headersDistinct` throws in Node 22 if a header is named `__proto__`.
  const hosts = req.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1')) return sendError(res, 'badRequest');
  next();
}

/** Turns an exception into a log line and the spec's 500, which doesn't reveal anything about the exception. */
export function errorHandler(log: Logger) {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, _req: Request, res: ServiceResponse, _next: NextFunction): void => {
    // A path that can’t be decoded is the client's error. The operator doesn't need to know.
    if (error instanceof URIError) return sendError(res, 'badRequest');
    log.error({ err: error, route: res.locals.route }, 'Can’t respond: internal error');
    if (res.headersSent) res.destroy();
    else sendError(res, 'internal');
  };
}
