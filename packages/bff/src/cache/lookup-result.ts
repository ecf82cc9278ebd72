import type { FetchFailure } from '../upstream/upstream-fetcher.ts';
import type { CacheFacts, LookupResult } from './port.ts';

/** What a failure tells readers: its code, and when to try again. */
export type LookupFailure = Extract<LookupResult<never>, { ok: false }>;

/** Tells a reader to come back: nothing came in time, and nothing is known to be wrong. */
export const NOT_YET_FETCHED = { code: 'upstream_unavailable', retryInMs: 5_000 } as const;

/** From this many lifetimes on an answer is old to its reader, whatever the reason. */
const STALE_AFTER_LIFETIMES = 3;

/** Reasons to answer with something older that are no trouble: a call is dear just now, and will be had. */
const USUAL_DETAILS: ReadonlySet<string | undefined> = new Set([undefined, 'budget', 'starting']);

/** A reading of what is known, as old as the question it answers. */
export function cacheHit<Value>(
  value: Value,
  { askedAt, freshForMs, now }: { askedAt: number; freshForMs: number; now: number },
  facts: Partial<CacheFacts> = {},
) {
  const ageMs = Math.max(0, now - askedAt);
  const ttlSeconds = Math.floor((freshForMs - ageMs) / 1_000);
  const stale = isStale(ageMs, freshForMs, facts.detail);
  return { ok: true, value, stale, ageMs, facts: { hit: true, ttlSeconds, ...facts } } as const;
}

/**
 * Returns whether a reader is to be told of an earlier version: past its lifetime with something wrong, or long past it.
 * In between it is being revalidated (RFC 5861, 3), which is usual.
 */
function isStale(ageMs: number, freshForMs: number, detail: string | undefined): boolean {
  if (ageMs < freshForMs) return false;
  return !USUAL_DETAILS.has(detail) || ageMs >= STALE_AFTER_LIFETIMES * freshForMs;
}

/** A reading that failed; the wait is told in whole seconds, 1 to 300. */
export function lookupFailure({ code, retryInMs }: { code: FetchFailure['code']; retryInMs: number }): LookupFailure {
  return { ok: false, code, retryAfterSeconds: Math.min(300, Math.max(1, Math.ceil(retryInMs / 1_000))) };
}

/** What is told of a call that failed while something older could be read. */
export function factsOf({ detail, status }: FetchFailure): Partial<CacheFacts> {
  return status === undefined ? { detail } : { detail, fwdStatus: status, fwd: 'stale' };
}
