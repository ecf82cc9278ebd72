import type { CacheFacts } from '../cache/port.ts';
import { cacheStatusOf } from './cache-status.ts';

/** How long a cache in front may answer by itself: more would add to the staleness that the BFF works against. */
const DOWNSTREAM_SECONDS = 5;

/** How long a cache in front may answer while it asks again. */
const REVALIDATE_SECONDS = 30;

/** A stale answer may be replaced any moment. */
const STALE_DOWNSTREAM_SECONDS = 1;

/** The lifetimes that `PULSE_FRESH_MS` and `PULSE_STALE_MS` set. */
export interface Lifetimes {
  readonly freshForMs: number;
  readonly staleForMs: number;
}

/** An answer as its freshness goes. */
export interface Freshness {
  readonly ageMs: number;
  readonly stale: boolean;
  readonly facts: CacheFacts;
  /** Part of the answer is a failure that may be over any moment. */
  readonly isPassing?: boolean;
}

/** `Age`, `Cache-Control` and `Cache-Status` of an answer, as name, value, name, value. `isPrivate`: for one reader alone. */
export function freshnessHeaders(freshness: Freshness, lifetimes: Lifetimes, isPrivate = false): string[] {
  const ageSeconds = Math.max(0, Math.floor(freshness.ageMs / 1_000));
  return [
    'Age',
    String(ageSeconds),
    'Cache-Control',
    freshness.isPassing === true ? 'no-store' : cacheControlOf(ageSeconds, freshness.stale, lifetimes, isPrivate),
    'Cache-Status',
    cacheStatusOf(freshness.facts),
  ];
}

/**
 * `Cache-Control` (RFC 9111, 5.2; RFC 5861). A cache takes `Age` off `max-age`, so `max-age` is the age plus what is left:
 * a fixed one would make every answer that is older than it useless to Varnish and to browsers.
 */
export function cacheControlOf(
  ageSeconds: number,
  stale: boolean,
  { freshForMs, staleForMs }: Lifetimes,
  isPrivate = false,
): string {
  const freshSeconds = Math.max(1, Math.floor(freshForMs / 1_000));
  const maxAge = stale ? STALE_DOWNSTREAM_SECONDS : Math.min(freshSeconds, ageSeconds + DOWNSTREAM_SECONDS);
  const staleSeconds = Math.floor(staleForMs / 1_000);
  const revalidate = Math.min(REVALIDATE_SECONDS, staleSeconds);
  const whose = isPrivate ? 'private' : 'public';
  return `${whose}, max-age=${maxAge}, stale-while-revalidate=${revalidate}, stale-if-error=${staleSeconds}`;
}
