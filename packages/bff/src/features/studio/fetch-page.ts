import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib';
import { isLoopbackHost } from '@pulse-card/contract';
import { AddressError, placeOf, ssrfSafeLookup, type Resolve } from '../../lib/ip-address.ts';
import { readBody } from '../../lib/read-body.ts';
import type { FetchedPage, PageFault, PageResult } from '@pulse-card/doctor';

/** One deadline for all redirects, headers, and bodies. */
const DEADLINE_MS = 10_000;

/** How many redirects are followed. Each redirect is checked like the first address. */
const MAX_REDIRECTS = 3;

/** The maximum size of a response head. Policies can be long. */
const MAX_HEADER_BYTES = 64 * 1024;

/** How much of a page is read, both before and after decompression. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/** Some servers store files compressed, and send them that way regardless of the accepted encodings. */
const DECODERS = new Map(
  Object.entries({ gzip: gunzip, 'x-gzip': gunzip, deflate: inflate, br: brotliDecompress }).map(
    ([encoding, decode]) => [encoding, promisify<Buffer, ZlibOptions, Buffer>(decode)] as const,
  ),
);

const REQUEST_HEADERS = { accept: 'text/html', 'accept-encoding': 'identity', 'user-agent': 'pulse-bff doctor' };

/** Which addresses may be fetched in addition to public ones, and how. */
export interface FetchGuards {
  /** Origins that the operator has named. These origins may be on a loopback host. */
  readonly trustedOrigins: readonly string[];
  /** Whether the address may be on a loopback host, and may redirect to one. @default false */
  readonly allowLoopback?: boolean;
  /**
   * Whether private addresses may be fetched. Private addresses are only for someone at a terminal on this machine.
   * @default false
   */
  readonly allowPrivate?: boolean;
  /** @default the machine's resolver */
  readonly resolve?: Resolve;
  /** @default 10_000 */
  readonly deadlineMs?: number;
}

/**
 * Fetches the page at `address`. Only public addresses are allowed, unless `guards` allows more. Follows at most three
 * redirects. The number of bytes and the time are limited. Never rejects.
 */
export async function fetchPage(address: URL, guards: FetchGuards): Promise<PageResult> {
  const signal = AbortSignal.timeout(guards.deadlineMs ?? DEADLINE_MS);
  let url = withoutUser(address);
  for (let redirects = 0; ; redirects += 1) {
    const where = { asked: withoutUser(address).href, url: url.href, redirects };
    const failed = (fault: PageFault): PageResult => ({ ok: false, ...where, fault });
    if (!mayFetch(url, address, guards)) return failed({ kind: 'private' });
    try {
      const answer = await get(url, guards, signal);
      const next = redirectOf(answer, url);
      if (next === undefined) return { ...where, ...(await pageIn(answer)) };
      answer.destroy();
      if (redirects === MAX_REDIRECTS || !isWeb(next)) return failed({ kind: 'redirects' });
      url = withoutUser(next);
    } catch (error) {
      return failed(signal.aborted ? { kind: 'unreachable', layer: 'timeout' } : faultOf(error));
    }
  }
}

type PageParts =
  | Pick<FetchedPage, 'ok' | 'contentType' | 'policy' | 'body' | 'isTruncated'>
  | { readonly ok: false; readonly fault: PageFault };

async function pageIn(answer: IncomingMessage): Promise<PageParts> {
  const fault = faultIn(answer);
  if (fault !== undefined) {
    answer.destroy();
    return { ok: false, fault };
  }
  const { bytes, isTruncated } = await readBody(answer, MAX_PAGE_BYTES);
  const { 'content-type': contentType, 'content-security-policy': header } = answer.headers;
  const policy = typeof header === 'string' ? header : undefined;
  const body = await decoded(bytes, answer.headers['content-encoding']?.trim().toLowerCase() || 'identity');
  if (body === undefined) return { ok: false, fault: { kind: 'unreachable', layer: 'body' } };
  return { ok: true, contentType, policy, body, isTruncated };
}

/** Returns why a response isn't a page. A response without a type is treated as HTML. */
function faultIn({ statusCode: status = 0, headers }: IncomingMessage): PageFault | undefined {
  const { 'content-type': contentType = 'text/html' } = headers;
  if (status < 200 || status > 299) return { kind: 'status', status };
  if (!/^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType))
    return { kind: 'not-html', contentType };
  return undefined;
}

/** Returns the decompressed bytes; undefined if they don't match their encoding or are too long. */
async function decoded(bytes: Buffer, encoding: string): Promise<Buffer | undefined> {
  if (encoding === 'identity') return bytes;
  return DECODERS.get(encoding)?.(bytes, { maxOutputLength: MAX_PAGE_BYTES }).catch(() => undefined);
}

/**
 * Other names are checked during the lookup, when their addresses are known. IP addresses and loopback names are
 * checked here.
 */
function mayFetch(url: URL, first: URL, { trustedOrigins, allowLoopback, allowPrivate }: FetchGuards): boolean {
  if (allowPrivate === true) return true;
  if (!isLoopbackHost(url.hostname)) return placeOf(url.hostname) === 'public';
  return trustedOrigins.includes(url.origin) || (allowLoopback === true && isLoopbackHost(first.hostname));
}

function get(url: URL, { resolve, allowPrivate }: FetchGuards, signal: AbortSignal): Promise<IncomingMessage> {
  const options = {
    // Connections aren't reused. The rest of a rejected response would have to be read before the next request.
    agent: false as const,
    headers: REQUEST_HEADERS,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
    ...(allowPrivate !== true && { lookup: ssrfSafeLookup(resolve) }),
  };
  return new Promise((answered, failed) => {
    const request = (url.protocol === 'https:' ? getHttps : getHttp)(url, options, answered);
    request.on('error', failed);
  });
}

function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, url: URL): URL | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode);
  return isRedirect && location !== undefined && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/** Removes the user name and password from `url`. The user name and password would be sent as a header. */
function withoutUser(url: URL): URL {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

function faultOf(error: unknown): PageFault {
  if (error instanceof AddressError) return { kind: 'private' };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return { kind: 'unreachable', layer: 'DNS' };
  if (/TLS|SSL|CERT|SIGNATURE|EPROTO/.test(code)) return { kind: 'unreachable', layer: 'TLS' };
  return { kind: 'unreachable', layer: 'connection' };
}
