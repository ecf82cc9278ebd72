import type { ErrorCode } from '@pulse-card/contract';
import { ApiError } from '../errors.ts';
import type { Handler } from '../locals.ts';
import { JSON_TYPE, sendText } from '../send.ts';

/** Why this instance shouldn't get traffic. The reason tells the operator what is missing, without secrets. */
export interface NotReady {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** `GET /healthz`: the process is alive. */
export const alive: Handler = (req, res) => sendText(req, res, 200, JSON_TYPE, '{"status":"ok"}');

/** `GET /readyz`: whether this instance should get traffic. */
export function ready(whyNotReady: () => NotReady | undefined): Handler {
  return (req, res) => {
    const failure = whyNotReady();
    if (failure === undefined) return sendText(req, res, 200, JSON_TYPE, '{"status":"ready"}');
    throw new ApiError(failure.code, { error: `Not ready: ${failure.reason}`, retryInMs: 5_000 });
  };
}
