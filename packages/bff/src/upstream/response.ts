import { createHmac } from 'node:crypto';
import { RATE_LIMIT_HEADERS, readErrorBodySchema } from '@pulse-card/contract';
import { z } from 'zod';
import type { RateLimitHeaders } from '../budget/call-budget.ts';
import type { UpstreamFailure } from './port.ts';

/** The longest body that is read, after decompression. */
const BODY_LIMIT_BYTES = 256 * 1024;

/** A response, read completely. */
export type UpstreamResponse =
  | { readonly kind: 'document'; readonly document: unknown }
  /** A 4xx; `isOwn`: the service itself answered, since the body has the shape of the specification. */
  | {
      readonly kind: 'refusal';
      readonly status: number;
      readonly isOwn: boolean;
      readonly failure: UpstreamFailure;
    }
  | { readonly kind: 'failure'; readonly failure: UpstreamFailure };

/** Reads a response and classifies it. */
export async function readResponse(response: Response): Promise<UpstreamResponse> {
  const { status } = response;
  if (status === 200) return readDocument(response);
  if (status >= 400 && status < 500) return readRefusal(response);
  await discard(response);
  if (status >= 500) return { kind: 'failure', failure: { kind: 'server-error', status } };
  return invalid(status >= 300 && status < 400 ? 'redirect' : 'status');
}

async function readDocument(response: Response): Promise<UpstreamResponse> {
  const { headers, body } = response;
  if (!isJson(headers)) {
    await discard(response);
    return invalid('content type');
  }
  const text = await textWithin(body, BODY_LIMIT_BYTES);
  if (text === undefined) return invalid('too long');
  try {
    return { kind: 'document', document: JSON.parse(text) as unknown };
  } catch {
    return invalid('not JSON');
  }
}

/** A body that cannot be read does not hide the status: it only means that the service did not answer itself. */
async function readRefusal(response: Response): Promise<UpstreamResponse> {
  const answer = await readDocument(response).catch(() => invalid('body'));
  const isOwn = answer.kind === 'document' && readErrorBodySchema.safeParse(answer.document).success;
  const { status, headers } = response;
  return { kind: 'refusal', status, isOwn, failure: refusalFailure(status, isOwn, headers) };
}

/** A 429 counts whoever sent it; any other refusal counts only where the service itself answered. */
function refusalFailure(status: number, isOwn: boolean, headers: Headers): UpstreamFailure {
  if (status === 429) return { kind: 'rate-limited', retryAfterMs: retryAfterMsIn(headers) };
  if (!isOwn) return { kind: 'intermediary-error', status };
  return status === 401 || status === 403 ? { kind: 'key-refused', status } : { kind: 'invalid', reason: 'status' };
}

async function discard({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => {});
}

function isJson(headers: Headers): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers.get('Content-Type') ?? '');
}

function invalid(reason: string): UpstreamResponse {
  return { kind: 'failure', failure: { kind: 'invalid', reason } };
}

/** Reads a body as UTF-8 text; undefined once it is longer than `limitBytes`, counted after decompression. */
async function textWithin(body: ReadableStream<Uint8Array> | null, limitBytes: number): Promise<string | undefined> {
  if (!body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString('utf8');
}

/** A higher limit is taken for a mistake. */
const MAX_LIMIT = 1_000_000;

/** A window is a minute (spec, "Limits"); a reset further off than an hour is in milliseconds, or a mistake. */
const MAX_RESET_MS = 3_600_000;

/** Clocks of two machines that write one answer may differ by this much. */
const TOLERATED_PAST_MS = 5_000;

/** Bounds of `Retry-After` (a timer out of range fires at once). */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 300_000;

/** Parses the rate-limit headers; undefined where none has a plausible value. */
export function parseRateLimitHeaders(headers: Headers): RateLimitHeaders | undefined {
  const limit = wholeNumber(headers.get(RATE_LIMIT_HEADERS.limit), 1, MAX_LIMIT);
  const remaining = wholeNumber(headers.get(RATE_LIMIT_HEADERS.remaining), 0, limit ?? MAX_LIMIT);
  const resetInMs = resetInMsIn(headers);
  if (limit === undefined && remaining === undefined && resetInMs === undefined) return undefined;
  return { limit, remaining, resetInMs };
}

/** `Retry-After` in ms (RFC 9110, 10.2.3), within 1 s and 300 s; undefined where it is missing. */
export function retryAfterMsIn(headers: Headers): number | undefined {
  const text = headers.get('Retry-After');
  if (text === null) return undefined;
  const waitMs = /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : momentOf(text) - momentOf(headers.get('Date'));
  return Number.isFinite(waitMs) ? Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, waitMs)) : undefined;
}

/** `Reset` and `Date` are both on the upstream's clock, so that our own clock does not matter. */
function resetInMsIn(headers: Headers): number | undefined {
  const resetSeconds = wholeNumber(headers.get(RATE_LIMIT_HEADERS.reset), 0, Number.MAX_SAFE_INTEGER);
  if (resetSeconds === undefined) return undefined;
  const inMs = resetSeconds * 1_000 - momentOf(headers.get('Date'));
  return inMs >= -TOLERATED_PAST_MS && inMs <= MAX_RESET_MS ? Math.max(0, inMs) : undefined;
}

/** A moment as HTTP writes it (RFC 9110, 5.6.7), in ms since the Unix epoch; NaN for anything else. */
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

/** Separates this digest from others of the same text; not a secret. */
const PURPOSE = 'pulse-card account 1';

const bodySchema = z.object({ meta: z.object({ account: z.object({ id: z.string().min(1).max(1_000) }) }) });

/**
 * A digest of the account that an answer names (spec, "Response envelope meta"), to compare accounts by without keeping
 * the id; undefined where the answer names none. It never leaves the process as it is.
 */
export function accountDigestIn(document: unknown): string | undefined {
  const body = bodySchema.safeParse(document);
  return body.success ? createHmac('sha256', PURPOSE).update(body.data.meta.account.id).digest('base64url') : undefined;
}
