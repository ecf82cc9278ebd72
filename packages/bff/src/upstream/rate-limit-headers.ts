import { RATE_LIMIT_HEADERS } from '@pulse-card/contract';
import type { RateLimitHeaders } from '../budget/call-budget.ts';

/** A higher limit is taken for a mistake. */
const MAX_LIMIT = 1_000_000;

/** A window is a minute (spec, "Limits"); a reset further off than an hour is in milliseconds, or a mistake. */
const MAX_RESET_MS = 3_600_000;

/** Clocks of two machines that write one answer may differ by this much. */
const TOLERATED_PAST_MS = 5_000;

/** Bounds of `Retry-After` (a timer out of range fires at once). */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 300_000;

/** Parses the rate-limit headers; undefined where none has a plausible value. */
export function parseRateLimitHeaders(headers: Headers): RateLimitHeaders | undefined {
  const limit = wholeNumber(headers.get(RATE_LIMIT_HEADERS.limit), 1, MAX_LIMIT);
  const remaining = wholeNumber(headers.get(RATE_LIMIT_HEADERS.remaining), 0, limit ?? MAX_LIMIT);
  const resetInMs = resetInMsIn(headers);
  if (limit === undefined && remaining === undefined && resetInMs === undefined) return undefined;
  return { limit, remaining, resetInMs };
}

/** `Retry-After` in ms (RFC 9110, 10.2.3), within 1 s and 300 s; undefined where it is missing. */
export function retryAfterMsIn(headers: Headers): number | undefined {
  const text = headers.get('Retry-After');
  if (text === null) return undefined;
  const waitMs = /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : momentOf(text) - momentOf(headers.get('Date'));
  return Number.isFinite(waitMs) ? Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, waitMs)) : undefined;
}

/** `Reset` and `Date` are both on the upstream's clock, so that our own clock does not matter. */
function resetInMsIn(headers: Headers): number | undefined {
  const resetSeconds = wholeNumber(headers.get(RATE_LIMIT_HEADERS.reset), 0, Number.MAX_SAFE_INTEGER);
  if (resetSeconds === undefined) return undefined;
  const inMs = resetSeconds * 1_000 - momentOf(headers.get('Date'));
  return inMs >= -TOLERATED_PAST_MS && inMs <= MAX_RESET_MS ? Math.max(0, inMs) : undefined;
}

/** A moment as HTTP writes it (RFC 9110, 5.6.7), in ms since the Unix epoch; NaN for anything else. */
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
