import type { Config } from '../config.ts';
import type { Hit } from '../pulses/pulses.ts';

/**
 * Who may store a response. `shared`: any cache. `private`: only the reader's browser. `mounted`: only the reader's
 * browser, which must revalidate each time, because the application's login decides who may see the response.
 */
export type CacheScope = 'shared' | 'private' | 'mounted';

/** Who may store data with this configuration. Tokens make it private. */
export function scopeOf({ isMounted, cache, access }: Pick<Config, 'isMounted' | 'cache' | 'access'>): CacheScope {
  if (isMounted) return 'mounted';
  return cache === 'private' || access === 'token' ? 'private' : 'shared';
}

/** `Cache-Control` for a file whose URL stays the same when the file changes. */
export const CHANGING = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=604800';

/** `Cache-Control` for a file whose URL contains the hash of its bytes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** A path that contains the hash of its file. */
const HASHED = /^\/pulse-(?:card|board)(?:-[a-z-]+)?-[0-9a-f]{16}\.(?:js|css)$/;

/** `Cache-Control` for the card's file at `path`. */
export function cachingOf(path: string): string {
  return HASHED.test(path) ? IMMUTABLE : CHANGING;
}

/** How long a cache in front of the BFF may serve a response without revalidation. */
const DOWNSTREAM_SECONDS = 5;

/** How long a cache in front of the BFF may serve a response while it revalidates. */
const REVALIDATE_SECONDS = 30;

/** How long a response is fresh, in whole seconds (at least 1). */
export function freshSecondsOf({ freshMs }: { readonly freshMs: number }): number {
  return Math.max(1, Math.floor(freshMs / 1_000));
}

/**
 * `Cache-Control` and `CDN-Cache-Control` (RFC 9213) for a response with data.
 *
 * Caches subtract `Age` from `max-age`, so `max-age` is the age plus the remaining time. For browsers, it never exceeds
 * the time for which a response is fresh. A shared cache may store any response for five seconds, regardless of its
 * age, so that it absorbs requests even if the budget has no call left for a refresh.
 */
export function cacheControlOf(
  { ageMs, isStale, staleForMs }: Pick<Hit<unknown>, 'ageMs' | 'isStale' | 'staleForMs'>,
  { freshMs, staleMs }: { readonly freshMs: number; readonly staleMs: number },
  scope: CacheScope,
): { readonly cacheControl: string; readonly cdnCacheControl: string } {
  const freshSeconds = freshSecondsOf({ freshMs });
  const lifeSeconds = Math.min(DOWNSTREAM_SECONDS, freshSeconds);
  const sharedMaxAge = Math.floor(ageMs / 1_000) + lifeSeconds;
  // nginx doesn't subtract `Age`, so stale content gets no `max-age` beyond its lifetime.
  const maxAge = isStale ? lifeSeconds : Math.min(freshSeconds, sharedMaxAge);
  const staleSeconds = Math.max(0, Math.floor(Math.min(staleMs, staleForMs) / 1_000));
  const onceStale = `stale-while-revalidate=${Math.min(REVALIDATE_SECONDS, staleSeconds)}, stale-if-error=${staleSeconds}`;
  if (scope === 'mounted') return { cacheControl: 'private, no-cache', cdnCacheControl: 'no-store' };
  if (scope === 'private')
    return { cacheControl: `private, max-age=${maxAge}, ${onceStale}`, cdnCacheControl: 'no-store' };
  return {
    cacheControl: `public, max-age=${maxAge}, ${onceStale}`,
    cdnCacheControl: `public, max-age=${sharedMaxAge}, ${onceStale}`,
  };
}
