import { ERROR_STATUS, type ErrorCode, type PublicSourceFacts } from '@pulse-card/contract';
import { retryWaitMs } from '../lib/clock.ts';

/** Messages by code. They contain no text from the service or the request. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, string>> = {
  bad_request: 'The request is malformed',
  invalid_source_id: 'The request is malformed: a source ID has 1 to 128 letters, digits, ".", "_", "~", or "-"',
  signed_out: 'No one is signed in',
  token_missing: 'A token is required: set tokenProvider',
  token_invalid: 'The token is invalid or expired: the server’s log says why',
  origin_forbidden: 'This page isn’t allowed to show these pulses: add its origin to PULSE_ALLOWED_ORIGINS',
  token_forbidden: 'The token or the application doesn’t allow this',
  source_unknown: 'No such source: check source-id and PULSE_SOURCES',
  pulse_not_found: 'No pulse found for this source',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  rate_limited: 'Too many requests: try again later',
  internal: 'Something went wrong on this server',
  upstream_invalid: 'The pulse can’t be read: try again later',
  upstream_auth: 'Pulses are unavailable: the operator must renew access to the service',
  upstream_rate_limited: 'The server is busy: try again later',
  upstream_unavailable: 'Pulses are unavailable: try again later',
};

/** How long until a retry is worthwhile, if nothing better is known. */
const RETRY_IN_MS = 5_000;

/** Whether the same request might succeed later without any change. */
export function isTemporary(code: ErrorCode): boolean {
  return ERROR_STATUS[code] >= 429;
}

/** What an error reports in addition to its code. */
export interface ErrorDetails {
  /** @default the code's message */
  readonly error?: string;
  /** How long until a retry might succeed, in ms. @default 5 s */
  readonly retryInMs?: number | undefined;
  /** How long a shared cache may store this error if it is a 404, in seconds. @default 0 */
  readonly maxAgeSeconds?: number;
  /** The source that doesn't have a pulse. */
  readonly source?: PublicSourceFacts;
  /** The HTTP status, if it isn't the code's own. */
  readonly status?: number;
  /** The reason, which appears only in the log. */
  readonly detail?: string;
}

/** An error that a route responds with. Thrown, or passed to `next()`. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.error ?? ERROR_TEXTS[code]);
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
  }

  /** The `Retry-After` in whole seconds from 1 to 300; undefined if a retry isn't worthwhile. */
  get retryAfterSeconds(): number | undefined {
    if (!isTemporary(this.code) || this.code === 'internal') return undefined;
    return Math.ceil(retryWaitMs(this.details.retryInMs ?? RETRY_IN_MS) / 1_000);
  }
}
