import type { Config } from '../config.ts';
import { OWN_LIMITS } from '../upstream/failure.ts';
import { operationOf } from '../upstream/target.ts';
import type { Answers } from './answers.ts';
import type { Entry } from './entry-format.ts';

/** A response that is older than this many lifetimes is always marked as stale. */
const MARKED_AFTER_LIFETIMES = 3;

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

/**
 * What the cache contains for a target, unless it has expired (RFC 9111 section 4.2, RFC 5861). While the service
 * rejects the key, a response expires sooner, but not while it's fresh.
 */
export function hitIn(
  answers: Answers,
  target: string,
  { freshMs, staleMs, authStaleMs }: Pick<Config, 'freshMs' | 'staleMs' | 'authStaleMs'>,
): Hit<Entry> | undefined {
  const value = answers.get(target);
  if (value === undefined) return undefined;
  const ageMs = answers.ageMs(target);
  const refusedForMs = answers.key.refusedForMs(operationOf(target)) ?? -Infinity;
  const staleForMs = Math.min(freshMs + staleMs - ageMs, Math.max(freshMs - ageMs, authStaleMs - refusedForMs));
  if (staleForMs <= 0) return undefined;
  const isLate = ageMs >= MARKED_AFTER_LIFETIMES * freshMs;
  const isStale = ageMs >= freshMs && (isLate || hasFailed(answers, target));
  return { ok: true, value, ageMs, isStale, cache: 'hit', staleForMs };
}

/** Whether the last call failed or calls aren't possible. Waiting for the budget is normal. */
function hasFailed({ upstream }: Answers, target: string): boolean {
  const failure = upstream.backoffs.last(target) ?? upstream.whyNoCall(target);
  return (failure !== undefined && !OWN_LIMITS.has(failure.code)) || upstream.hosts.areAllDown;
}
