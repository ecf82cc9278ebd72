import type { Failure, FailureDetail } from '../upstream/failure.ts';

/** How long an answer may be used, in ms. */
export interface FreshnessPolicy {
  readonly freshForMs: number;
  /** How long a stale answer is still served if no newer answer can be fetched. */
  readonly staleForMs: number;
  /** Replaces `staleForMs` while the upstream refuses the key. The time is counted from the first refusal. */
  readonly authStaleForMs: number;
}

/** How the cache handled an answer, as `Cache-Status` parameters (RFC 9211). */
export interface CacheFacts {
  readonly hit: boolean;
  /** The reason for the call that got this answer. */
  readonly fwd?: 'miss' | 'stale';
  /** The status of the upstream's answer. */
  readonly fwdStatus?: number;
  /** Whether the answer came from a call that another request had started. */
  readonly collapsed?: boolean;
  readonly stored?: boolean;
  /** The remaining freshness, in seconds; negative if the answer is stale. */
  readonly ttlSeconds: number;
  /** Why no newer answer is available. */
  readonly detail?: FailureDetail;
}

/** A value from the cache. */
export interface CacheHit<Value> {
  readonly ok: true;
  readonly value: Value;
  /** Whether readers are told that the answer is an earlier version, with `stale` in its `meta`. */
  readonly isEarlierVersion: boolean;
  readonly ageMs: number;
  readonly facts: CacheFacts;
}

/** A cached value, or the public error code if there is none. */
export type LookupResult<Value> =
  | CacheHit<Value>
  | (Pick<Failure, 'ok' | 'code'> & Partial<Pick<Failure, 'retryInMs'>>);

export type Freshness = 'fresh' | 'stale' | 'expired';

/** An answer that is older than this many lifetimes is always marked as an earlier version. */
const MARKED_AFTER_LIFETIMES = 3;

/** Normal reasons for serving an older answer: the budget delays the next call. */
const NORMAL_DETAILS: ReadonlySet<FailureDetail | undefined> = new Set([undefined, 'budget', 'starting']);

/** The failure that is reported if the first answer is still pending and no problem is known. */
export const NOT_YET_FETCHED = { ok: false, code: 'upstream_unavailable', retryInMs: 5_000 } as const;

/**
 * Freshness of an answer requested at `requestedAt` (RFC 9111 section 4.2, RFC 5861). `refusedForMs`: how long the
 * upstream has refused the key; undefined if it accepts the key.
 */
export function freshnessOf(
  requestedAt: number,
  { freshForMs, staleForMs, authStaleForMs }: FreshnessPolicy,
  { now, refusedForMs }: { readonly now: number; readonly refusedForMs: () => number | undefined },
): Freshness {
  const ageMs = now - requestedAt;
  if (ageMs < freshForMs) return 'fresh';
  if ((refusedForMs() ?? -Infinity) >= authStaleForMs) return 'expired';
  if (ageMs < freshForMs + staleForMs) return 'stale';
  return 'expired';
}

/** Creates the result of a lookup that found `value`, which was requested at `requestedAt`. */
export function cacheHit<Value>(
  value: Value,
  { requestedAt, freshForMs, now }: { readonly requestedAt: number; readonly freshForMs: number; readonly now: number },
  facts: Partial<CacheFacts> = {},
): CacheHit<Value> {
  const ageMs = Math.max(0, now - requestedAt);
  const ttlSeconds = Math.floor((freshForMs - ageMs) / 1_000);
  const isEarlierVersion = isMarkedEarlier(ageMs, freshForMs, facts.detail);
  return { ok: true, value, isEarlierVersion, ageMs, facts: { hit: true, ttlSeconds, ...facts } };
}

/**
 * Returns whether the reader is told that the answer is an earlier version. An answer that is only being revalidated
 * (RFC 5861 section 3) isn't marked.
 */
function isMarkedEarlier(ageMs: number, freshForMs: number, detail: FailureDetail | undefined): boolean {
  if (ageMs < freshForMs) return false;
  return !NORMAL_DETAILS.has(detail) || ageMs >= MARKED_AFTER_LIFETIMES * freshForMs;
}

/** The `Cache-Status` parameters for a stale answer whose refresh failed. */
export function factsOf({ detail, status }: Failure): Partial<CacheFacts> {
  return status === undefined ? { detail } : { detail, fwdStatus: status, fwd: 'stale' };
}
