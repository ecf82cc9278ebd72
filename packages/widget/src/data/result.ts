import type { Pulse, SourceInfo } from './pulse.ts';

/** Data that was asked for. */
export interface Success<T = Pulse> {
  readonly ok: true;
  readonly data: T;
  /** True for an earlier version. */
  readonly stale: boolean;
  readonly source?: SourceInfo;
  /** When the service was asked, in milliseconds since 1970. */
  readonly requestedAt?: number;
}

/** Why there is no data. */
export interface Failure {
  readonly ok: false;
  /** A code of the BFF, or `network`, `timeout`, `invalid_answer`, `signed_out`. */
  readonly code: string;
  /** The HTTP status, 0 where there was no response. */
  readonly status: number;
  /** Whether the same request can succeed later. */
  readonly retriable: boolean;
  /** What `Retry-After` asks for, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly source?: SourceInfo;
}

/** What became of a request; requests never reject. */
export type Result<T = Pulse> = Success<T> | Failure;

/** The status of each code that an entry of a batch can have, where it is not 503. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  // A code can be any word.
  __proto__: null as never,
  invalid_source_id: 400,
  token_forbidden: 403,
  source_unknown: 404,
  pulse_not_found: 404,
  rate_limited: 429,
  internal: 500,
  upstream_invalid: 502,
};

/** A failure with this code; `status` defaults to the one that the BFF sends with it. */
export function failureOf(code: string, status: number = STATUS_OF_CODE[code] ?? 503): Failure {
  const retriable = !status || status === 429 || status >= 500 || code === 'invalid_answer' || code === 'signed_out';
  return { ok: false, code, status, retriable };
}

/** The longest `Retry-After` that is believed, in seconds; the BFF sends no longer one. */
const MAX_RETRY_AFTER_S = 300;

/** What `Retry-After` asks for, in milliseconds; 0 where it asks for nothing. */
export function retryAfterMsOf({ headers }: Response): number {
  return 1_000 * Math.min(Number(headers.get('Retry-After')) || 0, MAX_RETRY_AFTER_S);
}
