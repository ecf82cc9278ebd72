import type { CacheFacts, FreshnessPolicy } from '../cache/freshness.ts';
import { headerIn, type HeaderList } from './header-list.ts';

/**
 * Who may store a response. `shared`: any cache. `private`: only the reader's browser. `mounted`: only the reader's
 * browser, which must revalidate each time, because the application's login decides who may see the response.
 */
export type CacheScope = 'shared' | 'private' | 'mounted';

/** Lets only the reader's browser store the response. */
export function makePrivate(response: { cacheScope: CacheScope }): void {
  if (response.cacheScope === 'shared') response.cacheScope = 'private';
}

/** The `Cache-Control` of data from a mounted router. */
export const MOUNTED = 'private, no-cache';

/**
 * `Cache-Control` of a file whose address stays the same when the file changes. Caches revalidate the file after five
 * minutes.
 */
export const CHANGING = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=604800';

/** `Cache-Control` of a file whose address contains the hash of its bytes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Returns whether a shared cache is allowed to keep a response with these headers and send it to other readers. */
export function isShareable(headers: HeaderList, scope: CacheScope): boolean {
  const cacheControl = headerIn(headers, 'Cache-Control');
  return scope !== 'mounted' && cacheControl !== undefined && !/^private|no-store/.test(cacheControl);
}

/**
 * Returns whether a response with these headers reaches only one reader. `isError`: whether the response is an error.
 */
export function isForOneReader(headers: HeaderList, scope: CacheScope, isError: boolean): boolean {
  const cacheControl = headerIn(headers, 'Cache-Control');
  if (cacheControl === 'no-store') return isError || scope !== 'shared';
  return scope === 'mounted' || cacheControl?.startsWith('private') === true;
}

/** The freshness of a response. */
export interface ResponseFreshness {
  readonly ageMs: number;
  readonly isEarlierVersion: boolean;
  readonly facts: CacheFacts;
  /** Whether part of the answer is a failure that may end at any time. */
  readonly hasTemporaryFailure?: boolean;
}

/** The `Age` and `Cache-Status` headers of a response, as name, value, name, value. */
export function ageHeaders({ ageMs, facts }: Pick<ResponseFreshness, 'ageMs' | 'facts'>): string[] {
  return ['Age', String(Math.max(0, Math.floor(ageMs / 1_000))), 'Cache-Status', cacheStatusOf(facts)];
}

/** How long an answer is fresh, in whole seconds. At least 1. */
export function freshSecondsOf({ freshForMs }: Pick<FreshnessPolicy, 'freshForMs'>): number {
  return Math.max(1, Math.floor(freshForMs / 1_000));
}

/** How long a cache in front of the BFF may serve an answer without revalidation. */
const DOWNSTREAM_SECONDS = 5;

/** How long a cache in front of the BFF may serve an answer while it revalidates. */
const REVALIDATE_SECONDS = 30;

/**
 * `Age`, `Cache-Control`, `CDN-Cache-Control` (RFC 9213) and `Cache-Status` of an answer, as name, value, name, value.
 *
 * Caches subtract `Age` from `max-age`. Therefore, `max-age` is the age plus the remaining time. For browsers, it never
 * exceeds the freshness lifetime. A shared cache may store any response for five seconds, regardless of its age.
 * A cache therefore absorbs requests even if too few calls are available to refresh the answer.
 */
export function freshnessHeaders(
  { ageMs, isEarlierVersion, facts, hasTemporaryFailure = false }: ResponseFreshness,
  { freshForMs, staleForMs }: FreshnessPolicy,
  scope: CacheScope = 'shared',
): string[] {
  const ageSeconds = Math.max(0, Math.floor(ageMs / 1_000));
  const freshSeconds = freshSecondsOf({ freshForMs });
  const lifeSeconds = Math.min(DOWNSTREAM_SECONDS, freshSeconds);
  const sharedMaxAge = ageSeconds + lifeSeconds;
  // nginx doesn't subtract `Age`, so an earlier version gets no `max-age` beyond its lifetime.
  const maxAge = isEarlierVersion ? lifeSeconds : Math.min(freshSeconds, sharedMaxAge);
  const staleSeconds = Math.floor(staleForMs / 1_000);
  const onceStale = `stale-while-revalidate=${Math.min(REVALIDATE_SECONDS, staleSeconds)}, stale-if-error=${staleSeconds}`;
  const isShared = scope === 'shared';
  const ofServer = `${isShared ? 'public' : 'private'}, max-age=${maxAge}, ${onceStale}`;
  const forReader = scope === 'mounted' ? MOUNTED : ofServer;
  return [
    'Age',
    String(ageSeconds),
    'Cache-Control',
    hasTemporaryFailure ? 'no-store' : forReader,
    'CDN-Cache-Control',
    hasTemporaryFailure || !isShared ? 'no-store' : `public, max-age=${sharedMaxAge}, ${onceStale}`,
    'Cache-Status',
    cacheStatusOf(facts),
  ];
}

/**
 * The `Cache-Status` header (RFC 9211), which reports what the cache did for this response. All values are numbers and
 * fixed words, which don't need quotes (RFC 9651, 3.3.4).
 */
export function cacheStatusOf({ hit, fwd, fwdStatus, ttlSeconds, stored, collapsed, detail }: CacheFacts): string {
  let status = 'PulseCard';
  if (hit) status += ';hit';
  else if (fwd !== undefined) {
    status += `;fwd=${fwd}`;
    if (fwdStatus !== undefined) status += `;fwd-status=${fwdStatus}`;
  }
  if (Number.isFinite(ttlSeconds)) status += `;ttl=${Math.trunc(ttlSeconds)}`;
  if (stored === true) status += ';stored';
  if (collapsed === true) status += ';collapsed';
  if (detail !== undefined) status += `;detail=${detail}`;
  return status;
}
