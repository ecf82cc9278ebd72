import type { IncomingMessage } from 'node:http';
import type { ClientKeyResolver } from '../auth/client-key.ts';
import type { ClientRateLimiter, ClientWindow } from '../auth/client-rate-limiter.ts';
import { FULL_ACCESS } from '../auth/access-grant.ts';
import type { OriginPolicy } from '../auth/origin-policy.ts';
import { RATE_LIMIT_HEADERS } from '@pulse-card/contract';
import { crossOriginHeaders, readableBy } from './cors.ts';
import type { RequestContext } from './request-context.ts';
import { hasBody, malformationOf } from './malformed-request.ts';
import { forbidsSharedCaching } from './response-headers.ts';
import { sendError } from './send-error.ts';
import type { TokenGuard } from './token-guard.ts';

/** Below this path lie answers with data, which only allowed origins may read. */
const DATA_PREFIX = '/v1/';

/** Below this path lie pages for frames, which show pulses. */
const FRAMES_PREFIX = '/embed/';

/** The description lies there too, and is for everyone. */
const DESCRIPTION = '/v1/openapi.yaml';

/** What tells other programs of a pulse is data too. */
const OEMBED = '/oembed';

/** What decides who is let in. */
export interface RequestGuardsOptions {
  readonly origins: OriginPolicy;
  /** Undefined where access is public. */
  readonly tokenGuard: TokenGuard | undefined;
  /** Undefined where clients are not counted. */
  readonly clientRateLimiter: ClientRateLimiter | undefined;
  readonly clientKeyOfRequest: ClientKeyResolver;
  /** Milliseconds since the Unix epoch. */
  readonly wallNow: () => number;
  readonly isStopping: () => boolean;
  /** Paths that the limit per client does not count. */
  readonly uncounted: ReadonlySet<string>;
  /** `PULSE_CACHE`: whether shared caches may store answers with data. */
  readonly cacheScope: 'public' | 'private';
  readonly isFromUntrustedProxy: (request: IncomingMessage) => boolean;
  /** Called for each request that came through a proxy which is not trusted. */
  readonly onUntrustedProxy: () => void;
}

/** Lets a request in, with the headers that its answer will carry, or refuses it and says false; at once wherever it can. */
export type RequestGuards = (context: RequestContext) => boolean | Promise<boolean>;

/** Makes the gate that every request passes before any route sees it. */
export function requestGuards(parts: RequestGuardsOptions): RequestGuards {
  const { origins, tokenGuard, clientRateLimiter, clientKeyOfRequest, wallNow, isStopping, cacheScope } = parts;
  const headersFor = crossOriginHeaders(origins, tokenGuard !== undefined);

  function isOverRate(context: RequestContext): boolean {
    if (clientRateLimiter === undefined || parts.uncounted.has(context.path)) return false;
    const nowMs = wallNow();
    const window = clientRateLimiter.count(clientKeyOfRequest(context.request), nowMs);
    pushWindow(context.headers, window);
    if (!window.isExceeded) return false;
    sendError(context, 'rate_limited', { retryAfterSeconds: (window.resetsAtMs - nowMs) / 1_000 });
    return true;
  }

  return (context) => {
    const { request, headers, path } = context;
    const { origin } = request.headers;
    headers.push('X-Content-Type-Options', 'nosniff');
    context.isPrivate = cacheScope === 'private' || forbidsSharedCaching(context.response);
    if (parts.isFromUntrustedProxy(request)) parts.onUntrustedProxy();
    const isData = (path.startsWith(DATA_PREFIX) && path !== DESCRIPTION) || path === OEMBED;
    if (isData) headers.push(...headersFor(origin));
    context.isStopping = isStopping;
    if (isStopping() || hasBody(request)) headers.push('Connection', 'close');
    const malformation = malformationOf(request);
    if (malformation !== undefined && isReadMethod(request.method)) return refuseMalformed(context, malformation);
    if (isOverRate(context)) return false;
    if (isData && origins.check(origin) === 'forbidden') {
      if (!isPreflight(request)) return refuseOrigin(context);
      headers.push(...readableBy(context));
    }
    if (tokenGuard !== undefined) {
      if (path.startsWith(FRAMES_PREFIX)) headers.push('Vary', 'Authorization');
      return !isGuarded(context, isData) || tokenGuard(context);
    }
    context.accessGrant = FULL_ACCESS;
    return true;
  };
}

/** Whatever shows pulses; a preflight carries no token, and what is no reading is refused as such. */
function isGuarded({ method, path }: RequestContext, isData: boolean): boolean {
  return (isData || path.startsWith(FRAMES_PREFIX)) && (method === 'GET' || method === 'HEAD');
}

/**
 * Returns whether a browser asks what it may send. A refused preflight would hide the reason from the page, so that it is the
 * request after it that is refused.
 */
function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function refuseOrigin(context: RequestContext): false {
  sendError(context, 'origin_forbidden');
  return false;
}

function isReadMethod(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

function refuseMalformed(context: RequestContext, error: string): false {
  if (!context.headers.includes('Connection')) context.headers.push('Connection', 'close');
  sendError(context, 'invalid_source_id', { error });
  return false;
}

function pushWindow(headers: string[], { limit, remaining, resetsAtMs }: ClientWindow): void {
  headers.push(RATE_LIMIT_HEADERS.limit, String(limit), RATE_LIMIT_HEADERS.remaining, String(remaining));
  headers.push(RATE_LIMIT_HEADERS.reset, String(Math.ceil(resetsAtMs / 1_000)));
}
