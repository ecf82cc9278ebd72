import type { ErrorCode } from '@pulse-card/contract';
import { type RequestHandler, Router } from 'express';
import { ApiError } from '../errors.ts';
import type { PulseResponse } from '../locals.ts';
import { JSON_TYPE, sendText } from '../send.ts';
import { named } from './pulse.ts';

/** Why this instance shouldn't get traffic. The reason names what is missing, for the operator, without secrets. */
export interface NotReady {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** `GET /healthz` says that the process is alive; `GET /readyz` says whether it should get traffic. */
export function healthRoutes(whyNotReady: () => NotReady | undefined): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/healthz', named('/healthz'), sendStatus('ok'));
  router.get('/readyz', named('/readyz'), (req, res, next) => {
    const failure = whyNotReady();
    if (failure === undefined) return sendStatus('ready')(req, res, next);
    throw new ApiError(failure.code, { error: `Not ready: ${failure.reason}`, retryInMs: 5_000 });
  });
  return router;
}

function sendStatus(status: string): RequestHandler {
  return (req, res: PulseResponse) => sendText(req, res, 200, JSON_TYPE, JSON.stringify({ status }));
}
