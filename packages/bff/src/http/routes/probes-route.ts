import type { ErrorCode } from '@pulse-card/contract';
import type { RequestContext } from '../context.ts';
import { sendError, sendJson } from '../respond.ts';

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
  sendError(context, readinessFailure.code, { error: `Not ready: ${readinessFailure.reason}`, retryInMs: 5_000 });
}
