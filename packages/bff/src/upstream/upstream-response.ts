import { createHmac } from 'node:crypto';
import { readErrorBodySchema } from '@pulse-card/contract';
import { z } from 'zod';
import type { UpstreamFailure } from './port.ts';
import { retryAfterMsIn } from './rate-limit-headers.ts';

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
