import { type ErrorCode, errorCodeSchema } from '@pulse-card/contract';
import type { CacheHealth } from '../cache/cache-status.ts';
import type { ReadinessFailure } from '../http/routes/probes-route.ts';

/**
 * Says why readers should be sent elsewhere, or undefined. A refused key is one: no answer gets newer.
 * An upstream that is down is none, and neither is a lost Redis: what is known is served.
 */
export function readinessFailureOf(
  health: CacheHealth,
  { isStopping, isRedisLost }: { isStopping: boolean; isRedisLost: boolean },
): ReadinessFailure | undefined {
  if (isStopping) return { code: 'upstream_unavailable', reason: 'stopping' };
  if (health.degraded.includes('upstream_auth')) return { code: 'upstream_auth', reason: keyReason(health) };
  if (health.ready) return undefined;
  const why = isRedisLost ? ', and Redis is lost, without which calls are few' : '';
  return { code: firstCode(health), reason: `the first answer of the service is awaited${why}` };
}

function keyReason({ key: { missingScope } }: CacheHealth): string {
  if (missingScope === undefined) return 'the service refuses the key: make a new one';
  return `the key lacks the scope ${missingScope}: make one that has it`;
}

function firstCode({ degraded }: CacheHealth): ErrorCode {
  return errorCodeSchema.safeParse(degraded[0]).data ?? 'upstream_unavailable';
}
