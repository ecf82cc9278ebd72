import { z } from 'zod';

/** The body of every error from the service (spec, "Errors"). */
export const errorBodySchema = z
  .strictObject({ success: z.literal(false), error: z.string().min(1).meta({ description: 'Human-readable message' }) })
  .meta({ id: 'ErrorBody' });

/**
 * An error from the service as a client reads it. Other fields are dropped. Errors from other programs have a different
 * shape.
 */
export const readErrorBodySchema = z.object({ success: z.literal(false), error: z.string() });

/** The body of every error from the service. */
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** The error messages that the spec defines. */
export const SPEC_ERRORS = {
  authenticationRequired: 'Authentication required',
  invalidKey: 'Invalid or expired API key',
  noPulse: 'No pulse found for this source',
} as const;

/** Every code in the BFF's errors, with its HTTP status. This is a closed list. */
export const ERROR_STATUS = {
  bad_request: 400,
  invalid_source_id: 400,
  signed_out: 401,
  token_missing: 401,
  token_invalid: 401,
  origin_forbidden: 403,
  token_forbidden: 403,
  source_unknown: 404,
  pulse_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  rate_limited: 429,
  internal: 500,
  upstream_invalid: 502,
  upstream_auth: 503,
  upstream_rate_limited: 503,
  upstream_unavailable: 503,
} as const;

/** A BFF error code. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** The BFF's error codes, as a schema. */
export const errorCodeSchema = z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]);

/** The body of every error from the BFF. It has the spec's format, plus a code. */
export const codedErrorBodySchema = z
  .strictObject({ ...errorBodySchema.shape, code: errorCodeSchema })
  .meta({ id: 'CodedErrorBody' });

/** The body of every error from the BFF. */
export type CodedErrorBody = z.infer<typeof codedErrorBodySchema>;
