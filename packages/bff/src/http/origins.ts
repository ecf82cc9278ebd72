import type { IncomingHttpHeaders } from 'node:http';
import { originsOf } from '../lib/ip-address.ts';
import { hasHeader } from './header-list.ts';
import type { RequestContext } from './request-context.ts';

/** The pages whose scripts may read responses: the pages from a list of exact origins, or all pages. */
export class OriginPolicy {
  readonly isOpen: boolean;
  /** The origins of the BFF's own pages. */
  readonly own: readonly string[];
  readonly #allowed: ReadonlySet<string>;

  /** Pages from the origin of `publicUrl` are the BFF's own pages and are always allowed. */
  constructor(allowed: '*' | readonly string[], publicUrl: string) {
    this.isOpen = allowed === '*';
    this.own = originsOf(publicUrl);
    this.#allowed = new Set([...(allowed === '*' ? [] : allowed), ...this.own]);
  }

  /** Compares an `Origin` header exactly: no suffixes, no patterns, never `null`. */
  allows(origin: string): boolean {
    return this.isOpen || this.#allowed.has(origin);
  }
}

/** Advice on how to allow pages on these origins. */
export function originAdvice(origins: readonly string[]): string {
  const [first, ...others] = origins.filter((origin) => origin.includes('://'));
  if (first === undefined) return NO_ORIGIN;
  if (others.length === 0) return `${first} is not in PULSE_ALLOWED_ORIGINS. If this site is yours, add it and restart`;
  return `${[first, ...others].join(', ')} are not in PULSE_ALLOWED_ORIGINS. If any of these sites are yours, add them and restart`;
}

const NO_ORIGIN =
  'A page with no origin (opened from a file, or in a sandboxed frame) was refused; serve it over https: from an origin in PULSE_ALLOWED_ORIGINS';

const SERIALIZED = /^(?:null|[a-z][a-z\d+.-]{0,30}:\/\/[\w.:[\]-]{1,255})$/;

/**
 * Returns whether a browser may send `text` as `Origin`. Such a text is `null` or an origin with any scheme, such as
 * that of a browser extension.
 */
export function isSerializedOrigin(text: string): boolean {
  return SERIALIZED.test(text);
}

/** Headers that scripts may read on pages from other origins. */
const EXPOSED_HEADERS = 'ETag, Age, Retry-After, Cache-Status, X-Request-Id, Pulse-Reader';

/** How long a browser may cache a preflight, in seconds. This is Chromium's maximum. */
const PREFLIGHT_SECONDS = 7_200;

/** The methods that every route accepts. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';

/** The headers of files that any page may load: scripts, languages, and the description. */
export const OPEN_TO_ALL: readonly string[] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ['Timing-Allow-Origin', '*'],
  ['Vary', 'Accept-Encoding'],
].flat();

/** Headers of the response to a preflight (Fetch standard, "CORS protocol"). Credentials are never allowed. */
export function preflightHeaders(takesTokens: boolean): readonly string[] {
  return [
    ['Access-Control-Allow-Methods', 'GET, HEAD'],
    ['Access-Control-Allow-Headers', `${takesTokens ? 'Authorization, ' : ''}If-None-Match`],
    ['Access-Control-Max-Age', String(PREFLIGHT_SECONDS)],
  ].flat();
}

/**
 * Creates the function that adds CORS headers to a response, based on the request's origin. The function also adds
 * `Vary` for the request headers that the CORS headers depend on. Headers are name, value, name, value.
 */
export function crossOriginHeaders(
  policy: OriginPolicy,
  takesTokens: boolean,
): (headers: string[], origin: string | undefined) => void {
  const always = ['Cross-Origin-Resource-Policy', 'cross-origin'];
  const exposed = ['Access-Control-Expose-Headers', EXPOSED_HEADERS];
  const open = [...always, 'Vary', 'Accept-Encoding', 'Access-Control-Allow-Origin', '*', ...exposed];
  if (policy.isOpen) return (headers) => void headers.push(...open);
  const closed = [...always, 'Vary', `Accept-Encoding, Origin${takesTokens ? ', Authorization' : ''}`];
  return (headers, origin) => {
    headers.push(...closed);
    if (origin !== undefined && policy.allows(origin)) headers.push('Access-Control-Allow-Origin', origin, ...exposed);
  };
}

/** Headers that let any page read an error, because errors contain no data. */
export function readableBy({ request, headers }: Pick<RequestContext, 'request' | 'headers'>): readonly string[] {
  const { origin } = request.headers;
  if (origin === undefined || !isSerializedOrigin(origin) || hasHeader(headers, 'Access-Control-Allow-Origin'))
    return [];
  const vary = hasHeader(headers, 'Vary') ? [] : ['Vary', 'Origin'];
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED_HEADERS, ...vary];
}

/**
 * Returns whether the request comes from a page on another origin, according to the browser (Fetch Metadata). Programs
 * and old browsers don't send Fetch Metadata headers.
 */
export function isFromOtherSite({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
