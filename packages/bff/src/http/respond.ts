import { ERROR_STATUS, type ErrorBody, type ErrorCode, type PublicSourceFacts } from '@pulse-card/contract';
import { readableBy } from './origins.ts';
import type { RequestContext } from './context.ts';
import {
  acceptedEncoding,
  type EncodedRepresentation,
  isNoneMatch,
  JSON_TYPE,
  type Representation,
} from './representation.ts';

/** Messages by code. They repeat nothing from the upstream or the request. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, string>> = {
  bad_request: 'The request is malformed: its target has a "#", "\\\\", control character or another host',
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
  upstream_auth: 'Pulses are unavailable: the operator has to renew the access to them',
  upstream_rate_limited: 'Pulses are busy: try again later',
  upstream_unavailable: 'Pulses are unavailable: try again later',
};

/** The default `Retry-After` of errors worth a retry, in seconds. */
const RETRY_AFTER_SECONDS: Readonly<Partial<Record<ErrorCode, number>>> = {
  rate_limited: 60,
  upstream_invalid: 10,
  upstream_auth: 60,
  upstream_rate_limited: 30,
  upstream_unavailable: 5,
};

/** Range of `Retry-After`, in seconds. */
const RETRY_AFTER_RANGE = { min: 1, max: 300 };

/** How long a cache may keep a 404, in seconds. */
const NOTHING_THERE_SECONDS = 30;

const NOTHING_THERE: ReadonlySet<ErrorCode> = new Set(['source_unknown', 'pulse_not_found']);

/** Details of an error beside its code. */
export interface ErrorDetails {
  /** @default the text of the code */
  readonly error?: string;
  /** The source that has no pulse. */
  readonly source?: PublicSourceFacts;
  readonly retryAfterSeconds?: number | undefined;
  /** The longest time that a cache may keep a public 404, in seconds. @default 30 */
  readonly maxAgeSeconds?: number;
  /** Further headers: name, value, name, value. */
  readonly headers?: readonly string[];
}

/** Answers with the form of `body` that the reader accepts, or 304 where the reader has it (RFC 9110, 15.4.5). */
export function sendBody(context: RequestContext, body: Representation, headers: readonly string[]): void {
  sendForm(context, body.in(acceptedEncoding(context.request.headers['accept-encoding'])), headers);
}

/** Answers with one form of a body, or 304 where the reader has it. */
export function sendForm(context: RequestContext, form: EncodedRepresentation, headers: readonly string[]): void {
  if (isNoneMatch(context.request.headers['if-none-match'], form.tag)) {
    context.send(304, [...headers, 'ETag', form.tag]);
  } else if (allowsBytes(context, form.bytes)) context.send(200, [...headers, ...form.headers], form.bytes);
}

/** Returns whether `bytes` may be sent; answers 429 where the client has not read what it was sent before. */
export function allowsBytes(context: RequestContext, bytes: Buffer): boolean {
  if (context.isHead || context.allowsUnsent(bytes.length)) return true;
  sendError(context, 'rate_limited', { error: 'Too much is waiting for this client to read it: try again later' });
  return false;
}

/** Answers with an error in the spec's shape, with its code (spec, "Errors"). */
export function sendError(context: RequestContext, code: ErrorCode, details: ErrorDetails = {}): void {
  const { error = ERROR_TEXTS[code], maxAgeSeconds = NOTHING_THERE_SECONDS, headers = [] } = details;
  const retryAfterSeconds = retryAfterOf(code, details.retryAfterSeconds);
  const page = context.errorPage?.(context, code, { ...details, retryAfterSeconds });
  const bytes = Buffer.from(page?.text ?? JSON.stringify({ success: false, error, code }));
  context.code = code;
  context.send(
    ERROR_STATUS[code],
    [
      'Content-Type',
      page?.contentType ?? JSON_TYPE,
      'Content-Length',
      String(bytes.length),
      'Cache-Control',
      NOTHING_THERE.has(code) && context.isErrorCacheable && !context.isPrivate
        ? `public, max-age=${Math.min(NOTHING_THERE_SECONDS, maxAgeSeconds)}`
        : 'no-store',
      ...(retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)]),
      // A page for a frame names the source, so that no other page may read it.
      ...(page?.headers ?? readableBy(context)),
      ...headers,
    ],
    bytes,
  );
}

/** Answers with an error in the spec's shape without a code, for a status that has none. */
export function sendUncodedError(context: RequestContext, status: number, error: string): void {
  const bytes = Buffer.from(JSON.stringify({ success: false, error } satisfies ErrorBody));
  const headers = ['Content-Type', JSON_TYPE, 'Content-Length', String(bytes.length), 'Cache-Control', 'no-store'];
  context.send(status, [...headers, ...readableBy(context)], bytes);
}

function retryAfterOf(code: ErrorCode, seconds: number | undefined): number | undefined {
  const defaultSeconds = RETRY_AFTER_SECONDS[code];
  return defaultSeconds === undefined ? undefined : retryAfterSecondsOf(seconds, defaultSeconds);
}

/** A `Retry-After` value: whole seconds, 1 to 300; `defaultSeconds` if `seconds` is not a number. */
export function retryAfterSecondsOf(seconds: number | undefined, defaultSeconds: number): number {
  const isNumber = seconds !== undefined && Number.isFinite(seconds);
  const whole = isNumber ? Math.ceil(seconds) : defaultSeconds;
  return Math.min(RETRY_AFTER_RANGE.max, Math.max(RETRY_AFTER_RANGE.min, whole));
}

/** What a 401 or 403 asks for instead (RFC 6750, 3). */
const CHALLENGES = {
  token_missing: 'Bearer realm="pulse"',
  token_invalid: 'Bearer realm="pulse", error="invalid_token"',
  token_forbidden: 'Bearer realm="pulse", error="insufficient_scope"',
} as const;

/** Answers that the token is missing, invalid or insufficient; `detail` is for the log alone. */
export function sendTokenError(context: RequestContext, code: keyof typeof CHALLENGES, detail?: string): false {
  context.detail = detail;
  sendError(context, code, { headers: ['WWW-Authenticate', CHALLENGES[code]] });
  return false;
}

/** Answers that the reader may not see this source. */
export function sendSourceForbidden(context: RequestContext): void {
  sendTokenError(context, 'token_forbidden', 'source');
}
