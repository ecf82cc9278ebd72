import { RATE_LIMIT_HEADERS } from '@pulse-card/contract';
import { retryWaitMs } from '../lib/clock.ts';

/**
 * The state of the key's window, according to the headers of a response. Missing and implausible values are undefined.
 */
export interface RateLimitHeaders {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** Milliseconds from the response until the window resets, measured by the service's clock. */
  readonly resetInMs: number | undefined;
}

/** A limit above this value is treated as a mistake. */
const MAX_LIMIT = 1_000_000;

/** A window is a minute (spec, "Limits"). If a reset is more than an hour away, its unit or its value must be wrong. */
const MAX_RESET_MS = 3_600_000;

/** The tolerated clock difference between two machines that contribute to the same response. */
const TOLERATED_PAST_MS = 5_000;

/** Parses the rate-limit headers. Returns undefined if no header has a plausible value. */
export function parseRateLimitHeaders(headers: Headers): RateLimitHeaders | undefined {
  const limit = wholeNumber(headers.get(RATE_LIMIT_HEADERS.limit), 1, MAX_LIMIT);
  const remaining = wholeNumber(headers.get(RATE_LIMIT_HEADERS.remaining), 0, limit ?? MAX_LIMIT);
  const resetInMs = resetInMsIn(headers);
  if (limit === undefined && remaining === undefined && resetInMs === undefined) return undefined;
  return { limit, remaining, resetInMs };
}

/** Returns `Retry-After` in ms (RFC 9110, 10.2.3), clamped to 1 to 300 s; undefined if the header is missing. */
export function retryAfterMsIn(headers: Headers): number | undefined {
  const text = headers.get('Retry-After');
  if (text === null) return undefined;
  const waitMs = /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : momentOf(text) - momentOf(headers.get('Date'));
  return Number.isFinite(waitMs) ? retryWaitMs(waitMs) : undefined;
}

/** `Reset` and `Date` both come from the service's clock, so the BFF's own clock doesn't matter. */
function resetInMsIn(headers: Headers): number | undefined {
  const resetSeconds = wholeNumber(headers.get(RATE_LIMIT_HEADERS.reset), 0, Number.MAX_SAFE_INTEGER);
  if (resetSeconds === undefined) return undefined;
  const inMs = resetSeconds * 1_000 - momentOf(headers.get('Date'));
  return inMs >= -TOLERATED_PAST_MS && inMs <= MAX_RESET_MS ? Math.max(0, inMs) : undefined;
}

/** Parses an HTTP date (RFC 9110, 5.6.7) to ms since the Unix epoch. Returns NaN for anything else. */
function momentOf(text: string | null): number {
  return text !== null && /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : NaN;
}

function wholeNumber(text: string | null, min: number, max: number): number | undefined {
  if (text === null || !/^\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}
