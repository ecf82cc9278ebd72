import type { ErrorCode } from '@pulse-card/contract';
import type { RequestContext } from '../request-context.ts';
import { JSON_TYPE } from '../pulse-response-cache.ts';
import { sendError } from '../send-error.ts';

/** Why readers should be sent elsewhere. */
export interface ReadinessFailure {
  readonly code: ErrorCode;
  /** What is missing, for the operator; without secrets. */
  readonly reason: string;
}

/** Answers that the process is alive. */
export function sendHealth(context: RequestContext): void {
  sendStatus(context, 'ok');
}

/** Answers whether readers should be sent here. */
export function sendReadiness(context: RequestContext, readinessFailure: ReadinessFailure | undefined): void {
  if (readinessFailure === undefined) return sendStatus(context, 'ready');
  sendError(context, readinessFailure.code, { error: `Not ready: ${readinessFailure.reason}`, retryAfterSeconds: 5 });
}

function sendStatus(context: RequestContext, status: string): void {
  const bytes = Buffer.from(JSON.stringify({ status }));
  const headers = ['Content-Type', JSON_TYPE, 'Content-Length', String(bytes.length), 'Cache-Control', 'no-store'];
  context.send(200, headers, bytes);
}
