import type { ErrorCode } from '@pulse-card/contract';
import type { Exchange } from './exchange.ts';
import { JSON_TYPE } from './pulse-bodies.ts';
import { sendError } from './send-error.ts';

/** Why readers should be sent elsewhere. */
export interface Unreadiness {
  readonly code: ErrorCode;
  /** What is missing, for the operator; without secrets. */
  readonly reason: string;
}

/** Answers that the process is alive. */
export function answerHealth(exchange: Exchange): void {
  sendStatus(exchange, 'ok');
}

/** Answers whether readers should be sent here. */
export function answerReadiness(exchange: Exchange, unreadiness: Unreadiness | undefined): void {
  if (unreadiness === undefined) return sendStatus(exchange, 'ready');
  sendError(exchange, unreadiness.code, { error: `Not ready: ${unreadiness.reason}`, retryAfterSeconds: 5 });
}

function sendStatus(exchange: Exchange, status: string): void {
  const bytes = Buffer.from(JSON.stringify({ status }));
  const headers = ['Content-Type', JSON_TYPE, 'Content-Length', String(bytes.length), 'Cache-Control', 'no-store'];
  exchange.send(200, headers, bytes);
}
