import { ERROR_STATUS, type ErrorCode } from '@pulse-card/contract';
import { ApiError, errorBody, MISSING_SECONDS } from './api-error.ts';
import type { AnyRequest, ErrorHandler, PulseResponse } from './locals.ts';
import { allowToRead } from './origins.ts';
import { JSON_TYPE, sendText, setCacheControl } from './send.ts';

export { ApiError, errorBody, MISSING } from './api-error.ts';

/** The `WWW-Authenticate` of a 401 or 403 (RFC 6750, 3). */
const CHALLENGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  signed_out: 'Bearer realm="pulse"',
  token_missing: 'Bearer realm="pulse"',
  token_invalid: 'Bearer realm="pulse", error="invalid_token"',
  token_forbidden: 'Bearer realm="pulse", error="insufficient_scope"',
};

/**
 * Converts anything that a route threw into an `ApiError`. Express itself throws errors with a 4xx status, for example
 * for `%zz`.
 */
export function apiErrorOf(fault: unknown, onFault: (fault: unknown) => void): ApiError {
  if (fault instanceof ApiError) return fault;
  const status = typeof fault === 'object' && fault !== null && 'status' in fault ? Number(fault.status) : 500;
  if (status >= 400 && status < 500) return new ApiError('bad_request');
  onFault(fault);
  return new ApiError('internal');
}

/** Responds to errors in the spec's format, with a code. It comes last in the router. */
export function answerError(onFault: (fault: unknown) => void): ErrorHandler {
  return (fault: unknown, req, res, _next) => {
    const error = apiErrorOf(fault, onFault);
    if (res.headersSent) {
      res.destroy();
      return;
    }
    setErrorHeaders(res, error);
    allowToRead(req, res);
    sendText(req, res, ERROR_STATUS[error.code], JSON_TYPE, JSON.stringify(errorBody(error.code, error.message)));
  };
}

/** Responds to an error with a page, for routes that readers open in a frame. */
export function sendErrorPage(req: AnyRequest, res: PulseResponse, error: ApiError, type: string, html: string): void {
  setErrorHeaders(res, error);
  sendText(req, res, ERROR_STATUS[error.code], type, html);
}

function setErrorHeaders(res: PulseResponse, error: ApiError): void {
  const { record, scope } = res.locals;
  const { code, retryAfterSeconds } = error;
  const { maxAgeSeconds = 0, detail } = error.details;
  record.code = code;
  if (detail !== undefined) record.detail = detail;
  const seconds = scope === 'shared' ? Math.min(MISSING_SECONDS, maxAgeSeconds) : 0;
  setCacheControl(res, 'Cache-Control', seconds > 0 ? `public, max-age=${seconds}` : 'no-store');
  if (retryAfterSeconds !== undefined) res.setHeader('Retry-After', retryAfterSeconds);
  const challenge = CHALLENGES[code];
  if (challenge !== undefined) res.setHeader('WWW-Authenticate', challenge);
}
