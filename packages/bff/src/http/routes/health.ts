import type { ErrorCode } from '@pulse-card/contract';
import { Router } from 'express';
import { ApiError } from '../errors.ts';
import type { Handler } from '../locals.ts';
import { JSON_TYPE, sendText } from '../send.ts';

/** Why this instance shouldn't get traffic. The reason tells the operator what is missing, without secrets. */
export interface NotReady {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** `GET /healthz` reports that the process is alive; `GET /readyz` reports whether it should get traffic. */
export function healthRoutes(whyNotReady: () => NotReady | undefined): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const alive: Handler = (req, res) => sendText(req, res, 200, JSON_TYPE, '{"status":"ok"}');
  const ready: Handler = (req, res) => {
    const failure = whyNotReady();
    if (failure === undefined) return sendText(req, res, 200, JSON_TYPE, '{"status":"ready"}');
    throw new ApiError(failure.code, { error: `Not ready: ${failure.reason}`, retryInMs: 5_000 });
  };
  router.get('/healthz', alive);
  router.get('/readyz', ready);
  return router;
}
