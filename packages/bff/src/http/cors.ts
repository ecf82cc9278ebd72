import { type OriginPolicy, isSerializedOrigin } from '../auth/origin-policy.ts';
import type { RequestContext } from './request-context.ts';

/** What scripts of other origins may read beside the body. */
const EXPOSED_HEADERS = 'ETag, Age, Retry-After, Cache-Status';

/** How long a browser may remember a preflight, in seconds: the longest that Chromium keeps. */
const PREFLIGHT_SECONDS = 7_200;

/** The methods of every route. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';

/** Headers of what anyone may load from anywhere: scripts, their languages, the description. */
export const OPEN_TO_ALL = pairsOf({
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Timing-Allow-Origin': '*',
  Vary: 'Accept-Encoding',
});

/** What an answer to a preflight adds (Fetch standard, "CORS protocol"): never credentials; `Authorization` where tokens are taken. */
export function preflightHeaders(takesTokens: boolean): readonly string[] {
  return pairsOf({
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': `${takesTokens ? 'Authorization, ' : ''}If-None-Match, Last-Event-ID`,
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  });
}

/**
 * Makes the headers that say whose scripts may read an answer; `Vary` names `Origin` wherever it decides, and `Authorization`
 * where tokens do.
 */
export function crossOriginHeaders(
  rule: OriginPolicy,
  takesTokens = false,
): (origin: string | undefined) => readonly string[] {
  const always = ['Cross-Origin-Resource-Policy', 'cross-origin'];
  const exposed = ['Access-Control-Expose-Headers', EXPOSED_HEADERS];
  const open = [...always, 'Vary', 'Accept-Encoding', 'Access-Control-Allow-Origin', '*', ...exposed];
  if (rule.isOpen) return () => open;
  const closed = [...always, 'Vary', `Accept-Encoding, Origin${takesTokens ? ', Authorization' : ''}`];
  return (origin) => {
    if (origin === undefined || rule.check(origin) !== 'allowed') return closed;
    return [...closed, 'Access-Control-Allow-Origin', origin, ...exposed];
  };
}

/** Headers that let the page that asked read an error, whatever its origin: errors carry no data. */
export function readableBy({ request, headers }: Pick<RequestContext, 'request' | 'headers'>): readonly string[] {
  const { origin } = request.headers;
  if (origin === undefined || !isSerializedOrigin(origin) || headers.includes('Access-Control-Allow-Origin')) return [];
  const vary = headers.includes('Vary') ? [] : ['Vary', 'Origin'];
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED_HEADERS, ...vary];
}

/** Headers as `writeHead` takes them fastest: name, value, name, value. */
export function pairsOf(headers: Record<string, string>): readonly string[] {
  return Object.entries(headers).flat();
}
