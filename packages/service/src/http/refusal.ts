import { type ErrorBody, SPEC_ERRORS } from '@pulse-card/contract';
import type { Response } from 'express';

/** Every way the service says no: status and text. The spec fixes three of the texts. */
export const REFUSALS = {
  authenticationRequired: { status: 401, error: SPEC_ERRORS.authenticationRequired },
  invalidKey: { status: 401, error: SPEC_ERRORS.invalidKey },
  scopeMissing: { status: 403, error: 'API key lacks the required scope' },
  noPulse: { status: 404, error: SPEC_ERRORS.noPulse },
  notFound: { status: 404, error: 'Not found' },
  methodNotAllowed: { status: 405, error: 'Method not allowed' },
  badRequest: { status: 400, error: 'Bad request' },
  tooManyRequests: { status: 429, error: 'Rate limit exceeded' },
  internal: { status: 500, error: 'Internal server error' },
  databaseUnreachable: { status: 503, error: 'Database unreachable' },
} as const;

/** A way the service says no. */
export type Refusal = keyof typeof REFUSALS;

/** Answers with a refusal in the shape of the spec, "Errors". */
export function sendRefusal(res: Response, refusal: Refusal): void {
  const { status, error } = REFUSALS[refusal];
  const body: ErrorBody = { success: false, error };
  res.status(status).json(body);
}
