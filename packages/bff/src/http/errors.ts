import { type CodedErrorBody, ERROR_STATUS, type ErrorCode, type PublicSourceFacts } from '@pulse-card/contract';
import { retryWaitMs } from '../lib/clock.ts';
import { readableBy } from './origins.ts';
import { HTML_TYPE, JSON_TYPE } from './representation.ts';
import type { RequestContext } from './request-context.ts';
import { sendText } from './respond.ts';
import type { RouteParts } from './route.ts';

/** Messages by code. The messages don't contain text from the upstream or the request. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, string>> = {
  bad_request: 'The request is malformed: its target contains "#", "\\", a control character, or another host',
  invalid_source_id: 'The request is malformed: a source id has 1 to 128 letters, digits, ".", "_", "~" or "-"',
  token_missing: 'A token is required: set tokenProvider',
  token_invalid: 'The token is invalid or expired: "pulse-bff token explain" says why',
  origin_forbidden: 'This page may not show these pulses: add its origin to PULSE_ALLOWED_ORIGINS',
  token_forbidden: 'The token does not allow this',
  source_unknown: 'No such source: check source-id and PULSE_SOURCES',
  pulse_not_found: 'No pulse found for this source',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  rate_limited: 'Too many requests: try again later',
  internal: 'Something went wrong on this server',
  upstream_invalid: 'The pulse could not be read: try again later',
  upstream_auth: 'Pulses are unavailable: the operator must renew access to the service',
  upstream_rate_limited: 'Pulses are busy: try again later',
  upstream_unavailable: 'Pulses are unavailable: try again later',
};

/** The message of `token_forbidden` if there are no tokens and the application decides what readers may see. */
export const NOT_FOR_READER = 'This reader may not see this source';

/** The default `Retry-After` in seconds, for errors that are worth a retry. */
const RETRY_AFTER_SECONDS: Readonly<Partial<Record<ErrorCode, number>>> = {
  rate_limited: 60,
  upstream_invalid: 10,
  upstream_auth: 60,
  upstream_rate_limited: 30,
  upstream_unavailable: 5,
};

/** How long a cache may keep a 404 for a source, in seconds. */
const MISSING_SECONDS = 30;

const MISSING: ReadonlySet<ErrorCode> = new Set(['source_unknown', 'pulse_not_found']);

/** The `WWW-Authenticate` of a 401 or 403 (RFC 6750, 3). */
const CHALLENGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  token_missing: 'Bearer realm="pulse"',
  token_invalid: 'Bearer realm="pulse", error="invalid_token"',
  token_forbidden: 'Bearer realm="pulse", error="insufficient_scope"',
};

/** Details of an error in addition to its code. */
export interface ErrorDetails {
  /** @default the message of the code */
  readonly error?: string;
  /** The source that has no pulse. */
  readonly source?: PublicSourceFacts;
  /** When a retry may succeed. @default the time that belongs to the code */
  readonly retryInMs?: number | undefined;
  /** The longest time that a cache may keep a public 404, in seconds. @default 30 */
  readonly maxAgeSeconds?: number;
  /** Additional headers: name, value, name, value. */
  readonly headers?: readonly string[];
}

/**
 * Responds with an error. If the route has an error page, the body is that page. Otherwise, the body has the spec's
 * shape with the code (spec, "Errors").
 */
export function sendError(context: RequestContext, code: ErrorCode, details: ErrorDetails = {}): void {
  const { error = ERROR_TEXTS[code], source, retryInMs, maxAgeSeconds = MISSING_SECONDS, headers = [] } = details;
  const retryAfterSeconds = retryAfterOf(code, retryInMs);
  const page = context.errorPage?.({ code, source, retryAfterSeconds });
  const isCacheable = MISSING.has(code) && context.isErrorCacheable && context.cacheScope === 'shared';
  const challenge = CHALLENGES[code];
  const body: CodedErrorBody = { success: false, error, code };
  context.record.code = code;
  sendText(context, ERROR_STATUS[code], page ? HTML_TYPE : JSON_TYPE, page?.html ?? JSON.stringify(body), [
    'Cache-Control',
    isCacheable ? `public, max-age=${Math.min(MISSING_SECONDS, maxAgeSeconds)}` : 'no-store',
    ...(retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)]),
    // The page for a frame names the source, so pages on other origins must not be able to read it.
    ...(page?.headers ?? readableBy(context)),
    ...(challenge === undefined ? [] : ['WWW-Authenticate', challenge]),
    ...headers,
  ]);
}

/** The `Retry-After` of an error, in whole seconds from 1 to 300; undefined if a retry isn't worth it. */
function retryAfterOf(code: ErrorCode, retryInMs: number | undefined): number | undefined {
  const defaultSeconds = RETRY_AFTER_SECONDS[code];
  if (defaultSeconds === undefined) return undefined;
  return Math.ceil(retryWaitMs(retryInMs ?? defaultSeconds * 1_000) / 1_000);
}

/** Responds that the reader may not see this source. */
export function sendSourceForbidden(context: RequestContext, { forbiddenText }: RouteParts): void {
  context.record.detail = 'source';
  sendError(context, 'token_forbidden', { error: forbiddenText });
}
