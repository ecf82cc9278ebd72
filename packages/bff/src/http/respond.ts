import { ERROR_STATUS, type CodedErrorBody, type ErrorCode, type PublicSourceFacts } from '@pulse-card/contract';
import type { CacheFacts, FreshnessPolicy } from '../cache/freshness.ts';
import { retryWaitMs } from '../lib/clock.ts';
import type { RequestContext } from './request-context.ts';
import type { RouteParts } from './route.ts';
import { readableBy } from './origins.ts';
import { acceptedEncoding, HTML_TYPE, isNoneMatch, JSON_TYPE, type Representation } from './representation.ts';

/** Answers with the form of `body` that the reader accepts, or 304 if the reader has it (RFC 9110, 15.4.5). */
export function sendBody(context: RequestContext, body: Representation, headers: readonly string[]): void {
  const { 'accept-encoding': accepted, 'if-none-match': noneMatch } = context.request.headers;
  const form = body.in(acceptedEncoding(accepted));
  const tag = context.tagOf(form.tag);
  if (isNoneMatch(noneMatch, tag)) context.send(304, [...headers, 'ETag', tag]);
  else {
    context.headers.push(...headers, 'ETag', tag);
    context.send(200, form.headers, form.bytes);
  }
}

/** Answers with JSON that no cache may store. */
export function sendJson(
  context: RequestContext,
  status: number,
  value: object,
  headers: readonly string[] = [],
): void {
  sendText(context, status, JSON_TYPE, JSON.stringify(value), ['Cache-Control', 'no-store', ...headers]);
}

function sendText(
  context: RequestContext,
  status: number,
  type: string,
  text: string,
  headers: readonly string[],
): void {
  const bytes = Buffer.from(text);
  context.send(status, ['Content-Type', type, 'Content-Length', String(bytes.length), ...headers], bytes);
}

/** The freshness of a response. */
export interface ResponseFreshness {
  readonly ageMs: number;
  readonly stale: boolean;
  readonly facts: CacheFacts;
  /** Part of the answer is a failure that may be over any moment. */
  readonly isPassing?: boolean;
}

/** Answers with a body from the cache, with the headers that say how fresh it is. */
export function sendCached(
  context: RequestContext,
  body: Representation,
  freshness: ResponseFreshness,
  freshnessPolicy: FreshnessPolicy,
): void {
  recordFreshness(context, freshness);
  sendBody(context, body, freshnessHeaders(freshness, freshnessPolicy, context.isPrivate));
}

/** Records for log and metrics what the cache did, and how fresh the answer is. */
export function recordFreshness(context: RequestContext, { facts, stale, ageMs }: ResponseFreshness): void {
  const used = stale ? 'stale' : 'hit';
  const asked = facts.collapsed === true ? 'collapsed' : (facts.fwd ?? 'miss');
  context.cacheResult = facts.hit ? used : asked;
  context.ageMs = ageMs;
  context.stale = stale;
}

/** `Age` and `Cache-Status` of an answer, as name, value, name, value. */
export function ageHeaders({ ageMs, facts }: Pick<ResponseFreshness, 'ageMs' | 'facts'>): string[] {
  return ['Age', String(Math.max(0, Math.floor(ageMs / 1_000))), 'Cache-Status', cacheStatusOf(facts)];
}

/** How long an answer is fresh, in whole seconds: at least 1. */
export function freshSecondsOf({ freshForMs }: Pick<FreshnessPolicy, 'freshForMs'>): number {
  return Math.max(1, Math.floor(freshForMs / 1_000));
}

/** How long a cache in front of the BFF may answer without revalidation. */
const DOWNSTREAM_SECONDS = 5;

/** How long a cache in front of the BFF may answer while it revalidates. */
const REVALIDATE_SECONDS = 30;

/**
 * `Age`, `Cache-Control`, `CDN-Cache-Control` (RFC 9213) and `Cache-Status` of an answer, as name, value, name, value.
 *
 * Caches subtract `Age` from `max-age`, so `max-age` is the age plus what is left, for browsers up to the freshness of the answer.
 * A cache for many readers may keep any answer for five seconds, however old it is: there may be too few calls to refresh it, and
 * the requests of all its readers would come here.
 */
export function freshnessHeaders(
  { ageMs, stale, facts, isPassing = false }: ResponseFreshness,
  { freshForMs, staleForMs }: FreshnessPolicy,
  isPrivate = false,
): string[] {
  const ageSeconds = Math.max(0, Math.floor(ageMs / 1_000));
  const freshSeconds = freshSecondsOf({ freshForMs });
  const lifeSeconds = Math.min(DOWNSTREAM_SECONDS, freshSeconds);
  const sharedMaxAge = ageSeconds + lifeSeconds;
  // nginx does not subtract `Age`, so a stale answer is given no more than its life.
  const maxAge = stale ? lifeSeconds : Math.min(freshSeconds, sharedMaxAge);
  const staleSeconds = Math.floor(staleForMs / 1_000);
  const onceStale = `stale-while-revalidate=${Math.min(REVALIDATE_SECONDS, staleSeconds)}, stale-if-error=${staleSeconds}`;
  const forReader = `${isPrivate ? 'private' : 'public'}, max-age=${maxAge}, ${onceStale}`;
  return [
    'Age',
    String(ageSeconds),
    'Cache-Control',
    isPassing ? 'no-store' : forReader,
    'CDN-Cache-Control',
    isPassing || isPrivate ? 'no-store' : `public, max-age=${sharedMaxAge}, ${onceStale}`,
    'Cache-Status',
    cacheStatusOf(facts),
  ];
}

/**
 * `Cache-Status` (RFC 9211): what the cache did for this response. All values are numbers and our own words, which need no
 * quoting (RFC 9651, 3.3.4).
 */
export function cacheStatusOf({ hit, fwd, fwdStatus, ttlSeconds, stored, collapsed, detail }: CacheFacts): string {
  let status = 'PulseCard';
  if (hit) status += ';hit';
  else if (fwd !== undefined) {
    status += `;fwd=${fwd}`;
    if (fwdStatus !== undefined) status += `;fwd-status=${fwdStatus}`;
  }
  if (Number.isFinite(ttlSeconds)) status += `;ttl=${Math.trunc(ttlSeconds)}`;
  if (stored === true) status += ';stored';
  if (collapsed === true) status += ';collapsed';
  if (detail !== undefined) status += `;detail=${detail}`;
  return status;
}

/** Messages by code. They repeat nothing from the upstream or the request. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, string>> = {
  bad_request: 'The request is malformed: its target has a "#", "\\", control character or another host',
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

/** The text of `token_forbidden` if the application decides, and there are no tokens. */
export const NOT_FOR_READER = 'This reader may not see this source';

/** The default `Retry-After` of errors worth a retry, in seconds. */
const RETRY_AFTER_SECONDS: Readonly<Partial<Record<ErrorCode, number>>> = {
  rate_limited: 60,
  upstream_invalid: 10,
  upstream_auth: 60,
  upstream_rate_limited: 30,
  upstream_unavailable: 5,
};

/** How long a cache may keep a 404 about a source, in seconds. */
const MISSING_SECONDS = 30;

const MISSING: ReadonlySet<ErrorCode> = new Set(['source_unknown', 'pulse_not_found']);

/** Details of an error in addition to its code. */
export interface ErrorDetails {
  /** @default the text of the code */
  readonly error?: string;
  /** The source that has no pulse. */
  readonly source?: PublicSourceFacts;
  /** When a retry may succeed. @default that of the code */
  readonly retryInMs?: number | undefined;
  /** The longest time that a cache may keep a public 404, in seconds. @default 30 */
  readonly maxAgeSeconds?: number;
  /** Further headers: name, value, name, value. */
  readonly headers?: readonly string[];
}

/** Answers with an error in the spec's shape, with its code (spec, "Errors"), or with the route's own page. */
export function sendError(context: RequestContext, code: ErrorCode, details: ErrorDetails = {}): void {
  const { error = ERROR_TEXTS[code], source, retryInMs, maxAgeSeconds = MISSING_SECONDS, headers = [] } = details;
  const retryAfterSeconds = retryAfterOf(code, retryInMs);
  const page = context.errorPage?.({ code, source, retryAfterSeconds });
  const isCacheable = MISSING.has(code) && context.isErrorCacheable && !context.isPrivate;
  const body: CodedErrorBody = { success: false, error, code };
  context.code = code;
  sendText(context, ERROR_STATUS[code], page ? HTML_TYPE : JSON_TYPE, page?.html ?? JSON.stringify(body), [
    'Cache-Control',
    isCacheable ? `public, max-age=${Math.min(MISSING_SECONDS, maxAgeSeconds)}` : 'no-store',
    ...(retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)]),
    // A page for a frame names the source, so that no other page may read it.
    ...(page?.headers ?? readableBy(context)),
    ...headers,
  ]);
}

/** The `Retry-After` of an error: whole seconds, 1 to 300; undefined if a retry is not worth it. */
function retryAfterOf(code: ErrorCode, retryInMs: number | undefined): number | undefined {
  const defaultSeconds = RETRY_AFTER_SECONDS[code];
  if (defaultSeconds === undefined) return undefined;
  return Math.ceil(retryWaitMs(retryInMs ?? defaultSeconds * 1_000) / 1_000);
}

/** The `WWW-Authenticate` of a 401 or 403 (RFC 6750, 3). */
const CHALLENGES = {
  token_missing: 'Bearer realm="pulse"',
  token_invalid: 'Bearer realm="pulse", error="invalid_token"',
  token_forbidden: 'Bearer realm="pulse", error="insufficient_scope"',
} as const;

/** Answers that the token is missing, invalid or insufficient; `detail` is only for the log. */
export function sendTokenError(
  context: RequestContext,
  code: keyof typeof CHALLENGES,
  detail?: string,
  error = ERROR_TEXTS[code],
): false {
  context.detail = detail;
  sendError(context, code, { error, headers: ['WWW-Authenticate', CHALLENGES[code]] });
  return false;
}

/** Answers that the reader may not see this source. */
export function sendSourceRefusal(
  context: RequestContext,
  code: 'token_forbidden' | 'source_unknown',
  { forbiddenText }: RouteParts,
): void {
  if (code === 'source_unknown') sendError(context, code);
  else sendTokenError(context, code, 'source', forbiddenText);
}
