import { type ReadAccount, readErrorBodySchema, readPulse, readSources } from '@pulse-card/contract';
import { parseRateLimitHeaders, type RateLimitHeaders, retryAfterMsIn } from './rate-limit-headers.ts';
import type { Failure } from './failure.ts';
import { type Content, LIST, operationOf, SCOPES } from './target.ts';

/** A response from the service that has been read. */
export interface Answered {
  readonly ok: true;
  readonly value: Content;
  /** Undefined if the response doesn't identify an account, such as a 404 for a missing pulse. */
  readonly account?: ReadAccount | undefined;
  readonly rate?: RateLimitHeaders | undefined;
  /** Fields that were read as null because their values are unreadable. */
  readonly unreadable?: readonly string[];
}

/** A call without a usable response. Doesn't contain text from the service. */
export interface CallFailure extends Omit<Failure, 'retryInMs' | 'host'> {
  /** Undefined unless the service itself responded, because a gateway's headers are about the gateway's own limits. */
  readonly rate?: RateLimitHeaders | undefined;
  /** The `Retry-After` of a 429. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the other side closed a keep-alive connection before any of the response arrived. */
  readonly isReset?: boolean;
}

/** The largest body, after decompression. */
const BODY_LIMIT_BYTES = 256 * 1024;

/** Reads a response completely and classifies it. Rejects if the body is cut off. */
export async function classifyResponse(response: Response, target: string): Promise<Answered | CallFailure> {
  const { status, headers } = response;
  if (status === 200) return readAnswer(response, target);
  if (status >= 400 && status < 500) return readRejection(response, target);
  await response.body?.cancel().catch(() => {});
  if (status >= 500) return { ok: false, code: 'server_error', status };
  // The host that a redirect leads to, for the operator.
  const detail = URL.parse(headers.get('Location') ?? '')?.host ?? 'unknown';
  if (status >= 300 && status < 400) return { ok: false, code: 'redirect', status, detail };
  return { ok: false, code: 'invalid', status, detail: 'status' };
}

async function readAnswer(response: Response, target: string): Promise<Answered | CallFailure> {
  const document = await documentIn(response);
  const reading = target === LIST ? readSources(document) : readPulse(document, target);
  const detail = document === undefined ? 'not JSON, or too long' : 'schema';
  if (!reading.ok) return { ok: false, code: 'invalid', status: 200, detail };
  const { account, unreadable } = reading;
  const value = 'pulse' in reading ? reading.pulse : { rows: reading.sources, unreadableRows: reading.leftOut.length };
  return { ok: true, value, account, rate: parseRateLimitHeaders(response.headers), unreadable };
}

/**
 * A 429 counts even if a gateway sent it. Any other 4xx counts only if its body can be read and has the service's own
 * shape.
 */
async function readRejection(response: Response, target: string): Promise<Answered | CallFailure> {
  const { status, headers } = response;
  const document = await documentIn(response).catch(() => undefined);
  const isOwn = readErrorBodySchema.safeParse(document).success;
  const rate = isOwn ? parseRateLimitHeaders(headers) : undefined;
  if (status === 429) return { ok: false, code: 'rate_limited', status, rate, retryAfterMs: retryAfterMsIn(headers) };
  if (!isOwn) return { ok: false, code: 'gateway', status };
  if (status === 401) return { ok: false, code: 'key_rejected', status };
  if (status === 403) return { ok: false, code: 'scope_missing', status, detail: SCOPES[operationOf(target)] };
  if (status !== 404) return { ok: false, code: 'invalid', status, detail: 'status', rate };
  if (target === LIST) return { ok: false, code: 'not_found_everywhere', status, rate };
  return { ok: true, value: null, rate };
}

/** Parses a JSON body. A byte order mark before it is ignored. Undefined if the body isn't JSON or is too long. */
async function documentIn(response: Response): Promise<unknown> {
  const { headers, body } = response;
  if (!/^application\/json\s*(?:;|$)/i.test(headers.get('Content-Type') ?? '')) {
    await body?.cancel().catch(() => {});
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > BODY_LIMIT_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(new TextDecoder().decode(Buffer.concat(chunks)));
  } catch {
    return undefined;
  }
}
