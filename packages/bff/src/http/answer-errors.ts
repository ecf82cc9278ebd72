import { type CodedErrorBody, ERROR_STATUS, type ErrorCode } from '@pulse-card/contract';
import { ApiError } from './errors.ts';
import type { AnyRequest, ErrorHandler, PulseResponse } from './locals.ts';
import { allowToRead } from './origins.ts';
import { HTML_TYPE, JSON_TYPE, sendText, setCacheControl } from './send.ts';

/** The longest time that a shared cache may store a 404, in seconds. No cache may store any other error. */
const MISSING_SECONDS = 30;

/** The `WWW-Authenticate` header for a 401 or 403 (RFC 6750, 3). */
const CHALLENGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  signed_out: 'Bearer realm="pulse"',
  token_missing: 'Bearer realm="pulse"',
  token_invalid: 'Bearer realm="pulse", error="invalid_token"',
  token_forbidden: 'Bearer realm="pulse", error="insufficient_scope"',
};

/** The HTML that shows an error. */
export type ErrorHtml = (
  error: ApiError,
  req: AnyRequest & { readonly params?: unknown },
  res: PulseResponse,
) => string;

/** Responds to errors: in the spec's format with a code, or with HTML on routes that readers open in a frame. */
export function answerErrors(onFault: (fault: unknown) => void, htmlOf?: ErrorHtml): ErrorHandler {
  return (fault: unknown, req, res, _next) => {
    const error = apiErrorOf(fault, onFault);
    if (res.headersSent) return void res.destroy();
    setErrorHeaders(res, error);
    const { code, message, details } = error;
    const { status = ERROR_STATUS[code] } = details;
    if (htmlOf) return sendText(req, res, status, HTML_TYPE, htmlOf(error, req, res));
    allowToRead(req, res);
    const body: CodedErrorBody = { success: false, error: message, code };
    return sendText(req, res, status, JSON_TYPE, JSON.stringify(body));
  };
}

/** Express itself throws errors with a 4xx status, for example for `%zz`. */
function apiErrorOf(fault: unknown, onFault: (fault: unknown) => void): ApiError {
  if (fault instanceof ApiError) return fault;
  const status = typeof fault === 'object' && fault !== null && 'status' in fault ? Number(fault.status) : 500;
  if (status >= 400 && status < 500) return new ApiError('bad_request');
  onFault(fault);
  return new ApiError('internal');
}

function setErrorHeaders(res: PulseResponse, { code, retryAfterSeconds, details }: ApiError): void {
  const { record, scope } = res.locals;
  const { maxAgeSeconds = 0, detail } = details;
  Object.assign(record, { code, detail });
  const isStored = scope === 'shared' && ERROR_STATUS[code] === 404;
  const seconds = isStored ? Math.min(MISSING_SECONDS, maxAgeSeconds) : 0;
  setCacheControl(res, 'Cache-Control', seconds > 0 ? `public, max-age=${seconds}` : 'no-store');
  if (retryAfterSeconds !== undefined) res.setHeader('Retry-After', retryAfterSeconds);
  const challenge = CHALLENGES[code];
  if (challenge !== undefined) res.setHeader('WWW-Authenticate', challenge);
}
