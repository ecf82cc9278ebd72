import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib';
import type { LookupFunction } from 'node:net';
import type { FetchedPage, PageFault, PageResult } from './facts.ts';

/** One deadline for all redirects, headers, and bodies. */
const DEADLINE_MS = 10_000;

/** How many redirects are followed. Each redirect is checked in the same way as the first URL. */
const MAX_REDIRECTS = 3;

/** The maximum size of a response's headers. Policies can be long. */
const MAX_HEADER_BYTES = 64 * 1024;

/** How much of a page is read, both before and after decompression. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/** Some servers store files compressed and send them that way regardless of `Accept-Encoding`. */
const DECODERS: Readonly<Record<string, (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
};

const REQUEST_HEADERS = { accept: 'text/html', 'accept-encoding': 'identity', 'user-agent': 'pulse-doctor' };

/** Which pages may be fetched, and how. */
export interface FetchGuards {
  /** Whether a URL may be fetched. Called for the first URL and for each redirect. @default every URL */
  readonly isAllowed?: (url: URL) => boolean;
  /** Resolves host names. Fails with an error named `AddressError` if a URL isn't allowed. */
  readonly lookup?: LookupFunction;
}

/**
 * Fetches the page at `address`. Follows up to three redirects. Limits the page's size and the total time. Never
 * rejects.
 */
export async function fetchPage(address: URL, guards: FetchGuards = {}): Promise<PageResult> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  let url = withoutUser(address);
  for (let redirects = 0; ; redirects += 1) {
    const where = { asked: withoutUser(address).href, url: url.href };
    const failed = (fault: PageFault): PageResult => ({ ok: false, ...where, fault });
    if (guards.isAllowed?.(url) === false) return failed({ kind: 'private' });
    try {
      const answer = await get(url, guards, signal);
      const next = redirectOf(answer, url);
      if (next === undefined) return { ...where, ...(await pageIn(answer)) };
      answer.destroy();
      if (redirects === MAX_REDIRECTS || !/^https?:$/.test(next.protocol)) return failed({ kind: 'redirects' });
      url = withoutUser(next);
    } catch (error) {
      return failed(signal.aborted ? { kind: 'timeout' } : faultOf(error));
    }
  }
}

type PageParts = Pick<FetchedPage, 'ok' | 'policy' | 'body'> | { readonly ok: false; readonly fault: PageFault };

async function pageIn(answer: IncomingMessage): Promise<PageParts> {
  const fault = faultIn(answer);
  if (fault !== undefined) {
    answer.destroy();
    return { ok: false, fault };
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > MAX_PAGE_BYTES) return { ok: false, fault: { kind: 'body' } };
  }
  const { 'content-security-policy': policy, 'content-encoding': encoding } = answer.headers;
  const decode = DECODERS[encoding?.trim().toLowerCase() || 'identity'];
  const body = await decode?.(Buffer.concat(chunks), { maxOutputLength: MAX_PAGE_BYTES }).catch(() => undefined);
  if (body === undefined) return { ok: false, fault: { kind: 'body' } };
  return { ok: true, policy: typeof policy === 'string' ? policy : undefined, body };
}

/** Returns why a response isn't a page. A response without a type is treated as HTML. */
function faultIn({ statusCode: status = 0, headers }: IncomingMessage): PageFault | undefined {
  const { 'content-type': contentType = 'text/html' } = headers;
  if (status > 299) return { kind: 'status', found: String(status) };
  const isHtml = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType);
  return isHtml ? undefined : { kind: 'not-html', found: contentType };
}

function get(url: URL, { lookup }: FetchGuards, signal: AbortSignal): Promise<IncomingMessage> {
  // Connections aren't reused. The rest of a rejected response would have to be read before the next request.
  const fixed = { agent: false as const, headers: REQUEST_HEADERS, maxHeaderSize: MAX_HEADER_BYTES };
  const options = { ...fixed, signal, ...(lookup && { lookup }) };
  return new Promise((answered, failed) => {
    const request = (url.protocol === 'https:' ? getHttps : getHttp)(url, options, answered);
    request.on('error', failed);
    // A response that switches protocols (101) ends the request without any other event.
    request.on('close', () => failed(new Error('The connection ended without a response')));
  });
}

function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, url: URL): URL | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode) && location !== undefined;
  return (isRedirect && URL.parse(location, url.href)) || undefined;
}

/** Removes the username and password from `url`, which would otherwise be sent as a header. */
function withoutUser(url: URL): URL {
  return Object.assign(new URL(url), { username: '', password: '' });
}

function faultOf(error: unknown): PageFault {
  if (error instanceof Error && error.name === 'AddressError') return { kind: 'private' };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return { kind: 'DNS' };
  return { kind: /TLS|SSL|CERT|SIGNATURE|EPROTO/.test(code) ? 'TLS' : 'connection' };
}
