import type { ErrorCode } from '@pulse-card/contract';
import type { Config } from '../config.ts';

/** A value from the cache. */
export interface Hit<Value> {
  readonly ok: true;
  readonly value: Value;
  readonly ageMs: number;
  /** Whether the response is marked as stale (`meta.stale`). */
  readonly isStale: boolean;
  /** `hit`: from the cache. `miss` and `stale`: this lookup waited for a call. */
  readonly cache: 'hit' | 'miss' | 'stale';
  /** How much longer the BFF would serve this value, in ms. */
  readonly staleForMs: number;
}

/** Why there is no value. */
export interface Miss {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly retryInMs?: number | undefined;
}

export type Lookup<Value> = Hit<Value> | Miss;

/**
 * How much longer a response of this age may be served, in ms; 0 or less if it has expired (RFC 9111 section 4.2, RFC
 * 5861). A fresh response may always be served. `refusedForMs`: how long the service has rejected the key.
 */
export function servableForMs(
  ageMs: number,
  { freshMs, staleMs, authStaleMs }: Pick<Config, 'freshMs' | 'staleMs' | 'authStaleMs'>,
  refusedForMs: number | undefined,
): number {
  const leftMs = freshMs + staleMs - ageMs;
  if (refusedForMs === undefined) return leftMs;
  return Math.min(leftMs, Math.max(freshMs - ageMs, authStaleMs - refusedForMs));
}
