import { type ErrorCode, errorCodeSchema } from '@pulse-card/contract';
import type { RequestContext } from '../context.ts';
import { sendError, sendJson } from '../respond.ts';
import type { CacheHealth } from '../../cache/cache-status.ts';

/** Why this instance should get no traffic. */
export interface ReadinessFailure {
  readonly code: ErrorCode;
  /** What is missing, for the operator; without secrets. */
  readonly reason: string;
}

/** Answers that the process is alive. */
export function sendHealth(context: RequestContext): void {
  sendJson(context, 200, { status: 'ok' });
}

/** Answers whether this instance should get traffic. */
export function sendReadiness(context: RequestContext, readinessFailure: ReadinessFailure | undefined): void {
  if (readinessFailure === undefined) return sendJson(context, 200, { status: 'ready' });
  sendError(context, readinessFailure.code, { error: `Not ready: ${readinessFailure.reason}`, retryAfterSeconds: 5 });
}

/**
 * Returns why this instance should get no traffic, or undefined: it stops, or has nothing to serve. While cached answers may be
 * served, neither an outage nor a refused key is a reason.
 */
export function readinessFailureOf(
  { ready, degraded, key }: CacheHealth,
  { isStopping, isRedisLost }: { isStopping: boolean; isRedisLost: boolean },
): ReadinessFailure | undefined {
  if (isStopping) return { code: 'upstream_unavailable', reason: 'stopping' };
  if (ready) return undefined;
  if (key.state === 'refused') return { code: 'upstream_auth', reason: keyReason(key) };
  const why = isRedisLost ? ', and Redis is lost, without which calls are few' : '';
  const code = errorCodeSchema.safeParse(degraded[0]).data ?? 'upstream_unavailable';
  return { code, reason: `there is nothing to serve until the service answers${why}` };
}

function keyReason({ missingScope }: CacheHealth['key']): string {
  if (missingScope === undefined) return 'the service refuses the key: make a new one';
  return `the key lacks the scope ${missingScope}: make one that has it`;
}
