import type { Pulse, SourceInfo } from './pulse.ts';

/** The result of a successful request. */
export interface Success<T = Pulse> {
  readonly ok: true;
  readonly data: T;
  /** True if the data is stale. */
  readonly stale: boolean;
  readonly source?: SourceInfo;
  /** When the BFF requested the data from the service, in milliseconds since the Unix epoch. */
  readonly requestedAt?: number;
}

/** The BFF's error codes. */
export type BffErrorCode =
  | 'bad_request'
  | 'invalid_source_id'
  | 'token_missing'
  | 'token_invalid'
  | 'origin_forbidden'
  | 'token_forbidden'
  | 'source_unknown'
  | 'pulse_not_found'
  | 'not_found'
  | 'method_not_allowed'
  | 'rate_limited'
  | 'internal'
  | 'upstream_invalid'
  | 'upstream_auth'
  | 'upstream_rate_limited'
  | 'upstream_unavailable';

/** A failure's code: a code from the BFF, or the code of a failure before the BFF could respond. */
export type PulseErrorCode = BffErrorCode | 'network' | 'timeout' | 'invalid_answer' | 'signed_out';

/** The result of a failed request. */
export interface Failure {
  readonly ok: false;
  readonly code: PulseErrorCode;
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  /** Whether the same request might succeed later. */
  readonly retriable: boolean;
  /** How long `Retry-After` says to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly source?: SourceInfo;
  /** Advice for the page's developer, from the BFF or from the check that failed. */
  readonly advice?: string | null;
  /** The error that was thrown, if any. */
  readonly cause?: unknown;
}

/** The result of a request. Requests never reject. */
export type Result<T = Pulse> = Success<T> | Failure;

/**
 * The status for each code that a batch entry or the response in a server-rendered page can have. The status for all
 * other codes is 503.
 */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  // No prototype, because a code can be any string, such as `constructor`.
  __proto__: null as never,
  invalid_source_id: 400,
  signed_out: 401,
  token_missing: 401,
  token_invalid: 401,
  token_forbidden: 403,
  source_unknown: 404,
  pulse_not_found: 404,
  rate_limited: 429,
  internal: 500,
  upstream_invalid: 502,
};

/** A failure with this code. `status` defaults to the status that the BFF sends with the code. */
export function failureOf(code: string, status: number = STATUS_OF_CODE[code] ?? 503): Failure {
  const retriable = status >= 500 || status === 429 || /^(network|timeout|invalid_answer)$/.test(code);
  // Later releases of the BFF might send new codes.
  return { ok: false, code: code as PulseErrorCode, status, retriable };
}

/** Whether `failure` is an outage, as opposed to a rejection. */
export function isOutage({ code, retriable }: Failure): boolean {
  return retriable && code !== 'invalid_answer';
}

/** The maximum `Retry-After`, in seconds. The BFF never sends a longer time. */
const MAX_RETRY_AFTER_S = 300;

/** How long `Retry-After` says to wait, in milliseconds; 0 if the header is missing. */
export function retryAfterMsOf({ headers }: Response): number {
  return 1_000 * Math.min(Number(headers.get('Retry-After')) || 0, MAX_RETRY_AFTER_S);
}
