import { matchesOrigin } from '@pulse-card/contract';
import type { Request, RequestHandler, Response } from 'express';
import { originsOf } from '../lib/ip-address.ts';
import { ApiError } from './errors.ts';
import { addVary } from './locals.ts';

/** The pages whose scripts may read responses. */
export type OriginPolicy = ReturnType<typeof originPolicy>;

/** The origin policy for a configuration. */
export function originPolicy(allowed: '*' | readonly string[], publicUrl: string) {
  const own: readonly string[] = originsOf(publicUrl);
  return {
    /** Whether scripts on any page may read responses. */
    isOpen: allowed === '*',
    /** The origins of the BFF's own pages, which are always allowed. */
    own,
    /**
     * Whether scripts on pages with this origin may read responses. The origin `null` is allowed only if every page is.
     */
    allows: (origin: string): boolean => allowed === '*' || own.includes(origin) || matchesOrigin(allowed, origin),
  };
}

/** Explains what to do about pages on an origin that isn't allowed. */
export function originAdvice(origin: string): string {
  return origin.includes('://')
    ? `${origin} is not in PULSE_ALLOWED_ORIGINS. If this site is yours, add it and restart`
    : 'A page with no origin (opened from a file, or in a sandboxed frame) was rejected; serve it over https: from an origin in PULSE_ALLOWED_ORIGINS';
}

const SERIALIZED = /^(?:null|[a-z][a-z\d+.-]{0,30}:\/\/[\w.:[\]-]{1,255})$/;

/** Whether a browser may send `text` as `Origin`: `null`, or an origin with any scheme. */
export function isSerializedOrigin(text: string): boolean {
  return SERIALIZED.test(text);
}

/** Whether the browser indicates that the request comes from a page on another origin (Fetch Metadata). */
export function isFromOtherSite({ 'sec-fetch-site': site }: Request['headers']): boolean {
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** Headers that scripts may read on pages from other origins. */
const EXPOSED_HEADERS = 'ETag, Age, Retry-After, Cache-Status, X-Request-Id, Pulse-Reader';

/** How long a browser may cache a preflight, in seconds. This is Chromium's maximum. */
const PREFLIGHT_SECONDS = 7_200;

/** The methods that every route accepts. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';

/** Allows any page to load the response, for example a script. */
export function allowEveryPage(res: Response): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  res.setHeader('Timing-Allow-Origin', '*');
  addVary(res, 'Accept-Encoding');
}

/** Responds to a preflight (Fetch standard, "CORS protocol"). Credentials are never allowed. */
export function answerPreflight({ takesTokens }: { readonly takesTokens: boolean }): RequestHandler {
  return (_req, res) => {
    res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD');
    res.setHeader('Access-Control-Allow-Headers', `${takesTokens ? 'Authorization, ' : ''}If-None-Match`);
    res.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    res.setHeader('Allow', ALLOWED_METHODS);
    res.writeHead(204).end();
  };
}

/**
 * Lets pages on allowed origins read data, and rejects requests from other pages with `origin_forbidden`. Preflights
 * are never rejected: a page can't read why a preflight failed, but it can read the error of the request that follows.
 */
export function allowedOrigins(policy: OriginPolicy): RequestHandler {
  return (req, res, next) => {
    const { origin } = req.headers;
    if (policy.isOpen) {
      letRead(res, '*');
      return next();
    }
    addVary(res, 'Origin');
    if (origin === undefined) return next();
    if (policy.allows(origin)) letRead(res, origin);
    else if (req.method === 'OPTIONS') allowToRead(req, res);
    else return next(new ApiError('origin_forbidden', { detail: origin }));
    next();
  };
}

/** Lets the requesting page read an error, because errors contain no data. */
export function allowToRead(req: Pick<Request, 'headers'>, res: Response): void {
  const { origin } = req.headers;
  if (origin === undefined || !isSerializedOrigin(origin) || res.hasHeader('Access-Control-Allow-Origin')) return;
  addVary(res, 'Origin');
  letRead(res, origin);
}

function letRead(res: Response, origin: string): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}
