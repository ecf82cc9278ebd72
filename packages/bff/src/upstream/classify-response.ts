import { RATE_LIMIT_HEADERS, readErrorBodySchema } from '@pulse-card/contract';
import type { RateLimitHeaders } from '../budget/call-budget.ts';
import { retryWaitMs } from '../lib/clock.ts';
import { readBody } from '../lib/read-body.ts';
import type { Account, Operation } from './subject.ts';

/** The layer that failed before a host could answer: the DNS lookup, TLS, or the connection itself. */
export type UnreachableLayer = 'DNS' | 'TLS' | 'connection' | 'plain HTTP';

/** Why a call returned no usable answer. Contains no text from the upstream. */
export type CallFailure =
  | { readonly kind: 'key-refused'; readonly status: 401 | 403 }
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'unreachable'; readonly layer?: UnreachableLayer }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'server-error'; readonly status: number }
  /**
   * A 4xx whose body doesn't have the specified shape. A proxy, gateway, or firewall answered instead of the service.
   */
  | { readonly kind: 'intermediary-error'; readonly status: number }
  | { readonly kind: 'invalid'; readonly reason: string };

export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: CallFailure };

/** A response that has been read and classified. */
export interface Reply<Value> {
  readonly outcome: Outcome<Value>;
  /** Undefined unless the service itself answered, because a gateway's headers are about the gateway's own limits. */
  readonly rate?: RateLimitHeaders | undefined;
  /**
   * The account that the value belongs to (spec, "Response envelope meta"); undefined if the answer has no account.
   */
  readonly account?: Account | undefined;
}

/** The maximum size of a body after decompression. */
const BODY_LIMIT_BYTES = 256 * 1024;

/** Reads a response completely and classifies it. */
export async function classifyResponse<Value>(response: Response, operation: Operation<Value>): Promise<Reply<Value>> {
  const { status, headers } = response;
  if (status === 200) {
    const document = await documentIn(response);
    if (!document.ok) return { outcome: document };
    const body = operation.read(document.value);
    if (!body.ok) return { outcome: invalid('schema') };
    return { outcome: succeeded(body.value), rate: parseRateLimitHeaders(headers), account: body.account };
  }
  if (status >= 400 && status < 500) return readRefusal(response, operation);
  await discard(response);
  if (status >= 500) return { outcome: failed({ kind: 'server-error', status }) };
  return { outcome: invalid(status >= 300 && status < 400 ? 'redirect' : 'status') };
}

/** If the body can't be read, the status still counts, but the response isn't considered the service's own. */
async function readRefusal<Value>(response: Response, { absence }: Operation<Value>): Promise<Reply<Value>> {
  const { status, headers } = response;
  const document = await documentIn(response).catch(() => invalid('body'));
  const isOwn = document.ok && readErrorBodySchema.safeParse(document.value).success;
  const rate = isOwn ? parseRateLimitHeaders(headers) : undefined;
  if (isOwn && status === 404 && absence !== undefined) return { outcome: succeeded(absence), rate };
  return { outcome: failed(refusalFailure(status, isOwn, headers)), rate };
}

/** A 429 counts even if a gateway sent it. Any other refusal counts only if the service itself sent it. */
function refusalFailure(status: number, isOwn: boolean, headers: Headers): CallFailure {
  if (status === 429) return { kind: 'rate-limited', retryAfterMs: retryAfterMsIn(headers) };
  if (!isOwn) return { kind: 'intermediary-error', status };
  return status === 401 || status === 403 ? { kind: 'key-refused', status } : { kind: 'invalid', reason: 'status' };
}

async function documentIn(response: Response): Promise<Outcome<unknown>> {
  if (!/^application\/json\s*(?:;|$)/i.test(response.headers.get('Content-Type') ?? '')) {
    await discard(response);
    return invalid('content type');
  }
  const text = await textWithin(response.body, BODY_LIMIT_BYTES);
  if (text === undefined) return invalid('too long');
  try {
    return succeeded<unknown>(JSON.parse(text));
  } catch {
    return invalid('not JSON');
  }
}

async function discard({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => {});
}

/** Reads a body as UTF-8 text without its byte order mark. Returns undefined if the decompressed body is longer than `limitBytes`. */
async function textWithin(body: ReadableStream<Uint8Array> | null, limitBytes: number): Promise<string | undefined> {
  if (!body) return '';
  const { bytes, isTruncated } = await readBody(body, limitBytes);
  return isTruncated ? undefined : new TextDecoder().decode(bytes);
}

function succeeded<Value>(value: Value): Outcome<Value> {
  return { ok: true, value };
}

export function failed(failure: CallFailure): Extract<Outcome<never>, { ok: false }> {
  return { ok: false, failure };
}

function invalid(reason: string): Extract<Outcome<never>, { ok: false }> {
  return failed({ kind: 'invalid', reason });
}

/** A limit above this value is treated as a mistake. */
const MAX_LIMIT = 1_000_000;

/** A window is a minute (spec, "Limits"). If a reset is more than an hour away, its unit or its value must be wrong. */
const MAX_RESET_MS = 3_600_000;

/** The tolerated difference between the clocks of two machines that contribute to one answer. */
const TOLERATED_PAST_MS = 5_000;

/** Parses the rate-limit headers. Returns undefined if no header has a plausible value. */
export function parseRateLimitHeaders(headers: Headers): RateLimitHeaders | undefined {
  const limit = wholeNumber(headers.get(RATE_LIMIT_HEADERS.limit), 1, MAX_LIMIT);
  const remaining = wholeNumber(headers.get(RATE_LIMIT_HEADERS.remaining), 0, limit ?? MAX_LIMIT);
  const resetInMs = resetInMsIn(headers);
  if (limit === undefined && remaining === undefined && resetInMs === undefined) return undefined;
  return { limit, remaining, resetInMs };
}

/** Returns `Retry-After` in ms (RFC 9110, 10.2.3), limited to 1 to 300 s; undefined if the header is missing. */
export function retryAfterMsIn(headers: Headers): number | undefined {
  const text = headers.get('Retry-After');
  if (text === null) return undefined;
  const waitMs = /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : momentOf(text) - momentOf(headers.get('Date'));
  return Number.isFinite(waitMs) ? retryWaitMs(waitMs) : undefined;
}

/** `Reset` and `Date` both come from the upstream's clock, so the BFF's own clock doesn't matter. */
function resetInMsIn(headers: Headers): number | undefined {
  const resetSeconds = wholeNumber(headers.get(RATE_LIMIT_HEADERS.reset), 0, Number.MAX_SAFE_INTEGER);
  if (resetSeconds === undefined) return undefined;
  const inMs = resetSeconds * 1_000 - momentOf(headers.get('Date'));
  return inMs >= -TOLERATED_PAST_MS && inMs <= MAX_RESET_MS ? Math.max(0, inMs) : undefined;
}

/** Parses an HTTP date (RFC 9110, 5.6.7) to ms since the Unix epoch. Returns NaN for anything else. */
function momentOf(text: string | null): number {
  return text !== null && /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : NaN;
}

function wholeNumber(text: string | null, min: number, max: number): number | undefined {
  if (text === null || !/^\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}
